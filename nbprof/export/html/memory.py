"""Memory section of the HTML summary: curves, and peaks of devices and components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow.compute as pc

from nbprof.charts.memory.curves import of_components
from nbprof.charts.memory.memory import memory_curve
from nbprof.charts.svg.drawing import STATIC_HEIGHT, STATIC_WIDTH, draw_svg
from nbprof.export.html.elements import (
    Column,
    Html,
    beside,
    image,
    join,
    note,
    section,
    table,
    text,
)
from nbprof.export.html.steps import memory_peaks
from nbprof.model.filters import selection
from nbprof.model.units import format_bytes, format_count, format_time

if TYPE_CHECKING:
    from nbprof.charts.theme import Palette
    from nbprof.export.summary_tables import Summary

#: Maximum number of devices drawn; more could not be distinguished.
_CURVES: Final = 8
#: Pixels that one column of a curve is wide, usually and in a small drawing.
_COLUMN: Final = 2
_WIDE_COLUMN: Final = 8
#: Maximum number of components in the table: the largest of each source.
_COMPONENTS: Final = 10


def memory(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the memory curves and peaks."""
    parts = [
        part
        for part in (_devices(summary, colors, unit), _components(summary, colors, unit))
        if part
    ]
    return section("Memory", *parts, wide=True) if parts else Html()


def _devices(summary: Summary, colors: Palette, unit: str) -> Html:
    peak = summary.table("memory_peak")
    if not peak.num_rows:
        return Html()
    words = "Allocated memory over time."
    if pc.max(summary.table("memory_curve")["reserved_bytes"]).as_py():
        words += " Dashes show memory reserved by the allocator."
    if "peak_allocated_bytes" in summary.table("memory_curve").column_names:
        words += " Dots show the peak of each so far."
    if summary.memory_baseline() is not None:
        words += " Long dashes show the baseline."
    more = peak.num_rows - _CURVES
    more_text = f" {format_count(more, 'device')} more not drawn." if more > 0 else ""
    curve = _curve_image(summary, colors, unit, "operator", words)
    return beside(join([curve, note(words + more_text)]), memory_peaks(summary))


def _components(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the curves of components and the peak reserved by each."""
    every = summary.table("memory_components").to_pylist()
    rows = [row for row in every if row["peak_reserved_bytes"]]
    if not rows:
        return Html()
    shown = [row for row in rows if row["source"] == "profiler"][:_COMPONENTS]
    modules = [row for row in rows if row["source"] != "profiler"]
    several = len({row["device"] for row in rows}) > 1
    lines = [
        (
            text(f"{row['device']}: {row['component']}" if several else row["component"]),
            text(row["source"]),
            format_bytes(row["peak_reserved_bytes"]),
            format_time(row["time_us"]),
        )
        for row in (*shown, *modules[:_COMPONENTS])
    ]
    columns = [
        Column("Component", "text"),
        Column("Source", "text"),
        Column("Peak reserved"),
        Column("At"),
    ]
    more = len(rows) - len(lines)
    rest = note(f"and {format_count(more, 'component')} more") if more > 0 else Html()
    listed = join([table(columns, lines), rest])
    if not of_components(summary.table("memory_curve")).num_rows:
        return listed
    words = "Memory of each component over time. Dashes show reserved memory."
    curve = _curve_image(summary, colors, unit, "component", words)
    return beside(join([curve, note(words)]), listed)


def _curve_image(summary: Summary, colors: Palette, unit: str, by: str, words: str) -> Html:
    trace = summary.trace
    model = trace.model
    window = selection.window(model, trace.active_filter)
    starts, ends = window or ([0], [model.metadata.get("end_ns", 0)])
    chart = memory_curve(
        summary.table("memory_curve"),
        summary.table("memory_peak"),
        summary.table("steps") if model.steps.recorded else None,
        by=by,
        range_us=(starts[0] / 1000, ends[-1] / 1000),
        width=STATIC_WIDTH,
        height=STATIC_HEIGHT,
        unit=unit,
        column=_WIDE_COLUMN if summary.compact else _COLUMN,
        most=_CURVES,
        baseline=summary.memory_baseline(),
    )
    return image(draw_svg(chart, colors), words, fluid=True)
