"""The bars of the step chart, and what the pointer does on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.core.properties import expr
from bokeh.models import BoxSelectTool, ColumnDataSource, Stack, TapTool, VArea, VBar

from nbprof.charts.canvas import place, vary
from nbprof.charts.tooltip import add_tooltip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bokeh.plotting import figure

    from nbprof.charts.bars.series import Series
    from nbprof.charts.steps.plane import Plane
    from nbprof.charts.theme import Palette

_AREA = 2  # pixels from bar to bar under which they are drawn as areas
_OUTLINED = 4  # pixels from bar to bar from which there is a gap between them


def draw_bars(
    made: figure,
    source: ColumnDataSource,
    plane: Plane,
    colors: Palette,
    series: Sequence[Series],
) -> None:
    """Draw the series, columns of the source, one on the other.

    Bars narrower than two pixels would blur into each other at their edges; there the series
    are areas through the same numbers.
    """
    names = [one.key for one in series]
    narrow = plane.slot < _AREA
    drawn = _slowest(source, plane, names) if narrow else source
    below = expr(Stack(fields=[]))
    for count, one in enumerate(series, 1):
        name = one.key
        above = expr(Stack(fields=names[:count]))
        look = fill_look(one, colors)
        if narrow:
            place(made, drawn, VArea(x="index", y1=below, y2=above, **look), name)
        else:
            bar = VBar(
                x="index",
                width=plane.bar,
                bottom=below,
                top=above,
                line_color=colors.background if plane.slot >= _OUTLINED else None,
                **look,
            )
            dimmed = vary(bar, fill_alpha=0.4, hatch_alpha=0.4)
            place(made, drawn, bar, name, dimmed=dimmed)
        below = above


def fill_look(series: Series, colors: Palette) -> dict[str, Any]:
    """Return fill and hatching of a series."""
    color = series.color(colors)
    if not series.hatched:
        return {"fill_color": color}
    return {
        "fill_color": colors.background,
        "hatch_pattern": "/",
        "hatch_color": color,
        "hatch_scale": 8,
        "hatch_weight": 2,
    }


def _slowest(source: ColumnDataSource, plane: Plane, names: Sequence[str]) -> ColumnDataSource:
    """Return, where steps are narrower than a pixel, the slowest one of each pixel."""
    group = plane.merged
    if group == 1:
        return source
    total = np.asarray(source.data["total"])
    starts = range(0, len(total), group)
    rows = np.array([start + int(total[start : start + group].argmax()) for start in starts])
    wanted = ("index", *names)
    kept: dict[str, Any] = {name: np.asarray(source.data[name])[rows] for name in wanted}
    return ColumnDataSource(kept, name="drawn")


def add_pointer(
    made: figure,
    source: ColumnDataSource,
    plane: Plane,
    colors: Palette,
    series: Sequence[Series],
    *,
    total: bool = True,
) -> None:
    """Let a step be pointed at, clicked and brushed over its whole height."""
    width = 1.0 if plane.slot < 24 else min(plane.bar + 0.1, 1.0)
    # Without a fill nothing is painted, and the pointer finds it all the same.
    glyph = VBar(x="index", width=width, bottom=0, top=plane.high, fill_color=None, line_color=None)
    hovered = vary(glyph, fill_color=colors.foreground, fill_alpha=0.08)
    bars = place(made, source, glyph, "bars", hovered=hovered)
    unit = plane.unit
    number = "{0,0" + (f".{'0' * unit.decimals}" if unit.decimals else "") + f"}} {unit.label}"
    rows = [("Step", "@step")]
    if total:
        rows.append(("Total", f"@total{number}"))
    # From top to bottom, as the segments stand.
    rows += [(one.label, f"@{one.key}{number}") for one in reversed(series)]
    if "recorded" in source.data:
        rows.append(("Recorded", "@recorded"))
    add_tooltip(made, bars, rows, colors)
    brush = BoxSelectTool(dimensions="width", renderers=[bars])
    brush.overlay.update(
        fill_color=colors.accent, fill_alpha=0.14, line_color=colors.accent, line_dash="solid"
    )
    made.add_tools(TapTool(renderers=[bars]), brush)
    made.toolbar.active_drag = brush
