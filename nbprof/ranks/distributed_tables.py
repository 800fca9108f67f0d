"""The methods of a profile that compare the workers of a run."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from nbprof.model.filters.filter import NO_FILTER
from nbprof.ranks.combined_tables import with_workers
from nbprof.ranks.comparison import Distributed, compare_workers
from nbprof.ranks.ranks import key_of
from nbprof.ranks.tables import RankTables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.model.filters.filter import Filter
    from nbprof.sources import TraceFile


class DistributedTables(RankTables):
    """What `Profile` can say of workers side by side.

    Of each rank some tables are kept, as for the other tables over workers. How long a worker
    waited for others is known where the recorder measured it, and else where traces of others are
    there, too; so all workers of the run are read, whichever are asked for.
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
        """Return the three tables at once, and the notices about them.

        Parameters
        ----------
        run : str, optional
            The first run by default.
        filter_ : Filter, optional
            The filter for the rows, which may include workers. Calls count as a whole if they are
            made in the range.
        span : int, optional
            Of the workers that have it; by default the first of each.
        workers : sequence of str, optional
            Only these workers, in place of those of the filter.
        progress : "auto", False or callable, optional
            Overrides the value passed to `nbprof.load`; one bar for all ranks.

        Raises
        ------
        UnknownNameError
            The run, worker or span does not exist.
        TraceFormatError
            None of the files can be read.
        """
        filter_ = filter_ or self.active_filter
        name = self._find(run).run
        wanted = [file.worker for file in self._chosen(name, filter_, span, workers)]
        filter_ = filter_.replace(workers=None)
        files = self._chosen(name, filter_, span, None)
        broken = self._read_ranks(files, filter_, self._executor, progress)
        readable = [file for file in files if key_of(file) not in broken]
        steps, calls, devices = (
            {file.worker: self._table_of(file, filter_, table) for file in readable}
            for table in ("rank_steps", "rank_calls", "device_summary")
        )
        lost = self._lost(name)
        known = {file.worker for file in readable}
        reasons = {file.worker: why for file, why in lost if file.worker not in known}
        all_files = [*files, *(file for file, _ in lost)]
        shown = {worker: table for worker, table in devices.items() if worker in wanted}
        found = with_workers(shown or devices)
        return compare_workers(all_files, steps, calls, found, broken=reasons, wanted=wanted)

    def _unread(
        self, run: str | None = None, filter_: Filter = NO_FILTER, *, span: int | None = None
    ) -> tuple[list[TraceFile], int]:
        """Return the files that `_distributed` would have to read, and of how many they are.

        Parameters and errors are those of `_distributed`.
        """
        filter_ = filter_.replace(workers=None)
        files = self._chosen(self._find(run).run, filter_, span, None)
        return [file for file in files if self._ranks.get(file, filter_) is None], len(files)

    def _read_first(self, files: Sequence[TraceFile], filter_: Filter, progress: Any) -> None:
        """Read the first of some files for `_distributed`, with an executor all of them.

        Whoever has something else to do in between reads them so. Errors are those of `read`.
        """
        wanted = files if self._executor is not None else files[:1]
        self._read_ranks(wanted, filter_.replace(workers=None), self._executor, progress)

    @abstractmethod
    def _lost(self, run: str) -> list[tuple[TraceFile, str]]:
        """Return the files of a run that broke when they were read, and why."""
