"""Cards of the overview: NPU steps, stages, idle time and event types, where recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.charts.cards.cards import Card, CardChart, Switch, has_values
from nbprof.charts.cards.event_types import event_types_card
from nbprof.charts.cards.flops import flops_card, no_flops_card
from nbprof.charts.cards.idle import gaps_card, idle_card
from nbprof.charts.cards.stages import stages_card
from nbprof.model.steps.label_families import family_of
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from nbprof.charts.cards.cards import TableSource
    from nbprof.model.trace.dialect import Capabilities
    from nbprof.model.trace.model import TraceModel

#: The tables that the cards of every trace use, and those for recorders with event types.
TABLES: Final = (
    "npu_steps",
    "stage_summary",
    "stages",
    "device_time",
    "idle_time",
    "longest_gaps",
    "user_events",
    "step_flops",
)
TYPED_TABLES: Final = ("events",)


_USER_EVENTS: Final = 10
#: How many names are looked at to see whether they are alike.
_ALIKE: Final = 1000


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
    stages = source.around("stage_summary", "steps")
    recorded = source.trace.model.steps.recorded
    flops = source.around("step_flops", "steps")
    cards = overview_cards(
        tables,
        recorded=recorded,
        stages=stages,
        flops=flops,
        events=source.around("user_events", "steps"),
        other=source.trace.active_filter.other,
    )
    model = source.trace.model
    if _lacks_shapes(model) and source.table("device_peaks").num_rows:
        cards.append(no_flops_card(model.dialect.hint("shapes")))
    return cards


def _lacks_shapes(model: TraceModel) -> bool:
    """Return whether a trace has kernels, and no input shapes to compute FLOPs from."""
    if not (model.column("device", "kind") == kinds.KERNEL).any():
        return False
    recorded = (model.column(table, "input_shapes") for table in ("host", "npu_kernels"))
    return not any(bool((column >= 0).any()) for column in recorded)


def overview_cards(
    tables: Mapping[str, pa.Table],
    *,
    recorded: bool = True,
    stages: pa.Table | None = None,
    flops: pa.Table | None = None,
    events: pa.Table | None = None,
    other: str = kinds.CATEGORIES["other"],
) -> list[Card]:
    """Return the cards for the tables given, in the order of the screen.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        The tables of `tables_for`; without a table, its card is left out. Event types are shown
        only for recorders that write them, as in the overview of their own tools.
    recorded : bool, optional
        Whether the trace has recorded steps. If not, the whole trace counts as one step. Cards
        that compare steps are left out if there is only one.
    stages : pyarrow.Table, optional
        The table ``stage_summary`` of all steps, if `tables` are filtered.
    flops : pyarrow.Table, optional
        The table ``step_flops`` of all steps, likewise.
    events : pyarrow.Table, optional
        The table ``user_events`` of all steps, likewise.
    other : str, optional
        What the rest of the stages is called.
    """
    each = tables.get("stages")
    single = stages is None and each is not None and len(each["step"].unique()) == 1
    cards = (
        idle_card(tables),
        gaps_card(tables),
        _npu_steps(tables),
        stages_card(
            tables,
            "in all steps" if recorded else "in the recording",
            every=stages,
            each=recorded and not single,
            other=other,
        ),
        flops_card(tables.get("step_flops"), flops),
        event_types_card(tables),
        _user_events(tables, events),
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
    charts = {"": (chart,)} if has_values(table, "computing_us", "free_us") else {}
    note = (
        "the recorder's own account, from the first to the last device work of a step;"
        " overlapped: communication that computing hides"
    )
    return Card("npu_steps", "NPU steps", note, charts, table="npu_steps")


def _are_alike(table: pa.Table) -> bool:
    """Return whether most names of user events occur once and are numbered variants of others."""
    calls, names = table["calls"].to_pylist(), table["name"].to_pylist()[:_ALIKE]
    families = {family_of(name) for name in names if name is not None}
    return 2 * calls.count(1) > len(calls) and 2 * len(families) <= len(names)


def _user_events(tables: Mapping[str, pa.Table], every: pa.Table | None) -> Card | None:
    table = tables.get("user_events")
    if table is None or not table.num_rows:
        return None
    by = [("name", "Name"), ("label", "Name without numbers")]
    if _are_alike(table if every is None else every):
        by.reverse()
    return Card(
        "user_events",
        "User events",
        f"at most {_USER_EVENTS}, the longest first",
        {grouping: () for grouping, _ in by},
        (Switch("group_by", "User events by", tuple(by)),),
        table="user_events",
        most=_USER_EVENTS,
        picks="within",
    )
