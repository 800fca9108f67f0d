"""`TraceWarning`: one kind of repair, inconsistency or note in a trace; imports no Arrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

#: Kinds that healthy recordings have, too: they are told, and nothing is wrong with the file.
NOTES: Final = frozenset(
    {
        "allocated before the recording",
        "allocated sizes unknown",
        "launched before the recording",
        "memory in no total",
        "no launches recorded",
        "occupancy of 0 computed",
        "occupancy of 0 unknown",
        "out of memory",
        "overlapping ranges",
        "several ranks in the file",
    }
)


@dataclass(frozen=True)
class TraceWarning:
    """One kind of repair, inconsistency or note: the number of occurrences, and an example.

    Parameters
    ----------
    kind : str
        Short identifier, such as ``"overlapping slices"``.
    count : int
        Number of occurrences.
    example : str
        A description of the first one; of a note a sentence about all, without a full stop.
    """

    kind: str
    count: int
    example: str

    @property
    def level(self) -> str:
        """``"note"`` for what healthy recordings have, too, otherwise ``"warning"``."""
        return "note" if self.kind in NOTES else "warning"
