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
    """

    def __init__(self, size: int) -> None:
        self._size = size
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
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return value

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        """Return how many values are kept."""
        return len(self._kept)
