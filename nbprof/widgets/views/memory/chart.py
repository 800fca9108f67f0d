"""The chart of the memory view: memory in use and reserved over time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nbprof.model.filters import selection
from nbprof.widgets.views.memory.compared import memory_baseline
from nbprof.widgets.views.memory.devices import chosen_curve_kind, chosen_device

if TYPE_CHECKING:
    from nbprof.charts.chart import Chart
    from nbprof.widgets.views.drawing.look import Look
    from nbprof.widgets.views.drawing.screen import Screen


def curve_chart(screen: Screen, look: Look) -> Chart | None:
    """Return the chart of memory over time; None if there is nothing to draw."""
    from nbprof import charts

    session, state = screen.session, screen.state
    marked = look.memory.range_us
    lens = replace(look.memory, range_us=None, sizes=None)  # the curve is that of the filter
    model = screen.trace.model
    kind = chosen_curve_kind(model, chosen_device(model, lens.device), lens.by)
    curve, peak = lens.table(session, state, "memory_curve"), lens.peaks(session, state)
    if not (curve if kind == "component" else peak).num_rows:
        return None
    starts, ends = selection.window(model, state.filter) or ([0], [model.metadata.get("end_ns", 0)])
    recorded = model.steps.recorded
    baseline = memory_baseline(session, state, look.align)
    return charts.memory_curve(
        curve,
        peak,
        screen.table("steps") if recorded else None,
        screen.table("memory_categories"),
        by=kind,
        range_us=(starts[0] / 1000, ends[-1] / 1000),
        marked_us=marked,
        width=look.width("memory"),
        unit=look.unit,
        baseline=baseline,
    )
