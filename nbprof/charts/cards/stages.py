"""Cards of stages on the overview: their time in all steps, and in each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.charts.cards.cards import Card, CardChart, Switch, has_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa


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


HOST_OR_DEVICE: Final = (("host", "Host"), ("device", "Device"))


def stages_card(
    tables: Mapping[str, pa.Table],
    where: str,
    *,
    every: pa.Table | None = None,
    each: bool = True,
    other: str = "Other",
) -> Card | None:
    """Return the card of the time of each stage, over all steps and in each of them.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        With ``stage_summary`` and ``stages``.
    where : str
        Which steps, in words.
    every : pyarrow.Table, optional
        The summary of all steps, if `tables` are filtered.
    each : bool, optional
        Whether there are several steps, with charts of their own.
    other : str, optional
        What the rest of the stages is called.
    """
    table = tables.get("stage_summary")
    if table is None or not _has_stages(table):
        return None
    sides = [side for side, _ in HOST_OR_DEVICE if has_values(table, f"{side}_total_us")]
    charts = {"all": tuple(_by_stage(side, _shown(table, other), where) for side in sides)}
    of_steps = where.endswith("steps")
    note = f"{'sum over steps' if of_steps else 'the whole recording'}; host: time on the host"
    if "device" in sides:
        note += "; device: work the stage launched, which may overlap"
        note += ". Here a step is what the host took, above it ends with its device work" * of_steps
    rows = tables.get("stages")
    if not each or rows is None or not rows.num_rows:
        return Card("stages", "Stages", note, {"": charts["all"]}, table="stage_summary")
    shown = _shown(table if every is None else every, other)
    for side in sides:
        charts[side] = (_by_step(side, shown),)
    options = (
        ("all", "All steps"),
        *((s, f"Each, {t.lower()}") for s, t in HOST_OR_DEVICE if s in sides),
    )
    switch = Switch("side", "Time of", options)
    return Card("stages", "Stages", note, charts, (switch,), table="stage_summary")


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


def _by_step(side: str, stages: tuple[tuple[str, str, str], ...]) -> CardChart:
    """Return the chart of the time of stages in each step for host or device."""
    return CardChart(
        "bars",
        "stages",
        "stages",
        "step",
        stages,
        by="stage",
        value=f"{side}_us",
        stacked=side == "host",  # device work of several stages may run at once
        picks="steps",
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
    return tuple((key, label) for key, label in HOST_OR_DEVICE if has_values(table, columns[key]))


def _shown(summary: pa.Table, other: str) -> tuple[tuple[str, str, str], ...]:
    """Return the stages that a recording contains, the rest under its name."""
    names = summary["stage"].to_pylist()
    return tuple(
        (name, other if name == "Other" else label, color)
        for name, label, color in STAGES
        if name in names
    )


def _has_stages(summary: pa.Table) -> bool:
    """Return whether a step has any stage besides the remainder."""
    rows = zip(summary["stage"].to_pylist(), summary["host_total_us"].to_pylist(), strict=True)
    return any(value for stage, value in rows if stage not in ("Step", "Other"))
