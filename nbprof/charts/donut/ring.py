"""Lays out a small donut without labels, whose legend is the table beside it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from nbprof.charts.chart import Chart
from nbprof.charts.context import MUTED
from nbprof.charts.donut.slices import angles
from nbprof.charts.marks import Source, WedgeMark
from nbprof.charts.text import SMALL, TITLE, fit_size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.charts.marks import Tip

_SIZE: Final = 148
_OUTER: Final = 72.0
_INNER: Final = 47.0


def ring(values: Sequence[float], tokens: Sequence[str], hole: tuple[str, str]) -> Chart:
    """Lay out shares of a whole, clockwise from the top.

    Parameters
    ----------
    values : sequence of float
        Sizes greater than 0; without any the ring is empty.
    tokens : sequence of str
        The colour of each.
    hole : (str, str)
        The two lines in the hole, the first in bold.
    """
    chart = Chart("donut", _SIZE, _SIZE)
    middle = _SIZE / 2
    draw_ring(chart, (middle, middle), (_INNER, _OUTER), values, tokens)
    write_hole(chart, (middle, middle), hole, room=2 * _INNER - 12, offsets=(6, -10))
    return chart


def draw_ring(
    chart: Chart,
    at: tuple[float, float],
    radii: tuple[float, float],
    values: Sequence[float],
    tokens: Sequence[str],
    *,
    more: Mapping[str, Sequence[Any]] | None = None,
    tips: tuple[Tip, ...] = (),
) -> None:
    """Add the slices, or an empty ring if there are none.

    Parameters
    ----------
    chart : Chart
        The chart to draw in, with pixels as coordinates.
    at, radii : (float, float)
        Middle; inner and outer radius.
    values, tokens
        As for `ring`.
    more : mapping of str to sequence, optional
        Further columns of the source ``slices``.
    tips : tuple of Tip, optional
        Tooltip of a slice, below its ``heading``.
    """
    inner, outer = radii
    spans = angles(values) if values else [(math.pi / 2, -1.5 * math.pi)]
    columns = {
        **(more or {}),
        "start": [start for start, _ in spans],
        "end": [end for _, end in spans],
        "color": list(tokens) if values else ["remainder"],
        # An outline would cover a slice of a pixel or two completely.
        "gap": [
            1.0 if (start - end) * outer > 4 and len(spans) > 1 else 0.0 for start, end in spans
        ],
        "ink": [MUTED if one else 1.0 for one in (more or {}).get("muted") or [0] * len(spans)],
    }
    source = Source("slices" if values else "empty", columns)
    heading = "heading" if tips else ""
    chart.marks.append(WedgeMark(source, *at, inner, outer, tips, heading))


def write_hole(
    chart: Chart,
    at: tuple[float, float],
    hole: tuple[str, str],
    *,
    room: float,
    offsets: tuple[float, float],
) -> None:
    """Write the two lines in the hole.

    Parameters
    ----------
    chart : Chart
        The chart to draw in, with pixels as coordinates.
    at : (float, float)
        Middle of the ring.
    hole : (str, str)
        The lines, the first in bold.
    room : float
        Pixels available to the first line; the second has 6 less.
    offsets : (float, float)
        Pixels from the middle up to each line.
    """
    (x, y), (first, second), (up, down) = at, hole, offsets
    size = fit_size(first, room, TITLE, bold=True)
    chart.write(x, y + up, first, "foreground", align="center", bold=True, size=size)
    size = fit_size(second, room - 6, SMALL)
    chart.write(x, y + down, second, "muted", align="center", size=size)
