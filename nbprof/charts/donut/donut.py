"""A donut whose slices are labelled beside it, on leader lines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bokeh.models import AnnularWedge, ColumnDataSource, TapTool

from nbprof.charts.canvas import Lines, Texts, pixel_sheet, place, vary
from nbprof.charts.donut.labels import Frame, place_labels
from nbprof.charts.donut.slices import Slice, angles, merge, top_slices
from nbprof.charts.text import SMALL, TITLE, fit_size, fit_text, text_width
from nbprof.charts.theme import palette
from nbprof.charts.tooltip import add_tooltip, as_markup
from nbprof.model.names.names import color_slots, short_name
from nbprof.model.units import choose_time_unit, format_number, format_pct, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bokeh.plotting import figure

    from nbprof.charts.theme import Palette

_TITLE_ROOM = 20
_NARROW = 400  # pixels under which a chart is taller, as its labels may take two lines


def donut_height(width: int, *, many: bool = False, titled: bool = True) -> int:
    """Return the height that suits a width.

    Parameters
    ----------
    width : int
        CSS pixels.
    many : bool, optional
        Whether more than a handful of slices is drawn.
    titled : bool, optional
        Whether there is a line above the donut.
    """
    room = 206 if many or width < _NARROW else 132
    return room + (_TITLE_ROOM if titled else 0)


def width_of(key: str, width: int | Mapping[str, int]) -> int:
    """Return the width of one of several donuts.

    Parameters
    ----------
    key : str
        Which one.
    width : int or mapping of str to int
        Pixels of all of them, or by key, with that of all others under ``""``.
    """
    if isinstance(width, int):
        return width
    return width[key] if key in width else width[""]


def donut(
    names: Sequence[str],
    values: Sequence[float | None],
    *,
    title: str | None = None,
    theme: str = "light",
    width: int = 476,
    height: int | None = None,
    slot_of: Callable[[str], int] | None = None,
    top: int | None = 7,
    unit: str = "auto",
) -> figure:
    """Draw times by name as a donut: the largest clockwise from twelve, then all others as one.

    Parameters
    ----------
    names : sequence of str
        Full names; values of equal ones are added up.
    values : sequence of float or None
        Microseconds; nulls and zeros have no slice.
    title : str, optional
        A line above it.
    theme : {"light", "dark"}
        Colours.
    width, height : int, optional
        CSS pixels.
    slot_of : callable, optional
        Colour slot of a name, see `nbprof.model.names.names.color_slots`; by default made from the
        names given here, largest first.
    top : int or None
        How many names have a slice of their own; None for all.
    unit : {"auto", "us", "ms", "s"}
        Unit of the total in the hole.

    Returns
    -------
    bokeh.plotting.figure
        Its source ``"slices"`` has the columns name (empty for the remainder), label, value, pct,
        start, end and color.
    """
    colors = palette(theme)
    ranked = merge(names, values)
    slot = slot_of or color_slots(name for name, _ in ranked)
    slices = top_slices(
        ranked,
        top,
        label=short_name,
        color=lambda name: colors.slots[slot(name)],
        rest_color=colors.remainder,
    )
    total = math.fsum(value for _, value in ranked)
    time_unit = choose_time_unit([total], unit)
    return draw_donut(
        slices,
        hole=(format_number(total / time_unit.divisor, time_unit.decimals), time_unit.label),
        write=lambda value: format_time(value, None if unit == "auto" else time_unit),
        title=title,
        colors=colors,
        width=width,
        height=height or donut_height(width, many=top is None, titled=title is not None),
    )


def draw_donut(
    slices: Sequence[Slice],
    *,
    hole: tuple[str, str],
    write: Callable[[float], str],
    title: str | None,
    colors: Palette,
    width: int,
    height: int,
    value_title: str = "Time",
) -> figure:
    """Draw slices that are there already.

    Parameters
    ----------
    slices : sequence of Slice
        In their order, clockwise from twelve; none gives an empty ring.
    hole : (str, str)
        The two lines in the hole, the first in bold.
    write : callable
        Text of a value, for the tooltip.
    title : str or None
        A line above the donut.
    colors : Palette
        Colours.
    width, height : int
        CSS pixels.
    value_title : str, optional
        What the tooltip calls the value.
    """
    frame = Frame.of(width, height - (_TITLE_ROOM if title else 0))
    sheet = pixel_sheet("donut", width, height, colors)
    _ring(sheet, slices, frame, colors, write=write, value_title=value_title)
    texts, leaders = Texts(), Lines()
    if title:
        text = title if text_width(title) <= width - 8 else title.partition(" (")[0]
        text = fit_text(text, width - 8, most=len(text))
        texts.add(frame.x, height - _TITLE_ROOM / 2, text, colors.muted, align="center")
    for label in place_labels(slices, frame):
        leaders.add(*label.leader)
        texts.add(*label.pct_at, label.pct, colors.foreground, align=label.pct_align, bold=True)
        texts.add(*label.name_at, label.name, colors.muted, align=label.name_align)
    first, second = hole
    room = 2 * frame.inner - 10
    size = fit_size(first, room, TITLE, bold=True)
    texts.add(frame.x, frame.y + 4, first, colors.foreground, align="center", bold=True, size=size)
    size = fit_size(second, room - 6, SMALL)
    texts.add(frame.x, frame.y - 11, second, colors.muted, align="center", size=size)
    leaders.draw(sheet, colors.line_strong)
    texts.draw(sheet)
    return sheet


def _ring(
    sheet: figure,
    slices: Sequence[Slice],
    frame: Frame,
    colors: Palette,
    *,
    write: Callable[[float], str],
    value_title: str,
) -> None:
    """Draw the slices, or the empty ring where there is none."""
    if not slices:
        empty = AnnularWedge(
            x=frame.x,
            y=frame.y,
            inner_radius=frame.inner,
            outer_radius=frame.outer,
            start_angle=0,
            end_angle=2 * math.pi,
            fill_color=colors.remainder,
            line_color=None,
        )
        place(sheet, ColumnDataSource({"row": [0]}), empty, "empty")
        return
    whole = math.fsum(s.value for s in slices)
    spans = angles([s.value for s in slices])
    # A gap round a slice of a pixel or two would leave nothing of it.
    gaps = [1.0 if (a - b) * frame.outer > 4 and len(slices) > 1 else 0.0 for a, b in spans]
    source = ColumnDataSource(
        {
            "name": [s.name for s in slices],
            "label": [s.label for s in slices],
            "heading": as_markup(s.name or s.label for s in slices),
            "value": [s.value for s in slices],
            "pct": [100 * s.value / whole for s in slices],
            "start": [a for a, _ in spans],
            "end": [b for _, b in spans],
            "color": [s.color for s in slices],
            "gap": gaps,
            "value_text": [write(s.value) for s in slices],
            "pct_text": [f"{format_pct(100 * s.value / whole)} %" for s in slices],
        },
        name="slices",
    )
    glyph = AnnularWedge(
        x=frame.x,
        y=frame.y,
        inner_radius=frame.inner,
        outer_radius=frame.outer,
        start_angle="start",
        end_angle="end",
        direction="clock",
        fill_color="color",
        line_color=colors.background,
        line_alpha="gap",
    )
    dimmed = vary(glyph, fill_alpha=0.35)
    wedges = place(sheet, source, glyph, "slices", dimmed=dimmed)
    rows = [(value_title, "@value_text"), ("Share", "@pct_text")]
    add_tooltip(sheet, wedges, rows, colors, heading="heading")
    sheet.add_tools(TapTool(renderers=[wedges]))
