"""`remembered`: the file in memory of an object's last recording, made once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.sources.live.memory_file import MemoryFile

_lock = threading.Lock()
_files: WeakKeyDictionary[Any, tuple[object, MemoryFile]] = WeakKeyDictionary()


def remembered(profiler: Any, recording: object, make: Callable[[], MemoryFile]) -> MemoryFile:
    """Return the file of a recording: the same until the profiler has another recording.

    Parameters
    ----------
    profiler : object
        The file is forgotten with it.
    recording : object
        What the profiler holds of its recording; another recording is another object.
    make : callable
        Makes the file.
    """
    with _lock:
        known = _files.get(profiler)
    if known is not None and known[0] is recording:
        return known[1]
    file = make()
    with _lock:
        _files[profiler] = recording, file
    return file
