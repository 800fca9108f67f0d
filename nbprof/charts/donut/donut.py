"""Lays out a donut with labels beside its slices, connected by leader lines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nbprof.charts.chart import Chart, Items
from nbprof.charts.donut.labels import Frame, place_labels
from nbprof.charts.donut.ring import draw_ring, write_hole
from nbprof.charts.donut.slices import merge, top_slices
from nbprof.charts.marks import Tip
from nbprof.charts.text import fit_text, text_width
from nbprof.model.names.short_names import color_slots, short_name
from nbprof.model.units import choose_time_unit, format_number, format_pct, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from nbprof.charts.donut.slices import Slice

_TITLE_ROOM = 20
_FEW = 12  # a chart with more slices is taller
_NARROW = 400  # a chart with fewer pixels is taller, as its labels may take two lines


def donut_height(width: int, *, top: int | None = 0, titled: bool = True) -> int:
    """Return the height that suits a width.

    Parameters
    ----------
    width : int
        CSS pixels.
    top : int or None, optional
        Requested number of slices; None for all. Many slices need more height.
    titled : bool, optional
        Whether there is a line above the donut.
    """
    room = 206 if top is None or top > _FEW or width < _NARROW else 132
    return room + (_TITLE_ROOM if titled else 0)


def width_of(key: str, width: int | Mapping[str, int]) -> int:
    """Return the width of one of several donuts.

    Parameters
    ----------
    key : str
        Key of the donut.
    width : int or mapping of str to int
        Pixels for all donuts, or by key; the key ``""`` is for all keys that are not listed.
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
    kept: Collection[str] | None = None,
    label: Callable[[str], str] = short_name,
) -> Chart:
    """Lay out times by name as a donut: clockwise from the top, the largest first, remainder last.

    Parameters
    ----------
    names : sequence of str
        Full names; values of equal names are added up.
    values : sequence of float or None
        Microseconds; nulls and zeros have no slice.
    title : str, optional
        A line above it.
    width, height : int, optional
        CSS pixels.
    slot_of : callable, optional
        Colour slot of a name, see `nbprof.model.names.short_names.color_slots`; by default
        determined by the names given here, largest first.
    top : int or None
        Number of names with a slice of their own; None for all.
    unit : {"auto", "ns", "us", "ms", "s"}
        Unit of the total in the hole.
    kept : collection of str, optional
        The names that a filter by name keeps: all others are muted, percentages refer to all
        names, and the hole shows the time of both.
    label : callable, optional
        Returns the label of a name.

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
        label=label,
        color=lambda name: f"slot{slot(name)}",
        kept=kept,
    )
    total = math.fsum(value for _, value in ranked)
    time_unit = choose_time_unit([total], unit)
    written = format_number(total / time_unit.divisor, time_unit.decimals)
    hole = written, time_unit.label
    if kept is not None:
        own = math.fsum(value for name, value in ranked if name in kept)
        part = format_number(own / time_unit.divisor, time_unit.decimals)
        hole = part, f"of {written} {time_unit.label}"
        if title is not None:
            title = f"{title} ({format_pct(100 * own / total if total else 0.0)} % in the filter)"
    return labelled_donut(
        slices,
        hole=hole,
        write=lambda value: format_time(value, None if unit == "auto" else time_unit),
        title=title,
        width=width,
        height=height or donut_height(width, top=top, titled=title is not None),
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
    """Lay out given slices.

    Parameters
    ----------
    slices : sequence of Slice
        Clockwise from the top; without slices the ring is empty.
    hole : (str, str)
        The two lines in the hole, the first in bold.
    write : callable
        Returns the text of a value in the tooltip.
    title : str or None
        A line above the donut.
    width, height : int
        CSS pixels.
    value_title : str, optional
        Label of the value in the tooltip.
    """
    frame = Frame.of(width, height - (_TITLE_ROOM if title else 0))
    chart = Chart("donut", width, height)
    values = [s.value for s in slices]
    whole = math.fsum(values)
    pcts = [100 * value / whole for value in values]
    own = math.fsum(s.value for s in slices if not s.muted)
    filtered = any(s.muted for s in slices)
    columns: dict[str, list[Any]] = {
        "name": [s.name for s in slices],
        "label": [s.label for s in slices],
        "heading": [s.name or s.label for s in slices],
        "value": values,
        "pct": pcts,
        "value_text": [write(value) for value in values],
        "pct_text": [f"{format_pct(pct)} %" for pct in pcts],
        "muted": [int(s.muted) for s in slices],
        "part_text": [
            "outside" if s.muted else f"{format_pct(100 * s.value / own)} %" for s in slices
        ],
    }
    tips = [
        Tip(value_title, "value_text"),
        Tip("Share of all" if filtered else "Share", "pct_text"),
    ]
    tips += [Tip("Share of filter", "part_text")] if filtered else []
    draw_ring(
        chart,
        (frame.x, frame.y),
        (frame.inner, frame.outer),
        values,
        [s.color for s in slices],
        more=columns if slices else None,
        tips=tuple(tips) if slices else (),
    )
    chart.items = Items("ring", "slices", frame.x, height - frame.y, frame.inner, frame.outer)
    if title:
        text = title if text_width(title) <= width - 8 else title.partition(" (")[0]
        text = fit_text(text, width - 8, most=len(text))
        chart.write(frame.x, height - _TITLE_ROOM / 2, text, "muted", align="center")
    for label in place_labels(slices, frame):
        chart.leaders.add("line_strong", *label.leader)
        ink = "muted" if label.muted else "foreground"
        bold = not label.muted
        chart.write(*label.pct_at, label.pct, ink, align=label.pct_align, bold=bold)
        chart.write(*label.name_at, label.name, "muted", align=label.name_align)
    at = frame.x, frame.y
    write_hole(chart, at, hole, room=2 * frame.inner - 10, offsets=(4, -11))
    return chart
