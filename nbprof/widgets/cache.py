"""A small cache of tables that several threads may use."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")


class RecentCache:
    """Keeps what was used last.

    Values are immutable and making them has no side effect, so that two threads that miss at the
    same time may both make one: nobody waits for another's computation, and nothing deadlocks.

    Parameters
    ----------
    size : int
        Values kept.
    most_bytes : int, optional
        What the values kept may take together, those that say what they take. The newest is kept
        whatever it takes: it is in use.
    """

    def __init__(self, size: int, most_bytes: int | None = None) -> None:
        self._size = size
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value under `key`, made by `make` where it is not there."""
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
        """Forget everything."""
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        """Return how many values are kept."""
        return len(self._kept)
