"""Places the labels beside a donut, each with a leader line, so that none overlap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from nbprof.charts.donut.slices import angles
from nbprof.charts.layout import spread
from nbprof.charts.text import fit_text, text_width
from nbprof.model.units import format_pct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.charts.donut.slices import Slice

Point: TypeAlias = tuple[float, float]

#: Up to this number of slices, each one is labelled, whatever its share.
_FEW: Final = 9
#: Minimum share of a labelled slice if there are more.
_LEAST_PCT: Final = 1.0
#: Characters of a name that should remain; if fewer would, labels take two lines.
_ENOUGH: Final = 14
_LINE: Final = 14  # pixels between lines
_SPACE: Final = 4  # between percentage and name
_BEND: Final = 6  # pixels before the label over which its leader line is horizontal
_GRAZE: Final = 2  # pixels by which a leader line may overlap the ring


@dataclass(frozen=True)
class Frame:
    """The ring and the space around it, in pixels from the lower left corner.

    Parameters
    ----------
    width, height : float
        Size of the space.
    x, y : float
        Centre of the ring.
    outer, inner : float
        Its radii.
    gap : float
        Distance from the ring to the labels.
    """

    width: float
    height: float
    x: float
    y: float
    outer: float
    inner: float
    gap: float

    @classmethod
    def of(cls, width: float, height: float) -> Frame:
        """Return the ring that leaves enough space for labels in a frame of this size."""
        outer = max(min(height / 2 - 18, width * 0.16), 12.0)
        gap = 22.0 if width >= 400 else 16.0
        return cls(width, height, width / 2, height / 2, outer, outer * 0.66, gap)

    def room(self) -> float:
        """Return the pixels available to a label on either side."""
        return self.width / 2 - self.outer - self.gap - 2


@dataclass(frozen=True)
class Label:
    """One label: two texts, the line that leads to them, and whether the slice is muted."""

    pct: str
    pct_at: Point
    pct_align: str
    name: str
    name_at: Point
    name_align: str
    leader: tuple[Point, ...]
    muted: bool


def place_labels(slices: Sequence[Slice], frame: Frame) -> list[Label]:
    """Place labels on the side of their slices, as many as fit.

    The remainder has priority, then the largest slices; muted slices come last. If there are many
    slices, those under 1 % get no label, unless others are muted. Percentages refer to the whole.
    A label takes one line, or two if names would otherwise be cut too short.

    Parameters
    ----------
    slices : sequence of Slice
        Clockwise from the top.
    frame : Frame
        The ring.
    """
    whole = math.fsum(s.value for s in slices)
    middles = [(start + end) / 2 for start, end in angles([s.value for s in slices])]
    if len(slices) == 1:
        middles = [0.0]
    shares = [100 * s.value / whole for s in slices]
    ranked = sorted(
        range(len(slices)), key=lambda i: (slices[i].muted, slices[i].name != "", -shares[i])
    )
    many = len(slices) > _FEW
    filtered = any(one.muted for one in slices)
    if many:
        in_filter = {i for i in ranked if filtered and not slices[i].muted}
        ranked = [i for i in ranked if shares[i] >= _LEAST_PCT or i in in_filter]
    stacked = _cuts_names(slices, shares, ranked, frame)
    labels = []
    for side in (1, -1):
        here = [i for i in ranked if (math.cos(middles[i]) >= 0) == (side > 0)]
        for i, y in _heights(here, middles, frame, _LINE * (2 if stacked else 1), many=many):
            pct = _pct_text(shares[i])
            edge = _edge(middles[i], frame)
            labels.append(_label(slices[i], pct, frame, side=side, y=y, edge=edge, stacked=stacked))
    return labels


def _heights(
    ranked: Sequence[int], middles: Sequence[float], frame: Frame, pitch: float, *, many: bool
) -> list[tuple[int, float]]:
    """Return the slices of one side that can be labelled, with the heights of their labels.

    Labels are left out, smallest first, while a leader line would cross the ring or, among many
    labels, would be too long.
    """
    margin = pitch / 2
    chosen = list(ranked[: int((frame.height - pitch) / pitch) + 1])
    while True:
        here = sorted(chosen, key=lambda i: math.sin(middles[i]))
        edges = [_edge(middles[i], frame) for i in here]
        places = spread([y for _, y in edges], pitch, margin, frame.height - margin)
        if not any(
            _crosses(edge, y, frame) or (many and abs(edge[1] - y) > 2 * pitch)
            for edge, y in zip(edges, places, strict=True)
        ):
            return list(zip(here, places, strict=True))
        chosen.pop()


def _crosses(edge: Point, y: float, frame: Frame) -> bool:
    """Return whether a leader line from the ring to a height beside it crosses the ring."""
    x0, y0 = edge[0] - frame.x, edge[1] - frame.y
    dx = math.copysign(frame.outer + frame.gap - _BEND, x0) - x0
    dy = y - frame.y - y0
    # The point of the line that is nearest to the centre.
    part = min(max(-(x0 * dx + y0 * dy) / (dx * dx + dy * dy), 0.0), 1.0)
    return math.hypot(x0 + part * dx, y0 + part * dy) < frame.outer - _GRAZE


def _edge(middle: float, frame: Frame) -> Point:
    """Return the point just outside the middle of a slice."""
    reach = frame.outer + 2
    return frame.x + reach * math.cos(middle), frame.y + reach * math.sin(middle)


def _cuts_names(
    slices: Sequence[Slice], shares: Sequence[float], chosen: Sequence[int], frame: Frame
) -> bool:
    """Return whether one-line labels would cut any name too short."""
    for i in chosen:
        room = frame.room() - text_width(_pct_text(shares[i]), bold=True) - _SPACE
        name = slices[i].label
        if len(fit_text(name, room)) < min(len(name), _ENOUGH):
            return True
    return False


def _pct_text(share: float) -> str:
    return f"{format_pct(share)} %"


def _label(
    of: Slice, pct: str, frame: Frame, *, side: int, y: float, edge: Point, stacked: bool
) -> Label:
    """Lay out one label at a height."""
    name, muted = of.label, of.muted
    x = frame.x + side * (frame.outer + frame.gap)
    bend = x - side * _BEND
    leader = (edge, (bend, y), (x - side * 3, y))
    near, far = ("left", "right") if side > 0 else ("right", "left")
    if stacked:
        text = fit_text(name, frame.room())
        return Label(pct, (x, y + 6), near, text, (x, y - 6.5), near, leader, muted)
    # Both texts are aligned to the point between them, so that in a wider font than expected they
    # grow away from it, towards the leader line and the margin.
    meet = x + side * text_width(pct, bold=True)
    room = frame.room() - abs(meet - x) - _SPACE
    start = meet + side * _SPACE
    return Label(pct, (meet, y), far, fit_text(name, room), (start, y), near, leader, muted)
