"""Lays out a donut whose slices are labelled beside it, with leader lines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nbprof.charts.chart import Chart
from nbprof.charts.donut.labels import Frame, place_labels
from nbprof.charts.donut.ring import draw_ring, write_hole
from nbprof.charts.donut.slices import merge, top_slices
from nbprof.charts.marks import Tip
from nbprof.charts.text import fit_text, text_width
from nbprof.model.names.short_names import color_slots, short_name
from nbprof.model.units import choose_time_unit, format_number, format_pct, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nbprof.charts.donut.slices import Slice

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
    width: int = 476,
    height: int | None = None,
    slot_of: Callable[[str], int] | None = None,
    top: int | None = 7,
    unit: str = "auto",
) -> Chart:
    """Lay out times by name as a donut: the largest clockwise from twelve, then all others as one.

    Parameters
    ----------
    names : sequence of str
        Full names; values of equal ones are added up.
    values : sequence of float or None
        Microseconds; nulls and zeros have no slice.
    title : str, optional
        A line above it.
    width, height : int, optional
        CSS pixels.
    slot_of : callable, optional
        Colour slot of a name, see `nbprof.model.names.short_names.color_slots`; by default made
        from the names given here, largest first.
    top : int or None
        How many names have a slice of their own; None for all.
    unit : {"auto", "us", "ms", "s"}
        Unit of the total in the hole.

    Returns
    -------
    Chart
        Its source ``"slices"`` has the columns name (empty for the remainder), label, value, pct,
        start, end and color.
    """
    ranked = merge(names, values)
    slot = slot_of or color_slots(name for name, _ in ranked)
    slices = top_slices(
        ranked,
        top,
        label=short_name,
        color=lambda name: f"slot{slot(name)}",
    )
    total = math.fsum(value for _, value in ranked)
    time_unit = choose_time_unit([total], unit)
    return labelled_donut(
        slices,
        hole=(format_number(total / time_unit.divisor, time_unit.decimals), time_unit.label),
        write=lambda value: format_time(value, None if unit == "auto" else time_unit),
        title=title,
        width=width,
        height=height or donut_height(width, many=top is None, titled=title is not None),
    )


def labelled_donut(
    slices: Sequence[Slice],
    *,
    hole: tuple[str, str],
    write: Callable[[float], str],
    title: str | None,
    width: int,
    height: int,
    value_title: str = "Time",
) -> Chart:
    """Lay out slices that are there already.

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
    width, height : int
        CSS pixels.
    value_title : str, optional
        What the tooltip calls the value.
    """
    frame = Frame.of(width, height - (_TITLE_ROOM if title else 0))
    chart = Chart("donut", width, height)
    values = [s.value for s in slices]
    whole = math.fsum(values)
    pcts = [100 * value / whole for value in values]
    columns: dict[str, list[Any]] = {
        "name": [s.name for s in slices],
        "label": [s.label for s in slices],
        "heading": [s.name or s.label for s in slices],
        "value": values,
        "pct": pcts,
        "value_text": [write(value) for value in values],
        "pct_text": [f"{format_pct(pct)} %" for pct in pcts],
    }
    draw_ring(
        chart,
        (frame.x, frame.y),
        (frame.inner, frame.outer),
        values,
        [s.color for s in slices],
        more=columns if slices else None,
        tips=(Tip(value_title, "value_text"), Tip("Share", "pct_text")) if slices else (),
    )
    if title:
        text = title if text_width(title) <= width - 8 else title.partition(" (")[0]
        text = fit_text(text, width - 8, most=len(text))
        chart.write(frame.x, height - _TITLE_ROOM / 2, text, "muted", align="center")
    for label in place_labels(slices, frame):
        chart.leaders.add("line_strong", *label.leader)
        chart.write(*label.pct_at, label.pct, "foreground", align=label.pct_align, bold=True)
        chart.write(*label.name_at, label.name, "muted", align=label.name_align)
    at = frame.x, frame.y
    write_hole(chart, at, hole, room=2 * frame.inner - 10, offsets=(4, -11))
    return chart
