"""`Slice`, and functions that merge equal names, rank slices, join small ones, compute angles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from nbprof.charts.context import shown_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

#: Maximum number of slices in a donut: thinner ones could not be seen.
MOST_SLICES = 300
_REST = "remainder"


@dataclass(frozen=True)
class Slice:
    """One slice.

    Parameters
    ----------
    name : str
        Full name; empty for joined slices.
    label : str
        Label beside it.
    value : float
        Its size.
    color : str
        Token of its fill.
    muted : bool
        Whether it is outside the filter.
    """

    name: str
    label: str
    value: float
    color: str
    muted: bool = False


def merge(names: Sequence[str], values: Sequence[float | None]) -> list[tuple[str, float]]:
    """Add up values of equal names and rank them, largest first; nulls and zeros are dropped.

    Parameters
    ----------
    names : sequence of str
        Names, which may repeat.
    values : sequence of float or None
        The value of each name.
    """
    sums: dict[str, float] = {}
    for name, value in zip(names, values, strict=True):
        if value is not None and math.isfinite(value) and value > 0:
            sums[name] = sums.get(name, 0.0) + value
    return sorted(sums.items(), key=lambda item: (-item[1], item[0]))


def top_slices(
    ranked: Sequence[tuple[str, float]],
    top: int | None,
    *,
    label: Callable[[str], str],
    color: Callable[[str], str],
    kept: Collection[str] | None = None,
) -> list[Slice]:
    """Return a slice for each of the largest values, and a last one for the remainder.

    Under a filter by name the slices stay those of the whole; slices outside the filter are muted.
    Further names that the filter keeps get slices after them, with a remainder of their own.

    Parameters
    ----------
    ranked : sequence of (str, float)
        Names and values, largest first.
    top : int or None
        Number of slices besides the remainder; None for `MOST_SLICES`.
    label, color : callable
        Return the label and the fill of a name; the fill of the remainder is ``remainder``.
    kept : collection of str, optional
        The names that a filter by name keeps.
    """
    shown = shown_names(ranked, MOST_SLICES if top is None else max(top, 1), kept)
    names = {name for name, _ in shown}
    rest = [one for one in ranked if one[0] not in names]
    made = [
        Slice(name, label(name), value, color(name), muted=kept is not None and name not in kept)
        for name, value in shown
    ]
    for muted in (False, True):
        own = [value for name, value in rest if (kept is not None and name not in kept) == muted]
        if own:
            where = " in the filter" if kept is not None and not muted else ""
            text = f"{len(own):,} other{'s' if len(own) > 1 else ''}{where}"
            made.append(Slice("", text, math.fsum(own), _REST, muted=muted))
    return made


def join_small(slices: Sequence[Slice], least_pct: float) -> list[Slice]:
    """Join all slices below a share of the whole, if there are two or more of them.

    Parameters
    ----------
    slices : sequence of Slice
        Largest first.
    least_pct : float
        Slices with a smaller share, from 0 to 100, are joined.
    """
    whole = math.fsum(s.value for s in slices)
    small = [s for s in slices if 100 * s.value < least_pct * whole]
    if len(small) < 2:
        return list(slices)
    text = f"{len(small)} under {least_pct:g} %"
    joined = Slice("", text, math.fsum(s.value for s in small), _REST)
    return [*(s for s in slices if s not in small), joined]


def angles(values: Sequence[float]) -> list[tuple[float, float]]:
    """Return the start and end angle of each slice; slices are placed clockwise from the top.

    Angles are in radians, counter-clockwise from three o'clock as in Bokeh. They decrease from
    slice to slice, and the last one ends a full turn below the start of the first.

    Parameters
    ----------
    values : sequence of float
        Sizes, each greater than 0.
    """
    whole = math.fsum(values)
    bounds = [math.pi / 2]
    so_far = 0.0
    for value in values:
        so_far += value
        bounds.append(math.pi / 2 - 2 * math.pi * min(so_far / whole, 1.0))
    if values:
        bounds[-1] = math.pi / 2 - 2 * math.pi
    return list(pairwise(bounds))
