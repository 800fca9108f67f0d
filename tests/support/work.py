"""Counts the work of a call, so that tests of speed give the same result on a loaded machine."""

from __future__ import annotations

import sys
import tracemalloc
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def peak(make: Callable[[], Any]) -> int:
    """Return the bytes that a call takes at most."""
    tracemalloc.start()
    try:
        make()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def calls(make: Callable[[], Any]) -> int:
    """Return how many functions a call calls in this thread, those of extensions included."""
    seen = 0

    def count(frame: Any, event: str, arg: Any) -> None:
        nonlocal seen
        seen += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        make()
    finally:
        sys.setprofile(None)
    return seen
