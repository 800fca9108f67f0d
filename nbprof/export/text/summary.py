"""The text summary of a trace: for terminals, logs, and readers without a browser."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc

from nbprof.analysis.operators.without_operator import without_operator
from nbprof.export.text.amounts import amount_width
from nbprof.export.text.cards import cores
from nbprof.export.text.table import cut_cells
from nbprof.model.contract.table import term_of
from nbprof.model.names.kernel_labels import label_by
from nbprof.model.names.short_names import display_name
from nbprof.model.trace.kinds import CATEGORIES
from nbprof.model.units import (
    choose_time_unit,
    counts_as_share,
    device_label,
    format_bytes,
    format_count,
    format_pct,
    format_time,
    format_value,
)
from nbprof.model.visible_text import printable
from nbprof.registry import resolved

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nbprof.export.summary_part import SummaryPart
    from nbprof.export.summary_tables import Summary
    from nbprof.model.units import TimeUnit

#: Size that terminals and logs show without scrolling and wrapping.
COLUMNS: Final = 100
LINES: Final = 60

#: Number of operators and kernels listed.
TOP: Final = 5

#: Columns of devices by what their percentages refer to.
_USES: Final = (
    (
        "",  # of the steps, or of the range without steps
        (("utilization_pct", "utilization"), ("sm_efficiency_pct", "SM efficiency")),
    ),
    (
        "of kernel time",
        (
            ("occupancy_pct", "occupancy"),
            ("occupancy_unknown_pct", ""),
            ("matrix_unit_pct", ""),
            ("matrix_unit_unknown_pct", ""),
            ("ai_core_pct", "AI Cores"),
        ),
    ),
    (
        "of the time recorded",
        (("process_cpu_pct", "this process"), ("system_cpu_pct", "all processes")),
    ),
)

#: Number of devices listed.
_DEVICES: Final = 4

#: Number of recommendations listed.
_ADVISED: Final = 5
_ONCE: Final = "overlapping work counts once"
_LABEL: Final = 24
_BAR: Final = 40
_NAME: Final = 64


def summary_text(summary: Summary, parts: Sequence[SummaryPart]) -> str:
    """Return a summary as text of at most `LINES` lines with `COLUMNS` terminal columns.

    Parameters
    ----------
    summary : Summary
        The tables to show.
    parts : sequence of SummaryPart
        Sections in the order of the views.

    Returns
    -------
    str
        Lines without a newline at the end.
    """
    placed = sorted(parts, key=lambda part: part.text_place)
    sections = (summary.head(), *(resolved(part.text)(summary) for part in placed if part.text))
    lines: list[str] = []
    for section in sections:
        if section:
            lines += ["", *section] if lines else section
    lines = [cut_cells(printable(line), COLUMNS).rstrip() for line in lines]
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], f"… and {len(lines) - LINES + 1} more lines"]
    return "\n".join(lines)


def steps(summary: Summary) -> list[str]:
    """Return the average step by category."""
    rows = summary.table("overview").to_pylist()
    if not rows or rows[0]["avg_us"] is None:
        return ["No step matches the filter."] if summary.trace.active_filter else []
    first, *categories = rows
    if not first["avg_us"] and not summary.trace.model.steps.recorded:
        return []  # a recording without times
    if not summary.has_slices:
        return []  # a recording of memory alone
    unit = choose_time_unit([first["avg_us"]], summary.unit)
    wide = amount_width(first["avg_us"], unit)
    whole = f"{_amount(first['avg_us'], unit):>{wide}}{'100.0 %':>9}"
    over = _averaged(summary)
    lines = [f"{summary.step_title:<{_LABEL}}{whole}  {over}"]
    for row in categories:
        if row["avg_us"]:
            bar = "█" * round(_BAR * (row["pct"] or 0) / 100)
            share = f"{format_pct(row['pct'])} %"
            amount = _amount(row["avg_us"], unit)
            title = row["category"]
            if title == CATEGORIES["other"]:
                title = summary.trace.active_filter.other
            lines.append(f"  {title:<{_LABEL - 2}}{amount:>{wide}}{share:>9}  {bar}")
    return lines


def _averaged(summary: Summary) -> str:
    """Return the phrase that says which steps were averaged, or what counts as the only one."""
    model = summary.trace.model
    if not model.steps.recorded:
        # Operators may begin later, and end earlier, than the device's work.
        step_us = summary.table("overview")["avg_us"][0].as_py()
        recording_us = model.metadata.get("end_ns", 0) / 1000.0
        if summary.trace.active_filter.time_us or step_us > 0.99 * recording_us:
            return _ONCE
        return f"first to last operator, of {format_time(recording_us)} recorded"
    complete = pc.sum(summary.table("steps")["complete"]).as_py() or 0
    if complete == 1:
        return f"one complete step, {_ONCE}"
    return f"mean of {format_count(complete, 'complete step')}, {_ONCE}"


def devices(summary: Summary) -> list[str]:
    """Return the utilization of the devices and their time by category."""
    blocks = []
    table = summary.table("device_summary")
    units, of_time = term_of(table, "matrix_unit_pct"), f"of {summary.step_time}"
    # Devices without known matrix units have no term for them.
    for row in table.to_pylist():
        doubt = counts_as_share(row.get("matrix_unit_unknown_pct"))
        unrated = counts_as_share(row.get("occupancy_unknown_pct"))
        labels = {
            "utilization_pct": term_of(table, "utilization_pct") or "utilization",
            "occupancy_unknown_pct": "occupancy unknown" if unrated else None,
            "matrix_unit_pct": units,
            "matrix_unit_unknown_pct": "unknown" if units and doubt else None,
        }
        parts = [
            f"  {whole or of_time}: {', '.join(found)}"
            for whole, columns in _USES
            if (
                found := [
                    f"{shown} {format_pct(row[column])} %"
                    for column, label in columns
                    if (shown := labels.get(column, label)) and row.get(column) is not None
                ]
            )
        ]
        name = f" {row['name']}" if row["name"] else ""
        if parts:
            head = f"{device_label(row['device_type'], row['device'])}{name}"
            blocks.append([head, *parts])
    more = len(blocks) - _DEVICES
    lines = [line for block in blocks[:_DEVICES] for line in block]
    if lines and (words := summary.trace.active_filter.beside_devices):
        lines.append(f"  {words}")
    return lines + ([f"and {format_count(more, 'device')} more"] if more > 0 else [])


def components(summary: Summary) -> list[str]:
    """Return the peak reserved by each allocator, if the recorder tracks them."""
    rows = summary.table("memory_components").to_pylist()
    by_device: dict[int | None, list[str]] = {}
    for row in rows:
        if row["source"] == "profiler":
            peak = f"{row['component']} {format_bytes(row['peak_reserved_bytes'])}"
            by_device.setdefault(row["device"], []).append(peak)
    return [
        f"Peak memory reserved{'' if len(by_device) == 1 else f' on {device}'}: {', '.join(peaks)}"
        for device, peaks in list(by_device.items())[:_DEVICES]
    ]


def operators(summary: Summary) -> list[str]:
    """Return the operators with the most time."""
    measure = summary.measure
    side = "device" if measure.startswith("device") else "host"
    shown = _top(summary, "operators", measure, f"Operators by {side} self time", str)
    left = without_operator(summary.trace.model, summary.trace.active_filter).sentence
    return shown + (textwrap.wrap(f"{left}.", COLUMNS - 2) if shown and left else [])


def kernels(summary: Summary) -> list[str]:
    """Return the kernels with the most time, and the cores they ran on."""
    label = label_by(summary.trace.model, display_name)
    shown = _top(summary, "kernels", "total_us", "Kernels by total time", label)
    return shown + cores(summary)


def _top(
    summary: Summary, name: str, measure: str, title: str, shown: Callable[[str], str]
) -> list[str]:
    table = summary.table(name)
    total = pc.sum(table[measure]).as_py()
    rows = summary.top(name, measure, TOP) if total else []
    if not rows:
        return []
    unit = choose_time_unit([row[measure] for row in rows], summary.unit)
    of_whole = None if summary.unit == "auto" else choose_time_unit([total], summary.unit)
    whole = format_time(total, of_whole)
    wide = amount_width(max(row[measure] for row in rows), unit)
    lines = [f"{title}: {format_count(table.num_rows, 'name')}, {whole} (100 %)"]
    for row in rows:
        share = f"{format_pct(100 * row[measure] / total)} %"
        amount, calls = _amount(row[measure], unit), f"{row['calls']:,}\N{MULTIPLICATION SIGN}"
        text = cut_cells(printable(shown(row["name"])), _NAME)
        lines.append(f"{amount:>{wide}}{share:>9}{calls:>11}  {text}")
    return lines


def advice(summary: Summary) -> list[str]:
    """Return the recommendations."""
    rows: Sequence[dict[str, Any]] = summary.table("recommendations").to_pylist()
    words = summary.trace.active_filter.beside_devices
    lines = [f"Recommendations{f', {words}' if words else ''}"] if rows else []
    for row in rows[:_ADVISED]:
        lines += _wrapped(f"{row['severity']}: {row['message']}")
    if len(rows) > _ADVISED:
        lines.append(f"  and {len(rows) - _ADVISED} more")
    return lines


def _wrapped(text: str) -> list[str]:
    """Break a sentence into at most three lines."""
    return textwrap.wrap(
        printable(text),
        COLUMNS - 4,
        initial_indent="  ",
        subsequent_indent="    ",
        max_lines=3,
        placeholder=" …",
    )


def _amount(value_us: float | None, unit: TimeUnit) -> str:
    return f"{format_value(value_us or 0.0, unit)} {unit.label}"
