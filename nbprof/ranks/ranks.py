"""`Ranks`: the extracts of the ranks of a profile, each computed once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from nbprof.content import content_of
from nbprof.defaults import options
from nbprof.model.filters.filter import NO_FILTER
from nbprof.ranks.recent_contents import RecentContents
from nbprof.sources.discovery.file_version import size_and_version

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    from nbprof.model.filters.filter import Filter
    from nbprof.ranks.extract import RankExtract, RankTask
    from nbprof.sources import ReadOptions, TraceFile
    from nbprof.trace import Trace

#: Run, worker, span and path.
Key = tuple[str, str, int, str]
#: A filter, and the user's rules for communication.
Narrowing = tuple["Filter", tuple[str, ...]]


class Ranks:
    """Holds the extracts of the ranks of a profile, at most 1 MB each, and the last traces read.

    Parameters
    ----------
    options : ReadOptions
        Part of every file to read.
    cache : bool
        Whether the cache on disk may be used.
    opened : callable
        Returns the trace of a file if it is already open, else None; open traces are not read
        again.
    """

    def __init__(
        self, options: ReadOptions, opened: Callable[[TraceFile], Trace | None], *, cache: bool
    ) -> None:
        self._options = options
        self._opened = opened
        self._cache = cache
        self._lock = threading.RLock()
        self._kept: dict[Key, dict[Narrowing, RankExtract]] = {}
        self._recent = RecentContents()

    @property
    def nbytes(self) -> int:
        """Bytes of the extracts of all ranks."""
        with self._lock:
            return sum(one.nbytes for kept in self._kept.values() for one in kept.values())

    def __len__(self) -> int:
        """Return the number of ranks that have an extract."""
        return len(self._kept)

    def get(self, file: TraceFile, filter_: Filter) -> RankExtract | None:
        """Return the extract of a rank under a filter and the current rules, or None."""
        with self._lock:
            return self._kept.get(key_of(file), {}).get(_narrowing(filter_))

    def read(
        self,
        files: Sequence[TraceFile],
        filter_: Filter,
        executor: Executor | None,
        progress: Any,
    ) -> dict[Key, RankExtract]:
        """Read the ranks that have no extract under a filter and the current rules of the user.

        Returns
        -------
        dict
            The ranks that cannot be read, with the reason as `failure`.
        """
        from nbprof.ranks.execution import run_extracts
        from nbprof.ranks.extract import RankTask, of_trace

        broken: dict[Key, RankExtract] = {}
        tasks = []
        narrowing = _narrowing(filter_)

        def take(file: TraceFile, extract: RankExtract) -> None:
            if extract.failure:
                broken[key_of(file)] = extract
            else:
                self._store(file, narrowing, extract)

        for file in files:
            if self.get(file, filter_) is not None:
                continue
            trace = self._opened(file)
            if trace is not None and trace.is_read:
                version = trace._content.stamp[1], trace._content.stamp[2]
                take(file, of_trace(trace.filter(filter_), version))
            else:
                parallel_parts = executor is None
                filter_, rules = narrowing
                tasks.append(
                    RankTask(file, self._options, filter_, self._cache, parallel_parts, rules)
                )
        if tasks:
            for task, extract in run_extracts(tasks, executor, progress, self._extract):
                take(task.file, extract)
        return broken

    def _extract(self, task: RankTask) -> RankExtract:
        """Extract a rank in this process, and keep its trace for the next filter."""
        from nbprof.ranks.extract import extract_rank

        content = content_of(task.file, task.options)
        extract = extract_rank(task)
        if content.is_read:
            self._recent.keep(content)
        return extract

    def drop_outdated(self, files: Sequence[TraceFile]) -> None:
        """Drop the extracts of files that are gone or have changed."""
        present = {key_of(file): _version(file) for file in files}
        with self._lock:
            self._kept = {
                key: kept
                for key, kept in self._kept.items()
                if key in present and all(one.version == present[key] for one in kept.values())
            }
        self._recent.drop_all_but(
            lambda content: present.get(key_of(content.file)) == content.stamp[1:3]
        )

    def _store(self, file: TraceFile, narrowing: Narrowing, extract: RankExtract) -> None:
        """Keep an extract and the one without a filter under the same rules; drop all others."""
        whole = (NO_FILTER, narrowing[1])
        with self._lock:
            kept = self._kept.setdefault(key_of(file), {})
            stays = {one: kept[one] for one in kept if one == whole}
            if narrowing == whole:
                stays = {one: kept[one] for one in kept if one[1] == whole[1]}
            self._kept[key_of(file)] = {**stays, narrowing: extract}


def key_of(file: TraceFile) -> Key:
    """Return the key of a file within a profile."""
    return file.run, file.worker, file.span, str(file.path)


def _narrowing(filter_: Filter) -> Narrowing:
    return filter_, options.communication_names


def _version(file: TraceFile) -> tuple[int, int]:
    try:
        return size_and_version(file, listed=True)
    except OSError:
        return -1, -1
