"""`RunComparison`: the methods of `Profile` that read the ranks of a run and compare workers."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from nbprof.model.filters.filter import NO_FILTER
from nbprof.ranks.rank_tables import RankTables
from nbprof.ranks.ranks import key_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.model.filters.filter import Filter
    from nbprof.ranks.comparison import Distributed
    from nbprof.sources import TraceFile


class RunComparison(RankTables):
    """Methods of `Profile` that compare the workers of a run.

    As for other tables over workers, an extract of each rank is kept. All workers of the run are
    read, even if only some are requested: unless the recorder measured how long a worker waited,
    this is computed from the traces of the other workers.
    """

    def _distributed(
        self,
        run: str | None = None,
        filter_: Filter = NO_FILTER,
        *,
        span: int | None = None,
        workers: str | Sequence[str] | None = None,
        progress: Any = None,
    ) -> Distributed:
        """Return the three tables together, with the notices about them.

        Parameters
        ----------
        run : str, optional
            The first run by default.
        filter_ : Filter, optional
            Selects rows, and workers if it names any. Calls made in its range count in full.
        span : int, optional
            The span of the workers that have it; by default the first span of each worker.
        workers : sequence of str, optional
            Only these workers, overriding those of the filter.
        progress : "auto", False or callable, optional
            Overrides the value passed to `nbprof.load`; one bar for all ranks.

        Raises
        ------
        UnknownNameError
            The run, worker or span does not exist.
        TraceFormatError
            None of the files can be read.
        """
        from nbprof.ranks.combined_tables import with_workers
        from nbprof.ranks.comparison import compare_workers

        filter_ = filter_ or self.active_filter
        chosen = self._chosen(run, filter_, span, workers)
        name, wanted = chosen[0].run, [file.worker for file in chosen]
        filter_ = filter_.replace(workers=None)
        files = self._chosen(name, filter_, span, None)
        broken = self._read_ranks(files, filter_, self._executor, progress)
        readable = [file for file in files if key_of(file) not in broken]
        parts = [
            self._tables_of(readable, filter_, table)
            for table in ("rank_steps", "rank_calls", "device_summary")
        ]
        failed = {worker: why for _, reasons in parts for worker, why in reasons.items()}
        readable = [file for file in readable if file.worker not in failed]
        steps, calls, devices = (
            {file.worker: found[key_of(file)] for file in readable} for found, _ in parts
        )
        lost = self._lost(name)
        known = {file.worker for file in readable}
        reasons = {file.worker: why for file, why in lost if file.worker not in known} | failed
        reasons |= {file.worker: broken[key_of(file)] for file in files if key_of(file) in broken}
        all_files = [*files, *(file for file, _ in lost)]
        shown = {worker: table for worker, table in devices.items() if worker in wanted}
        found = with_workers(shown or devices)
        return compare_workers(all_files, steps, calls, found, broken=reasons, wanted=wanted)

    def _unread(
        self, run: str | None = None, filter_: Filter = NO_FILTER, *, span: int | None = None
    ) -> tuple[list[TraceFile], int]:
        """Return the files that `_distributed` still has to read, and the number of all its files.

        Parameters and errors are those of `_distributed`.
        """
        filter_ = filter_.replace(workers=None)
        files = self._chosen(run, filter_, span, None)
        return [file for file in files if self._ranks.get(file, filter_) is None], len(files)

    def _read_first(self, files: Sequence[TraceFile], filter_: Filter, progress: Any) -> None:
        """Read the first of the given files for `_distributed`; with an executor, all of them.

        The explorer reads files one by one, to answer requests in between. Errors are those of
        `read`.
        """
        wanted = files if self._executor is not None else files[:1]
        self._read_ranks(wanted, filter_.replace(workers=None), self._executor, progress)

    @abstractmethod
    def _lost(self, run: str) -> list[tuple[TraceFile, str]]:
        """Return the files of a run that could not be read, with the reasons."""
