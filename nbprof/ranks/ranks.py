"""`Ranks`: the summaries of all ranks that were asked for, each made once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from nbprof.defaults import options
from nbprof.model.filters.filter import NO_FILTER
from nbprof.ranks.running import summaries
from nbprof.ranks.summary import RankSummary, RankTask, of_trace
from nbprof.sources.discovery.stamps import size_and_version

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    from nbprof.model.filters.filter import Filter
    from nbprof.sources import ReadOptions, TraceFile
    from nbprof.trace import Trace

#: Run, worker, span and path.
Key = tuple[str, str, int, str]
#: A filter, and the rules of the user about what communicates.
Narrowing = tuple["Filter", tuple[str, ...]]


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
        self._kept: dict[Key, dict[Narrowing, RankSummary]] = {}

    @property
    def nbytes(self) -> int:
        """Bytes kept, of all ranks."""
        with self._lock:
            return sum(one.nbytes for kept in self._kept.values() for one in kept.values())

    def __len__(self) -> int:
        """Return of how many ranks something is kept."""
        return len(self._kept)

    def get(self, file: TraceFile, filter_: Filter) -> RankSummary | None:
        """Return what is kept of a rank under a filter and today's rules, None if nothing is."""
        with self._lock:
            return self._kept.get(key_of(file), {}).get(_narrowing(filter_))

    def read(
        self,
        files: Sequence[TraceFile],
        filter_: Filter,
        executor: Executor | None,
        progress: Any,
    ) -> dict[Key, str]:
        """Read the ranks of which nothing is kept under a filter and today's rules of the user.

        Returns
        -------
        dict
            Why, of those that cannot be read.
        """
        broken: dict[Key, str] = {}
        tasks = []
        narrowing = _narrowing(filter_)
        for file in files:
            if self.get(file, filter_) is not None:
                continue
            trace = self._opened(file)
            if trace is not None and trace.is_read:
                version = trace.content.stamp[1], trace.content.stamp[2]
                self._keep(file, narrowing, of_trace(trace.filter(filter_), version))
            else:
                alone = executor is None
                filter_, rules = narrowing
                tasks.append(RankTask(file, self._options, filter_, self._cache, alone, rules))
        if tasks:
            for task, summary in summaries(tasks, executor, progress):
                if summary.failure:
                    broken[key_of(task.file)] = summary.failure
                else:
                    self._keep(task.file, narrowing, summary)
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

    def _keep(self, file: TraceFile, narrowing: Narrowing, summary: RankSummary) -> None:
        """Keep a summary beside that of the whole under the same rules; others go."""
        whole = (NO_FILTER, narrowing[1])
        with self._lock:
            kept = self._kept.setdefault(key_of(file), {})
            stays = {one: kept[one] for one in kept if one == whole}
            if narrowing == whole:
                stays = {one: kept[one] for one in kept if one[1] == whole[1]}
            self._kept[key_of(file)] = {**stays, narrowing: summary}


def key_of(file: TraceFile) -> Key:
    """Return what a file is known by within a profile."""
    return file.run, file.worker, file.span, str(file.path)


def _narrowing(filter_: Filter) -> Narrowing:
    return filter_, options.communication_names


def _version(file: TraceFile) -> tuple[int, int]:
    try:
        return size_and_version(file, listed=True)
    except OSError:
        return -1, -1
