"""What of a file's events becomes rows: a range of time, Python frames or not."""

from __future__ import annotations

from typing import Final

import msgspec

#: Times beyond which there are none, in ns.
FAR: Final = 2**62


class Taking(msgspec.Struct, frozen=True):
    """What becomes rows.

    Attributes
    ----------
    low, high : int
        The range, in nanoseconds on the file's own base; `high` is not in it.
    frames : bool
        Whether Python frames do.
    arrows : bool
        Whether arrows outside of the range do: kernels without a correlation need them.
    work : bool
        Whether calls of the runtime and device work outside of the range do: they tell how long
        steps are, and who launched a kernel.
    """

    low: int = -FAR
    high: int = FAR
    frames: bool = True
    arrows: bool = True
    work: bool = True

    @property
    def ranged(self) -> bool:
        """Whether a range is taken only."""
        return self.low > -FAR or self.high < FAR


TAKE_ALL: Final = Taking()
