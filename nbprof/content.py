"""`TraceContent`: reads a trace file once and shares its model among all `Trace` objects of it.

No file is read twice when a directory is shown again or a trace is filtered. A model is kept as
long as any trace of this version of the file is alive.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from nbprof.defaults import options
from nbprof.model.steps.step_choice import choose_steps
from nbprof.sources import ReadOptions, read
from nbprof.sources.cache import cache as cache_files
from nbprof.sources.discovery.file_version import size_and_version
from nbprof.sources.live.memory_file import MemoryFile
from nbprof.sources.parallel.forks import in_children
from nbprof.sources.parts.prefilter import reduced
from nbprof.sources.recorders import RECORDERS

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources import TraceFile

#: Path, size and version of a file, and the part of it that is read.
Stamp = tuple[str, int, int, ReadOptions]

_lock = threading.Lock()
_contents: WeakValueDictionary[Stamp, TraceContent] = WeakValueDictionary()


def _reset_after_fork() -> None:
    """Reset the lock and the shared models in a forked process, where other threads do not run."""
    global _lock, _contents
    _lock, _contents = threading.Lock(), WeakValueDictionary()


in_children(_reset_after_fork)


class TraceContent:
    """The model of a file, which is read once. Use `content_of` to get one.

    Attributes
    ----------
    options : ReadOptions
        The part of the file that is read.
    """

    def __init__(self, file: TraceFile, stamp: Stamp) -> None:
        self.stamp = stamp
        self.file = file
        self.options = stamp[-1]
        self._lock = threading.RLock()  # a progress callback may look at the trace
        self._model: TraceModel | None = None
        self._shared: TraceContent | None = None

    def read(self, progress: Any, *, cache: bool = True) -> TraceModel:
        """Return the model; the first call reads the file.

        Parameters
        ----------
        progress : "auto", False or callable
            How progress is reported, see `nbprof.load`.
        cache : bool
            Whether the cache on disk may be read and written; `nbprof.options.cache` has to allow
            it, too.
        """
        with self._lock:
            if self._model is None:
                self._model = self._read(progress, cache=cache and self._may_be_kept)
            return self._model

    def _read(self, progress: Any, *, cache: bool) -> TraceModel:
        if self.options.step is not None:
            whole = self._whole()
            model = choose_steps(whole.read(progress, cache=cache), self.options.step)
            part = reduced(model, self.options.filter)
            if part is model:  # everything was selected
                self._shared = whole
            return part
        path, *state, _ = self.stamp
        entry = cache_files.find(path, state, self.options) if cache else None
        if entry is not None:
            return entry
        model = read(self.file, self.options, progress=progress)
        # The file may have been rewritten since it was found.
        if cache and stamp_of(self.file, self.options) == self.stamp:
            cache_files.keep(model, path, state, self.options, limit=options.cache_bytes)
        return model

    @property
    def _may_be_kept(self) -> bool:
        """Whether the cache on disk is used.

        Recorders of extensions may change, and what is only in memory is not written to disk.
        """
        on_disk = not isinstance(self.file.path, MemoryFile)
        return options.cache and on_disk and RECORDERS.is_own(self.file.format)

    def _whole(self) -> TraceContent:
        """Return the content of the whole file, from which steps are chosen."""
        return content_of(self.file, replace(self.options, step=None, steps=None, time_us=None))

    @property
    def is_read(self) -> bool:
        """Whether the file has been read."""
        return self._model is not None

    @property
    def nbytes(self) -> int:
        """Bytes of the tables of the model, 0 before the file has been read."""
        tables = {} if self._model is None else self._model.tables
        return sum(table.nbytes for table in tables.values())

    @property
    def is_kept(self) -> bool:
        """Whether the model is available without parsing: in memory, or in the cache on disk."""
        if self.options.step is not None:
            return self.is_read or self._whole().is_kept
        path, *state, _ = self.stamp
        return self.is_read or (self._may_be_kept and cache_files.has(path, state, self.options))


def stamp_of(file: TraceFile, taken: ReadOptions) -> Stamp:
    """Return the key of a version of a file, which changes when the file does."""
    process = "" if file.process is None else f" process {file.process}"
    try:
        size, version = size_and_version(file)
    except OSError:  # deleted since it was found; reading it raises the error
        return f"{file.path}{process}", file.bytes, 0, taken
    return f"{file.path.resolve()}{process}", size, version, taken


def content_of(file: TraceFile, taken: ReadOptions) -> TraceContent:
    """Return the content of a file: the same object until the file changes."""
    stamp = stamp_of(file, taken)
    with _lock:
        content = _contents.get(stamp)
        if content is None:
            content = _contents[stamp] = TraceContent(file, stamp)
        return content
