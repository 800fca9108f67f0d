"""Cards of the overview in the text summary: NPU steps, stages, and NPU cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow.compute as pc

from nbprof.export.text.amounts import amount_width
from nbprof.model.units import choose_time_unit, format_count, format_pct, format_value

if TYPE_CHECKING:
    from nbprof.export.summary_tables import Summary

_LABEL: Final = 24

#: Maximum sum of the percentages of disjoint parts, including rounding.
_WHOLE: Final = 100.01


def stages(summary: Summary) -> list[str]:
    """Return host and device time of each stage over all steps."""
    if not any(card.name == "stages" for card in summary.cards):
        return []
    whole, *rows = summary.table("stage_summary").to_pylist()
    sides = [side for side in ("host", "device") if whole[f"{side}_total_us"]]
    units = {side: choose_time_unit([whole[f"{side}_total_us"]], summary.unit) for side in sides}
    other = summary.trace.active_filter.other
    of = "all steps" if summary.trace.model.steps.recorded else "the recording"
    wide = {side: amount_width(whole[f"{side}_total_us"], units[side]) for side in sides}
    heads = "".join(f"{f'of {side} time':>{wide[side] + 9}}" for side in sides)
    lines = [f"{f'Stages of {of}':<{_LABEL}}" + heads]
    for row in rows:
        stage = other if row["stage"] == "Other" else row["stage"]
        line = f"  {stage:<{_LABEL - 2}}"
        for side, unit in units.items():
            amount = f"{format_value(row[f'{side}_total_us'], unit)} {unit.label}"
            share = f"{format_pct(row[f'{side}_pct'])} %"
            line += f"{amount:>{wide[side]}}{share:>9}"
        lines.append(line)
    if sum(row["device_pct"] or 0.0 for row in rows) > _WHOLE:
        lines.append("  on the device stages overlap: the shares sum to more than 100 %")
    return lines


def npu_steps(summary: Summary) -> list[str]:
    """Return the mean figures of a step on an NPU."""
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
    unit = choose_time_unit([max((value or 0.0) for value in means.values())], summary.unit)
    figures = [
        f"{words} {format_value(means[column], unit)} {unit.label}"
        for column, words in parts
        if means[column] is not None
    ]
    steps = "one step" if table.num_rows == 1 else f"mean of {format_count(table.num_rows, 'step')}"
    return [f"NPU by its recorder, {steps}", f"  {', '.join(figures)}"] if figures else []


def cores(summary: Summary) -> list[str]:
    """Return the kernel time by NPU core; nothing for other devices."""
    table = summary.table("accelerator_cores")
    if not table.num_rows:
        return []
    ranked = table.take(pc.sort_indices(table, sort_keys=[("total_us", "descending")]))
    parts = [
        f"{row['accelerator_core'] or 'unknown'} {format_pct(row['pct'])} %"
        for row in ranked.to_pylist()
    ]
    return [f"  on {', '.join(parts)}"]
