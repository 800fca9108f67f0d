"""`RecentCache`: a thread-safe cache of recently used tables with a size limit."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")


class RecentCache:
    """A cache that drops the least recently used values.

    Values are immutable and computing them has no side effects, so two threads that miss at the
    same time may both compute a value: no thread waits for another, and nothing can deadlock.

    Parameters
    ----------
    size : int
        Maximum number of values.
    most_bytes : int, optional
        Maximum total bytes of values that report their size. The newest value is always kept, as it
        is in use.
    """

    def __init__(self, size: int, most_bytes: int | None = None) -> None:
        self._size = size
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        #: Values with their bytes, which Arrow counts anew, column by column, whenever it is asked.
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._bytes = 0

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of `key`, computing it with `make` if it is missing."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                kept: T = self._kept[key][0]
                return kept
        value = make()
        taken = getattr(value, "nbytes", 0)
        with self._lock:
            self._bytes += taken - self._kept.pop(key, (None, 0))[1]
            self._kept[key] = value, taken
            while len(self._kept) > 1 and self._is_too_much():
                self._bytes -= self._kept.popitem(last=False)[1][1]
        return value

    def _is_too_much(self) -> bool:
        too_large = self._most_bytes is not None and self._bytes > self._most_bytes
        return too_large or len(self._kept) > self._size

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self._kept)
