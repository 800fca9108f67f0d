"""`RankTables`: the methods of `Profile` that return one table with the rows of many ranks."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from nbprof.model.errors import FilterError, OutOfMemoryError, TraceFormatError, UnknownNameError
from nbprof.model.filters.empty_results import nothing_kept
from nbprof.model.filters.filter import NO_FILTER
from nbprof.model.reprs import some_names
from nbprof.ranks.combined_tables import with_trace_key
from nbprof.ranks.left_out import left_out
from nbprof.ranks.ranks import Key, key_of
from nbprof.sources.discovery.catalog import in_jobs
from nbprof.tables.extensions import checked
from nbprof.tables.methods import table_spec
from nbprof.tables.profile_methods import ProfileMethods

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

    import pyarrow as pa

    from nbprof.model.filters.filter import Filter
    from nbprof.ranks.ranks import Ranks
    from nbprof.sources import TraceFile
    from nbprof.sources.files.shared_names import SharedNames
    from nbprof.tables.methods import Owner
    from nbprof.trace import Trace


class RankTables(ProfileMethods):
    """Methods of `Profile` over all workers; each rank is read once and its extract kept."""

    _owner: ClassVar[Owner] = "profile"

    #: The filter of its tables if no other filter is given.
    active_filter: Filter
    _ranks: Ranks
    _executor: Executor | None
    _progress: Any

    @property
    @abstractmethod
    def files(self) -> list[TraceFile]:
        """The trace files that can be read, in the order of runs, workers and spans."""

    @property
    @abstractmethod
    def _names(self) -> SharedNames:
        """Names of files for outputs that are shared."""

    @abstractmethod
    def _find(
        self, run: str | None = None, worker: str | None = None, span: int | None = None
    ) -> TraceFile:
        """Return the first file that has the given run, worker and span."""

    @abstractmethod
    def _give_up(self, file: TraceFile, reason: str) -> TraceFormatError:
        """Move a file to the skipped ones, and return the error to raise."""

    @abstractmethod
    def _open(self, file: TraceFile) -> Trace:
        """Return the trace of a file."""

    def read(
        self,
        executor: Executor | None = None,
        *,
        run: str | None = None,
        filter_: Filter = NO_FILTER,
        span: int | None = None,
        workers: str | Sequence[str] | None = None,
        progress: Any = None,
    ) -> None:
        """Read all ranks now, in parallel if there is an executor.

        An extract of each rank is kept, at most 1 MB. It contains the data for ``steps``,
        ``device_time``, ``device_summary``, ``operators``, ``kernels`` and the ``distributed``
        tables of the profile, which then are available at once. Single traces are read in full in
        this process when they are first used. Ranks that cannot be read are listed in ``skipped``
        with the reason. Reading again reads only the missing ranks.

        Parameters
        ----------
        executor : concurrent.futures.Executor, optional
            Reads the ranks: a `ProcessPoolExecutor`, ``client.get_executor()`` of a Dask cluster, …
            Its workers must see the files under the same paths. By default the executor passed to
            `nbprof.load`; without one, ranks are read in this process, one after another.
        run : str, optional
            Only this run. By default all runs, or the first if workers or a span are given.
        filter_ : Filter, optional
            Prepare the tables under this filter, for its workers only.
        span : int, optional
            Only this span of every worker.
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
        files = self.files
        if not (run is None and span is None and workers is None and filter_.workers is None):
            files = self._chosen(run, filter_, span, workers, every=True)
        self._read_ranks(files, filter_.replace(workers=None), executor, progress)

    def table(self, name: str, **options: Any) -> pa.Table:
        """Return a table of the profile by its name, one of nbprof's own or of an extension.

        Tables that also exist for a trace contain the rows of all workers and spans of a run; their
        first columns are run, worker and span. Files without a rank beside workers with one, such
        as the trace of a router, are left out unless ``workers`` names them. A trace that cannot be
        read in full is left out and listed in ``skipped``; one whose table cannot be computed is
        left out, too. A `WorkerWarning` names the worker and the reason.

        Parameters
        ----------
        name : str
            The name of the table, which is also the name of its method.
        run : str, optional
            The first run by default.
        filter_ : Filter, optional
            Selects rows and workers, instead of the profile's own filter.
        span : int, optional
            Only this span, of the workers that have it. By default all spans; for the
            ``distributed`` tables the first of each worker.
        workers : sequence of str, optional
            Only these workers, in place of those of the filter.
        **options
            Further options of the table.

        Raises
        ------
        FilterError
            The table takes no filter.
        UnknownNameError
            The table, run, worker or span does not exist.
        TraceFormatError
            None of the files can be read.
        """
        return self._table(name, **options)

    def _table(
        self, name: str, run: str | None = None, filter_: Filter = NO_FILTER, **options: Any
    ) -> pa.Table:
        spec = table_spec("profile", name)
        if filter_ and not spec.filtered:
            message = f"The table {name!r} takes no filter."
            raise FilterError(message)
        if spec.filtered:
            filter_ = filter_ or self.active_filter
        if spec.scope == "both":
            if others := options.keys() - {"span", "workers"}:
                message = (
                    f"{name} of all workers takes run, filter_, span and workers, not"
                    f" {min(others)!r}; the table of one trace may: profile.trace().{name}()."
                )
                raise TypeError(message)
            table = self._over_workers(name, run, filter_, beside=not spec.filtered, **options)
        else:
            given = {} if run is None else {"run": run}
            table = spec.finished(spec.make(self, filter_, **given, **options))
            table = checked(spec, table, options)
        if filter_ and not table.num_rows:
            nothing_kept(name, filter_, stacklevel=3)
        return table

    def _over_workers(
        self,
        name: str,
        run: str | None,
        filter_: Filter,
        span: int | None = None,
        workers: str | Sequence[str] | None = None,
        *,
        beside: bool,
    ) -> pa.Table:
        files = self._chosen(run, filter_, span, workers, every=True, beside=beside)
        filter_ = filter_.replace(workers=None)
        broken = self._read_ranks(files, filter_, self._executor, None)
        reasons = {file.worker: broken[key_of(file)] for file in files if key_of(file) in broken}
        readable = [file for file in files if key_of(file) not in broken]
        tables, failed = self._tables_of(readable, filter_, name)
        left_out(name, {**reasons, **failed}, self._names, stacklevel=4)
        return with_trace_key(
            (file, tables[key_of(file)]) for file in readable if key_of(file) in tables
        )

    def _tables_of(
        self, files: Sequence[TraceFile], filter_: Filter, name: str
    ) -> tuple[dict[Key, pa.Table], dict[str, str]]:
        """Return a table of every rank that has been read, and the workers where that fails.

        Raises
        ------
        Exception
            The first rank's error, if the table fails for all ranks.
        """
        found: dict[Key, pa.Table] = {}
        failed: dict[str, str] = {}
        first: Exception | None = None
        for file in files:
            try:
                found[key_of(file)] = self._table_of(file, filter_, name)
            except Exception as error:  # noqa: BLE001, PERF203 - others are shown all the same
                failed[file.worker] = str(error) or type(error).__name__
                first = first or error
        if first is not None and not found:
            raise first
        return found, failed

    def _table_of(self, file: TraceFile, filter_: Filter, name: str) -> pa.Table:
        """Return a table of a rank that has been read."""
        kept = self._ranks.get(file, filter_)
        table = kept.table(name) if kept else None
        if table is None:  # too large for the extract, or of an extension registered later
            from nbprof.ranks.extract import table_of

            return table_of(self._open(file).filter(filter_), name)
        return table

    def _read_ranks(
        self,
        files: Sequence[TraceFile],
        filter_: Filter,
        executor: Executor | None,
        progress: Any,
    ) -> dict[Any, str]:
        """Read ranks and return those that fail with the reasons.

        They are listed as skipped unless only memory was lacking.
        """
        chosen = self._progress if progress is None else progress
        broken = self._ranks.read(files, filter_, executor or self._executor, chosen)
        errors = [
            self._give_up(file, extract.failure)
            if extract.lasting
            else OutOfMemoryError(extract.failure)
            for file in files
            if (extract := broken.get(key_of(file)))
        ]
        if errors and len(errors) == len(files):
            raise errors[0]
        return {key: extract.failure for key, extract in broken.items()}

    def _chosen(
        self,
        run: str | None,
        filter_: Filter,
        span: int | None,
        workers: str | Sequence[str] | None,
        *,
        every: bool = False,
        beside: bool = False,
    ) -> list[TraceFile]:
        """Return a file per worker, of the given or its first span; if `every`, of all spans.

        Without a run they are of the first that has the first of the workers. Files beside the
        workers of the job, which have no rank, are returned if they are wanted by name, or if
        `beside`.
        """
        wanted = (filter_ if workers is None else filter_.replace(workers=workers)).workers
        run = self._find(run, wanted[0] if wanted and run is None else None).run
        files = [file for file in self.files if file.run == run]
        names = dict.fromkeys(file.worker for file in files)
        for worker in wanted or ():
            if worker not in names:
                message = f"Run {run!r} has no worker {worker!r}; it has {some_names(names)}."
                raise UnknownNameError(message)
        known = set(names if wanted is None else wanted)
        files = [file for file in files if file.worker in known]
        chosen = [file for file in files if span is None or file.span == span]
        if not chosen:
            spans = sorted({file.span for file in files})
            message = f"There is no span {span!r}; there are {some_names(spans)}."
            raise UnknownNameError(message)
        if wanted is None and not beside:
            chosen = in_jobs(chosen)
        if every:
            return chosen
        first: dict[str, TraceFile] = {}
        for file in chosen:
            first.setdefault(file.worker, file)
        return list(first.values())
