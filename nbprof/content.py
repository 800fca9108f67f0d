"""What was read of a file, shared by all traces that show it.

Showing a directory again, or filtering a trace, must not read anything twice. A model is kept for
as long as some trace of the file, in the state that it was read in, is alive.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from nbprof.sources import read

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel
    from nbprof.sources import TraceFile

#: Path, size and time of the last change of a file, and whether it is read strictly.
Stamp = tuple[str, int, int, bool]

_lock = threading.Lock()
_contents: WeakValueDictionary[Stamp, TraceContent] = WeakValueDictionary()


class TraceContent:
    """The model of a file, read once. Made by `content_of`."""

    def __init__(self, file: TraceFile, stamp: Stamp) -> None:
        self.stamp = stamp
        self.file = file
        self._lock = threading.RLock()  # a progress callback may look at the trace
        self._model: TraceModel | None = None

    def read(self, progress: Any) -> TraceModel:
        """Return the model, reading the file first where that has not been done."""
        with self._lock:
            if self._model is None:
                self._model = read(self.file, strict=self.stamp[-1], progress=progress)
            return self._model

    @property
    def is_read(self) -> bool:
        """Whether the file has been read."""
        return self._model is not None


def stamp_of(file: TraceFile, *, strict: bool) -> Stamp:
    """Return what tells whether a file is still the one that was read."""
    try:
        status = file.path.stat()
    except OSError:  # gone since it was found; reading it says so
        return str(file.path), file.bytes, 0, strict
    return str(file.path.resolve()), status.st_size, status.st_mtime_ns, strict


def content_of(file: TraceFile, *, strict: bool) -> TraceContent:
    """Return the content of a file, the same object for as long as the file is unchanged."""
    stamp = stamp_of(file, strict=strict)
    with _lock:
        content = _contents.get(stamp)
        if content is None:
            content = _contents[stamp] = TraceContent(file, stamp)
        return content
