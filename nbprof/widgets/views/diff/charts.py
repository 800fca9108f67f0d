"""The waterfall of the diff view as a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.charts.waterfall import waterfall
from nbprof.widgets.views.diff.comparison import diff_table, difference

if TYPE_CHECKING:
    from nbprof.charts.chart import Chart
    from nbprof.widgets.views.drawing.look import Look
    from nbprof.widgets.views.drawing.screen import Screen


def waterfall_of(screen: Screen, look: Look) -> Chart | None:
    """Return the waterfall of the difference on screen; None without a baseline."""
    diff = difference(screen.session, screen.state)
    if diff is None:
        return None
    table = diff_table(screen.session, screen.state, diff, "waterfall")
    return waterfall(table, width=look.width("waterfall"), unit=look.unit)
