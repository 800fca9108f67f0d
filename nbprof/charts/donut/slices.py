"""Slices of a donut: merges equal names, ranks slices, joins small ones, computes angles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Most slices that one donut has: thinner ones could not be seen.
MOST_SLICES = 300
_REST = "remainder"


@dataclass(frozen=True)
class Slice:
    """One slice.

    Parameters
    ----------
    name : str
        Full name; empty for what was joined.
    label : str
        What stands beside it.
    value : float
        Its size.
    color : str
        Token of its fill.
    """

    name: str
    label: str
    value: float
    color: str


def merge(names: Sequence[str], values: Sequence[float | None]) -> list[tuple[str, float]]:
    """Add up values of equal names and rank them, largest first; nulls and zeros are dropped.

    Parameters
    ----------
    names : sequence of str
        Names, which may repeat.
    values : sequence of float or None
        As many values.
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
) -> list[Slice]:
    """Return the largest as slices of their own and all others as one, at the end.

    Parameters
    ----------
    ranked : sequence of (str, float)
        Names and values, largest first.
    top : int or None
        How many are slices of their own; None for all that can be seen, `MOST_SLICES` at most.
    label, color : callable
        What a name is labelled and filled with; the remainder is filled with ``remainder``.
    """
    shown = ranked[: MOST_SLICES if top is None else max(top, 1)]
    rest = ranked[len(shown) :]
    made = [Slice(name, label(name), value, color(name)) for name, value in shown]
    if rest:
        text = f"{len(rest):,} other{'s' if len(rest) > 1 else ''}"
        made.append(Slice("", text, math.fsum(value for _, value in rest), _REST))
    return made


def join_small(slices: Sequence[Slice], least_pct: float) -> list[Slice]:
    """Join all slices under a share of the whole, where there are two or more of them.

    Parameters
    ----------
    slices : sequence of Slice
        Largest first.
    least_pct : float
        Share, 0 to 100, under which a slice is joined.
    """
    whole = math.fsum(s.value for s in slices)
    small = [s for s in slices if 100 * s.value < least_pct * whole]
    if len(small) < 2:
        return list(slices)
    text = f"{len(small)} under {least_pct:g} %"
    joined = Slice("", text, math.fsum(s.value for s in small), _REST)
    return [*(s for s in slices if s not in small), joined]


def angles(values: Sequence[float]) -> list[tuple[float, float]]:
    """Return where each slice starts and ends, clockwise from twelve o'clock.

    Angles are in radians, counted counter-clockwise from three o'clock as Bokeh does; they fall
    from slice to slice, and the last ends one full turn below the first start.

    Parameters
    ----------
    values : sequence of float
        Sizes, each over 0.
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
