"""The cards of the overview as lines of text: NPU steps, stages, and the cores of an NPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow.compute as pc

from nbprof.model.units import choose_time_unit, format_count, format_pct, format_value

if TYPE_CHECKING:
    from nbprof.export.summary import Summary

_LABEL: Final = 24

#: Percent that parts of one whole add up to, and a rounding.
_WHOLE: Final = 100.01


def stages(summary: Summary) -> list[str]:
    """Return the time of each stage on host and device, over all steps."""
    if not any(card.name == "stage_summary" for card in summary.cards):
        return []
    whole, *rows = summary.table("stage_summary").to_pylist()
    sides = [side for side in ("host", "device") if whole[f"{side}_total_us"]]
    units = {side: choose_time_unit([whole[f"{side}_total_us"]]) for side in sides}
    of = "all steps" if summary.trace.model.steps.recorded else "the recording"
    heads = "".join(f"{f'of {side} time':>21}" for side in sides)
    lines = [f"{f'Stages of {of}':<{_LABEL}}" + heads]
    for row in rows:
        line = f"  {row['stage']:<{_LABEL - 2}}"
        for side, unit in units.items():
            amount = f"{format_value(row[f'{side}_total_us'], unit)} {unit.label}"
            share = f"{format_pct(row[f'{side}_pct'])} %"
            line += f"{amount:>12}{share:>9}"
        lines.append(line)
    if sum(row["device_pct"] or 0.0 for row in rows) > _WHOLE:
        lines.append("  on the device stages run at once: the shares add up to more than 100 %")
    return lines


def npu_steps(summary: Summary) -> list[str]:
    """Return what an NPU did in a step, on average."""
    table = summary.table("npu_steps")
    if not table.num_rows:
        return []
    parts = (
        ("computing_us", "computing"),
        ("communication_not_overlapped_us", "only communicating"),
        ("overlapped_us", "both"),
        ("free_us", "free"),
    )
    means = {column: pc.mean(table[column]).as_py() for column, _ in parts}
    unit = choose_time_unit([max((value or 0.0) for value in means.values())])
    said = [
        f"{words} {format_value(means[column], unit)} {unit.label}"
        for column, words in parts
        if means[column] is not None
    ]
    steps = "one step" if table.num_rows == 1 else f"mean of {format_count(table.num_rows, 'step')}"
    return [f"NPU by its recorder, {steps}", f"  {', '.join(said)}"] if said else []


def cores(summary: Summary) -> list[str]:
    """Return where the time of an NPU's kernels went; nothing on other devices."""
    table = summary.table("accelerator_cores")
    if not table.num_rows:
        return []
    ranked = table.take(pc.sort_indices(table, sort_keys=[("total_us", "descending")]))
    parts = [
        f"{row['accelerator_core'] or 'unknown'} {format_pct(row['pct'])} %"
        for row in ranked.to_pylist()
    ]
    return [f"  on {', '.join(parts)}"]
