"""`EventSelection`: which events of a file become rows."""

from __future__ import annotations

from typing import Final

import msgspec

#: A bound beyond all times, in nanoseconds.
FAR: Final = 2**62


class EventSelection(msgspec.Struct, frozen=True):
    """Which events become rows.

    Attributes
    ----------
    low, high : int
        The half-open time range, in nanoseconds from the base of the file.
    frames : bool
        Whether Python frames become rows.
    arrows : bool
        Whether flow events outside of the range become rows; kernels without a correlation id need
        them.
    work : bool
        Whether runtime calls and device work outside of the range become rows; they determine how
        long steps are, and what launched a kernel.
    pids : tuple of str
        The processes whose events become rows; empty for all.
    """

    low: int = -FAR
    high: int = FAR
    frames: bool = True
    arrows: bool = True
    work: bool = True
    pids: tuple[str, ...] = ()

    @property
    def ranged(self) -> bool:
        """Whether the time range is limited."""
        return self.low > -FAR or self.high < FAR


ALL_EVENTS: Final = EventSelection()
