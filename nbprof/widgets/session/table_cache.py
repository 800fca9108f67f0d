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
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of `key`, computing it with `make` if it is missing."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                value: T = self._kept[key]
                return value
        value = make()
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and self._is_too_much():
                self._kept.popitem(last=False)
        return value

    def _is_too_much(self) -> bool:
        if len(self._kept) > self._size:
            return True
        if self._most_bytes is None:
            return False
        return sum(getattr(value, "nbytes", 0) for value in self._kept.values()) > self._most_bytes

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self._kept)
