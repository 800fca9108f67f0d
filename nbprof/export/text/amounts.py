"""Determines the width of columns of times in text summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.model.units import format_time

if TYPE_CHECKING:
    from nbprof.model.units import TimeUnit

#: Enough for times in a unit that suits them; nanoseconds take more digits.
_LEAST = 12


def amount_width(largest_us: float, unit: TimeUnit) -> int:
    """Return the width of a column in characters, given its largest time.

    Parameters
    ----------
    largest_us : float
        Microseconds.
    unit : TimeUnit
        The unit of the column.
    """
    return max(_LEAST, len(format_time(largest_us, unit)) + 2)
