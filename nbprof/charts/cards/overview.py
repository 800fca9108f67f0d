"""Cards of the overview: NPU steps, stages, idle time and event types, where recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.charts.cards.cards import Card, CardChart, Switch
from nbprof.model.arrays import encoded, floats_of, joined
from nbprof.model.building import arrow_scalar
from nbprof.model.units import format_count, format_pct, format_time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.charts.bars.bars import Quantity
    from nbprof.charts.cards.cards import TableSource
    from nbprof.model.trace.dialect import Capabilities

#: The tables that the cards of every trace use, and those for recorders with event types.
TABLES: Final = (
    "npu_steps",
    "stage_summary",
    "stages",
    "device_time",
    "idle_gaps",
    "user_events",
)
TYPED_TABLES: Final = ("events",)

#: Stages of training and of inference: name, label, colour.
STAGES: Final = (
    ("DataLoader", "DataLoader", "dataloader"),
    ("Prefill", "Prefill", "slot1"),
    ("Decode", "Decode", "slot2"),
    ("Mixed", "Mixed", "slot6"),
    ("Forward", "Forward", "slot0"),
    ("Backward", "Backward", "slot4"),
    ("Optimization", "Optimization", "slot7"),
    ("Other", "Other", "other"),
)

#: The stages that recorders write as event types.
_TYPED: Final = tuple(stage for stage in STAGES if stage[0] not in ("Prefill", "Decode", "Mixed"))

#: Colours of event types, in descending order of time.
_TYPES: Final = ("slot0", "slot1", "slot2", "slot4", "slot7", "slot6", "slot5", "slot9", "slot3")

HOST_OR_DEVICE: Final = (("host", "Host"), ("device", "Device"))
_USER_EVENTS: Final = 10

#: Causes of idle gaps: value of the column, label, colour.
_CAUSES: Final = (
    ("host", "Launched late", "dataloader"),
    ("kernel", "Launched in time, gap < 30 µs", "slot0"),
    ("other", "Launched in time, longer gap", "slot2"),
    ("", "Launch unknown", "other"),
)
_IDLE_BARS: Final = 8


def tables_for(capabilities: Capabilities) -> tuple[str, ...]:
    """Return the names of the tables that the cards of a trace use.

    Parameters
    ----------
    capabilities : Capabilities
        Capabilities of its recorder.
    """
    return (*TABLES, *TYPED_TABLES) if capabilities.event_types else TABLES


def cards_of(source: TableSource) -> list[Card]:
    """Return the cards of a trace, in the order of the screen."""
    tables = {name: source.table(name) for name in tables_for(source.trace.model.capabilities)}
    return overview_cards(tables, recorded=source.trace.model.steps.recorded)


def overview_cards(tables: Mapping[str, pa.Table], *, recorded: bool = True) -> list[Card]:
    """Return the cards for the tables given, in the order of the screen.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        Those of `tables_for`; a missing table means no card. Event types are shown only for
        recorders that write them, as in the overview of their own tools.
    recorded : bool, optional
        Whether the trace has recorded steps. If not, the whole trace counts as one step, and cards
        that compare steps are left out.
    """
    cards = (
        _npu_steps(tables),
        _stage_summary(tables, "in all steps" if recorded else "in the recording"),
        _stages(tables) if recorded else None,
        _idle(tables),
        _events(tables),
        _user_events(tables),
    )
    return [card for card in cards if card is not None]


def _npu_steps(tables: Mapping[str, pa.Table]) -> Card | None:
    table = tables.get("npu_steps")
    if table is None or not table.num_rows:
        return None
    chart = CardChart(
        "bars",
        "npu_steps",
        "npu_steps",
        "step",
        (
            ("computing_us-overlapped_us", "Computing alone", "kernel"),
            ("overlapped_us", "Overlapped", "slot6"),
            ("communication_not_overlapped_us", "Communication alone", "communication"),
            ("free_us", "Free", "other"),
        ),
        picks="steps",
    )
    charts = {"": (chart,)} if _any(table, "computing_us", "free_us") else {}
    note = (
        "the recorder's own account, from the first to the last device work of a step;"
        " overlapped: communication that computing hides"
    )
    return Card("npu_steps", "NPU steps", note, charts, table="npu_steps")


def _stage_summary(tables: Mapping[str, pa.Table], where: str) -> Card | None:
    table = tables.get("stage_summary")
    if table is None or not _has_stages(table):
        return None
    sides = [side for side, _ in HOST_OR_DEVICE if _any(table, f"{side}_total_us")]
    charts = tuple(_by_stage(side, _shown(table), where) for side in sides)
    training = "Backward" in table["stage"].to_pylist()
    whole = "all steps together" if where.endswith("steps") else "the whole recording"
    note = f"{whole}, by what {'a training step' if training else 'inference'} does"
    if "device" in sides:
        if where.endswith("steps"):
            note += "; here steps begin and end on the host, above with their device work"
        note += "; on the device several stages may work at once"
    return Card("stage_summary", "Stages", note, {"": charts}, table="stage_summary")


def _by_stage(side: str, stages: tuple[tuple[str, str, str], ...], where: str) -> CardChart:
    """Return the chart of time by stage for host or device.

    On the host every moment belongs to one stage. On the device, work of several stages may run at
    once, so their times do not add up to the whole: each is shown as a share of it.
    """
    if side == "host":
        return CardChart(
            "donut",
            "stage_summary_host",
            "stage_summary",
            "stage",
            stages,
            value="host_total_us",
            title="Host time by stage",
            hole=where,
        )
    return CardChart(
        "bars",
        "stage_summary_device",
        "stage_summary",
        "stage",
        (("Step", "Step", "kernel"), *stages),
        by="stage",
        value="device_pct",
        quantity="share",
        title="Device time by stage, % of the time with work of any stage",
    )


def _stages(tables: Mapping[str, pa.Table]) -> Card | None:
    table, summary = tables.get("stages"), tables.get("stage_summary")
    if table is None or not table.num_rows or summary is None or not _has_stages(summary):
        return None
    sides = [(side, label) for side, label in HOST_OR_DEVICE if _any(table, f"{side}_us")]
    charts = {
        side: (
            CardChart(
                "bars",
                "stages",
                "stages",
                "step",
                _shown(summary),
                by="stage",
                value=f"{side}_us",
                stacked=side == "host",  # device work of several stages may run at once
                picks="steps",
            ),
        )
        for side, _ in sides
    }
    switch = Switch("side", "Time of", tuple(sides))
    note = "host: until the step ends there; device: work launched from a stage, which may overlap"
    return Card("stages", "Stages of each step", note, charts, (switch,))


def _idle(tables: Mapping[str, pa.Table]) -> Card | None:
    """Return the card of the time in which devices were idle.

    Only gaps of whole devices count, since they add up to the idle time of `device_time`.
    """
    gaps, times = tables.get("idle_gaps"), tables.get("device_time")
    if not gaps or not times or not _any(times, "idle_us"):
        return None
    chart = CardChart(
        "bars",
        "idle_by_host",
        "idle_gaps",
        "host_operator",
        _CAUSES,
        by="cause",
        value="duration_us",
        where=("stream", ""),
        most=_IDLE_BARS,
        unnamed="no host work known",
    )
    by = [("host", "Host work")]
    charts = {"host": (chart,)}
    if times.num_rows > 1:
        by.append(("device", "Device"))
        charts["device"] = (replace(chart, name="idle_by_device", x="device", most=0, unnamed=""),)
    idle, whole = (pc.sum(times[name]).as_py() for name in ("idle_us", "total_us"))
    count = gaps["stream"].null_count
    of = f"the time of {times.num_rows} devices" if times.num_rows > 1 else "the device's time"
    of += f" ({format_time(whole)})"
    note = (
        f"{format_pct(100 * idle / whole)} % of {of}, in {format_count(count, 'gap')} without"
        " kernels, copies and memory sets; by what mostly ran on the thread that launched the next"
        " work, and by when it launched it"
    )
    return Card("idle", "Idle", note, charts, (Switch("by", "Idle time by", tuple(by)),))


def _events(tables: Mapping[str, pa.Table]) -> Card | None:
    table = tables.get("events")
    if table is None or not table.num_rows:
        return None
    found = set(table["side"].to_pylist())
    sides = tuple((side, label) for side, label in HOST_OR_DEVICE if side in found)
    ways: tuple[tuple[str, str, str, Quantity], ...] = (
        ("time", "Time", "duration_us", "time"),
        ("calls", "Calls", "calls", "count"),
        ("share", "Share", "pct", "share"),
        ("stage", "By stage", "duration_us", "time"),
    )
    charts = {}
    for side, _ in sides:
        types = _types(table, side)
        for way, _, value, quantity in ways:
            by_stage = way == "stage"
            charts[f"{side}/{way}"] = (
                CardChart(
                    "bars",
                    "events",
                    "events",
                    "stage" if by_stage else "event_type",
                    types if by_stage else _TYPED,
                    by="event_type" if by_stage else "stage",
                    value=value,
                    where=("side", side),
                    quantity=quantity,
                ),
            )
    switches = (
        Switch("side", "Events of", sides),
        Switch("way", "Shown", tuple((way, label) for way, label, _, _ in ways)),
    )
    note = "by the stage that they began in"
    return Card("events", "Types of events", note, charts, switches)


def _types(table: pa.Table, side: str) -> tuple[tuple[str, str, str], ...]:
    """Return the event types of host or device with their colours, most time first."""
    own = table.filter(pc.equal(table["side"], arrow_scalar(side)))
    coded = encoded(own["event_type"])
    names = coded.dictionary.to_pylist()
    time = np.nan_to_num(floats_of(own["duration_us"]))
    sums = np.bincount(joined(coded.indices), time, len(names)).tolist()
    names = [name for _, name in sorted(zip(sums, names, strict=True), key=lambda s: (-s[0], s[1]))]
    return tuple((name, name, _TYPES[at % len(_TYPES)]) for at, name in enumerate(names))


def _user_events(tables: Mapping[str, pa.Table]) -> Card | None:
    table = tables.get("user_events")
    if table is None or not table.num_rows:
        return None
    note = f"the {_USER_EVENTS} longest" if table.num_rows > _USER_EVENTS else ""
    return Card(
        "user_events",
        "User events",
        note,
        table="user_events",
        most=_USER_EVENTS,
        picks="within",
    )


def sides_of(table: pa.Table, columns: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return which of host and device have any time in their column.

    Parameters
    ----------
    table : pyarrow.Table
        Any table.
    columns : mapping of str to str
        Column by side.
    """
    return tuple((key, label) for key, label in HOST_OR_DEVICE if _any(table, columns[key]))


def _shown(summary: pa.Table) -> tuple[tuple[str, str, str], ...]:
    """Return the stages that a recording contains."""
    names = summary["stage"].to_pylist()
    return tuple(stage for stage in STAGES if stage[0] in names)


def _has_stages(summary: pa.Table) -> bool:
    """Return whether a step has any stage besides the remainder."""
    rows = zip(summary["stage"].to_pylist(), summary["host_total_us"].to_pylist(), strict=True)
    return any(value for stage, value in rows if stage not in ("Step", "Other"))


def _any(table: pa.Table, *columns: str) -> bool:
    """Return whether a column has any value other than 0."""
    sums: Sequence[Any] = [pc.sum(table[column]).as_py() for column in columns]
    return any(sums)
