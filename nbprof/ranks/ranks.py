"""`Ranks`: the summaries of all ranks that were asked for, each made once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from nbprof.model.filter import NO_FILTER
from nbprof.ranks.running import summaries
from nbprof.ranks.summary import RankSummary, RankTask, of_trace
from nbprof.sources.stamps import size_and_version

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    from nbprof.model.filter import Filter
    from nbprof.sources import ReadOptions, TraceFile
    from nbprof.trace import Trace

#: Run, worker, span and path.
Key = tuple[str, str, int, str]


class Ranks:
    """What is kept of the ranks of a profile: at most 1 MB each, the traces themselves not.

    Parameters
    ----------
    options : ReadOptions
        What is taken of every file.
    cache : bool
        Whether what is kept on disk may be used.
    opened : callable
        Returns the trace of a file if it is open already, else None: what was read is not read
        again.
    """

    def __init__(
        self, options: ReadOptions, opened: Callable[[TraceFile], Trace | None], *, cache: bool
    ) -> None:
        self._options = options
        self._opened = opened
        self._cache = cache
        self._lock = threading.RLock()
        self._kept: dict[Key, dict[Filter, RankSummary]] = {}

    @property
    def nbytes(self) -> int:
        """Bytes kept, of all ranks."""
        with self._lock:
            return sum(one.nbytes for kept in self._kept.values() for one in kept.values())

    def __len__(self) -> int:
        """Return of how many ranks something is kept."""
        return len(self._kept)

    def get(self, file: TraceFile, filter_: Filter) -> RankSummary | None:
        """Return what is kept of a rank under a filter, None if nothing is."""
        with self._lock:
            return self._kept.get(key_of(file), {}).get(filter_)

    def read(
        self,
        files: Sequence[TraceFile],
        filter_: Filter,
        executor: Executor | None,
        progress: Any,
    ) -> dict[Key, str]:
        """Read the ranks of which nothing is kept under a filter.

        Returns
        -------
        dict
            Why, of those that cannot be read.
        """
        broken: dict[Key, str] = {}
        tasks = []
        for file in files:
            if self.get(file, filter_) is not None:
                continue
            trace = self._opened(file)
            if trace is not None and trace.is_read:
                version = trace.content.stamp[1], trace.content.stamp[2]
                self._keep(file, filter_, of_trace(trace.filter(filter_), version))
            else:
                alone = executor is None
                tasks.append(RankTask(file, self._options, filter_, self._cache, alone))
        if tasks:
            for task, summary in summaries(tasks, executor, progress):
                if summary.failure:
                    broken[key_of(task.file)] = summary.failure
                else:
                    self._keep(task.file, filter_, summary)
        return broken

    def forget_all_but(self, files: Sequence[TraceFile]) -> None:
        """Drop what is kept of files that are gone or have changed."""
        present = {key_of(file): _version(file) for file in files}
        with self._lock:
            self._kept = {
                key: kept
                for key, kept in self._kept.items()
                if key in present and all(one.version == present[key] for one in kept.values())
            }

    def _keep(self, file: TraceFile, filter_: Filter, summary: RankSummary) -> None:
        with self._lock:
            kept = self._kept.setdefault(key_of(file), {})
            for other in [one for one in kept if NO_FILTER not in (one, filter_)]:
                del kept[other]
            kept[filter_] = summary


def key_of(file: TraceFile) -> Key:
    """Return what a file is known by within a profile."""
    return file.run, file.worker, file.span, str(file.path)


def _version(file: TraceFile) -> tuple[int, int]:
    try:
        return size_and_version(file, listed=True)
    except OSError:
        return -1, -1
