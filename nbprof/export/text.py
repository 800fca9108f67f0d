"""One trace in a page of text: for terminals, logs, and readers without a browser."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from nbprof.export.text_table import printable
from nbprof.model.names import display_name, middle_cut
from nbprof.model.units import (
    choose_time_unit,
    format_count,
    format_number,
    format_pct,
    format_time,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nbprof.model.units import TimeUnit
    from nbprof.trace import Trace

#: The page: what a terminal and a log show without scrolling and wrapping.
COLUMNS: Final = 100
LINES: Final = 60

#: Operators and kernels named.
TOP: Final = 5

#: Devices told.
_DEVICES: Final = 4

#: Recommendations told.
_ADVISED: Final = 5
_LABEL: Final = 24
_BAR: Final = 40
_NAME: Final = 64


def trace_text(trace: Trace) -> str:
    """Return the summary of a trace under its filter, `LINES` lines of `COLUMNS` at most.

    Parameters
    ----------
    trace : Trace
        Read, if it has not been.

    Returns
    -------
    str
        Lines without a newline at the end.
    """
    sections = (_head(trace), _steps(trace), _devices(trace), *_tops(trace), _advice(trace))
    lines: list[str] = []
    for section in sections:
        if section:
            lines += ["", *section] if lines else section
    lines = [middle_cut(printable(line), COLUMNS).rstrip() for line in lines]
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], f"… and {len(lines) - LINES + 1} lines more"]
    return "\n".join(lines)


def _head(trace: Trace) -> list[str]:
    metadata = trace.model.metadata
    events, steps = metadata.get("events", 0), trace.model.steps
    of_steps = format_count(len(steps.number), "step") if steps.recorded else "no steps recorded"
    span = format_time(metadata.get("end_ns", 0) / 1000.0)
    lines = [
        f"Run {trace.run}, worker {trace.worker}, span {trace.span}",
        f"{of_steps}, {events:,} events, {span}",
    ]
    narrowed = ", ".join(text for _, text in trace.active_filter.describe())
    if narrowed:
        lines.append(f"Filtered to {narrowed}")
    warnings = trace.warnings()
    if warnings.num_rows:
        count = pc.sum(warnings["count"]).as_py()
        kinds = ", ".join(warnings["kind"].to_pylist())
        lines.append(f"Repaired, dropped or odd while reading: {count:,} ({kinds})")
    return lines


def _steps(trace: Trace) -> list[str]:
    rows = trace.overview().to_pylist()
    if not rows or rows[0]["avg_us"] is None:
        return ["No step lies in the filter."] if trace.active_filter else []
    first, *categories = rows
    unit = choose_time_unit([first["avg_us"]])
    lines = [f"{'Average step':<{_LABEL}}{_amount(first['avg_us'], unit):>12}"]
    for row in categories:
        if row["avg_us"]:
            bar = "█" * round(_BAR * (row["pct"] or 0) / 100)
            share = f"{format_pct(row['pct'])} %"
            amount = _amount(row["avg_us"], unit)
            lines.append(f"  {row['category']:<{_LABEL - 2}}{amount:>12}{share:>9}  {bar}")
    return lines


def _devices(trace: Trace) -> list[str]:
    lines = []
    for row in trace.device_summary().to_pylist():
        parts = [
            f"{label} {format_pct(row[column])} %"
            for column, label in (
                ("utilization_pct", "utilization"),
                ("sm_efficiency_pct", "SM efficiency"),
                ("occupancy_pct", "occupancy"),
                ("tensor_core_pct", "Tensor Cores"),
            )
            if row[column] is not None
        ]
        name = f" {row['name']}" if row["name"] else ""
        number = "" if row["device"] is None else f" {row['device']}"
        if parts:
            lines.append(f"{str(row['device_type']).upper()}{number}{name}")
            lines.append(f"  {', '.join(parts)}")
    more = len(lines) // 2 - _DEVICES
    return lines[: 2 * _DEVICES] + (
        [f"and {format_count(more, 'device')} more"] if more > 0 else []
    )


def _tops(trace: Trace) -> tuple[list[str], list[str]]:
    operators, kernels = trace.operators(), trace.kernels()
    measure = "device_self_us"
    if operators[measure].null_count == operators.num_rows:
        measure = "host_self_us"
    side = "device" if measure.startswith("device") else "host"
    return (
        _top(operators, measure, f"Operators by {side} self time", str),
        _top(kernels, "total_us", "Kernels by total time", display_name),
    )


def _top(table: pa.Table, measure: str, title: str, shown: Callable[[str], str]) -> list[str]:
    total = pc.sum(table[measure]).as_py()
    if not total:
        return []
    order = pc.sort_indices(table, sort_keys=[(measure, "descending")])
    rows = table.take(order.slice(0, TOP)).to_pylist()
    unit = choose_time_unit([row[measure] for row in rows])
    lines = [f"{title}: {format_count(table.num_rows, 'name')}, {format_time(total)}"]
    for row in rows:
        if row[measure]:
            share = f"{format_pct(100 * row[measure] / total)} %"
            amount, calls = _amount(row[measure], unit), f"{row['calls']:,}\N{MULTIPLICATION SIGN}"
            name = middle_cut(printable(shown(row["name"])), _NAME)
            lines.append(f"{amount:>12}{share:>9}{calls:>11}  {name}")
    return lines


def _advice(trace: Trace) -> list[str]:
    rows: Sequence[dict[str, Any]] = trace.recommendations().to_pylist()
    lines = ["Recommendations"] if rows else []
    for row in rows[:_ADVISED]:
        lines += _wrapped(f"{row['severity']}: {row['message']}")
    if len(rows) > _ADVISED:
        lines.append(f"  and {len(rows) - _ADVISED} more")
    return lines


def _wrapped(text: str) -> list[str]:
    """Break a sentence into two lines at most."""
    return textwrap.wrap(
        printable(text),
        COLUMNS - 4,
        initial_indent="  ",
        subsequent_indent="    ",
        max_lines=2,
        placeholder=" …",
    )


def _amount(value_us: float | None, unit: TimeUnit) -> str:
    return f"{format_number((value_us or 0) / unit.divisor, unit.decimals)} {unit.label}"
