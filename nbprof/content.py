"""What was read of a file, shared by all traces that show it.

Showing a directory again, or filtering a trace, must not read anything twice. A model is kept for
as long as some trace of the file, in the state that it was read in, is alive.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from nbprof.sources import ReadOptions, read

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel
    from nbprof.sources import TraceFile

#: Path, size and time of the last change of a file, and what is taken of it.
Stamp = tuple[str, int, int, ReadOptions]

_lock = threading.Lock()
_contents: WeakValueDictionary[Stamp, TraceContent] = WeakValueDictionary()


class TraceContent:
    """The model of a file, read once. Made by `content_of`.

    Attributes
    ----------
    options : ReadOptions
        What is taken of the file.
    """

    def __init__(self, file: TraceFile, stamp: Stamp, options: ReadOptions) -> None:
        self.stamp = stamp
        self.file = file
        self.options = options
        self._lock = threading.RLock()  # a progress callback may look at the trace
        self._model: TraceModel | None = None

    def read(self, progress: Any, *, cache: bool = True) -> TraceModel:
        """Return the model, reading the file first where that has not been done.

        Parameters
        ----------
        progress : "auto", False or callable
            How to tell how far reading has come.
        cache : bool
            Whether what is kept on disk may be used, and what is read be kept there.
        """
        del cache
        with self._lock:
            if self._model is None:
                self._model = read(self.file, self.options, progress=progress)
            return self._model

    @property
    def is_read(self) -> bool:
        """Whether the file has been read."""
        return self._model is not None


def stamp_of(file: TraceFile, options: ReadOptions) -> Stamp:
    """Return what tells whether a file is still the one that was read."""
    try:
        status = file.path.stat()
    except OSError:  # gone since it was found; reading it says so
        return str(file.path), file.bytes, 0, options
    return str(file.path.resolve()), status.st_size, status.st_mtime_ns, options


def content_of(file: TraceFile, options: ReadOptions) -> TraceContent:
    """Return the content of a file, the same object for as long as the file is unchanged."""
    stamp = stamp_of(file, options)
    with _lock:
        content = _contents.get(stamp)
        if content is None:
            content = _contents[stamp] = TraceContent(file, stamp, options)
        return content
