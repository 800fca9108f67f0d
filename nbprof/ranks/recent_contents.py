"""`RecentContents`: keeps the traces that were read last, up to a number of bytes.

Tables over workers need every rank again when the filter changes. The ranks of a small run stay in
memory for that; of a large run, most are read again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.content import Stamp, TraceContent

#: Bytes of the tables of all traces that are kept.
LARGEST: Final = 200_000_000


class RecentContents:
    """Contents of files, the last used last, at most `LARGEST` bytes of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Stamp, TraceContent] = OrderedDict()

    @property
    def nbytes(self) -> int:
        """Bytes of the tables of the traces that are kept."""
        with self._lock:
            return sum(one.nbytes for one in self._kept.values())

    def keep(self, content: TraceContent) -> None:
        """Keep a trace that has been read, and drop those used longest ago if there is no room."""
        with self._lock:
            self._kept[content.stamp] = content
            self._kept.move_to_end(content.stamp)
            total = sum(one.nbytes for one in self._kept.values())
            while total > LARGEST:
                _, oldest = self._kept.popitem(last=False)
                total -= oldest.nbytes

    def drop_all_but(self, wanted: Callable[[TraceContent], bool]) -> None:
        """Drop the traces that are not wanted, as those of files that have changed."""
        with self._lock:
            for stamp in [one for one, kept in self._kept.items() if not wanted(kept)]:
                del self._kept[stamp]
