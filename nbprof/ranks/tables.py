"""The methods of a profile that return a table over the workers of a run."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from nbprof.model.errors import FilterError, TraceFormatError, UnknownNameError
from nbprof.model.filters.empty_results import nothing_kept
from nbprof.model.filters.filter import NO_FILTER
from nbprof.model.reprs import some_names
from nbprof.ranks.combined_tables import with_trace_key
from nbprof.ranks.extract import table_of
from nbprof.ranks.ranks import key_of
from nbprof.tables.methods import table_spec
from nbprof.tables.profile_methods import ProfileMethods

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

    import pyarrow as pa

    from nbprof.model.filters.filter import Filter
    from nbprof.ranks.ranks import Ranks
    from nbprof.sources import TraceFile
    from nbprof.tables.methods import Owner
    from nbprof.trace import Trace


class RankTables(ProfileMethods):
    """What `Profile` can say over workers; each rank is read once and little of it is kept."""

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

    @abstractmethod
    def _find(
        self, run: str | None = None, worker: str | None = None, span: int | None = None
    ) -> TraceFile:
        """Return one file; run, worker and span default to the first there is."""

    @abstractmethod
    def _give_up(self, file: TraceFile, reason: str) -> TraceFormatError:
        """Put a file among the skipped ones and return the error that says so."""

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
        """Read all ranks now, at the same time if there is an executor.

        What is kept of each is no more than what ``steps``, ``device_time``, ``device_summary``,
        ``operators``, ``kernels`` and the ``distributed`` tables of the profile need, at most 1 MB;
        these then take no time. A trace that is
        looked at closer is read in full where the profile is, when it is first used. Of ranks that
        cannot be read the reason joins ``skipped``. Reading again reads only what is missing.

        Parameters
        ----------
        executor : concurrent.futures.Executor, optional
            Where ranks are read: a `ProcessPoolExecutor`, ``client.get_executor()`` of a Dask
            cluster, … By default the one that `nbprof.load` was given, else here, one after
            another. Its workers must see the files by the same paths.
        run : str, optional
            Only this run; the first where only workers or a span are given, else all.
        filter_ : Filter, optional
            Prepare the tables under this filter; of its workers only.
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
            files = self._chosen(self._find(run).run, filter_, span, workers, every=True)
        self._read_ranks(files, filter_.replace(workers=None), executor, progress)

    def table(self, name: str, **options: Any) -> pa.Table:
        """Return a table of the profile by its name, one of nbprof's own or of an extension.

        Tables that a trace has, too, are of all workers and spans of a run; their first columns are
        the run, worker and span. A trace whose file breaks when it is read in full is left out and
        joins the skipped ones.

        Parameters
        ----------
        name : str
            The name of the table, which is also the name of its method.
        run : str, optional
            The first run by default.
        filter_ : Filter, optional
            What the rows are narrowed to, workers included, in place of the profile's own filter.
        span : int, optional
            Only this span, of the workers that have it; by default all, of the ``distributed``
            tables the first of each.
        workers : sequence of str, optional
            Only these workers, in place of those of the filter.
        **options
            Further ones that the method of a table has.

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
            made = self._over_workers(name, run, filter_, **options)
        else:
            given = {} if run is None else {"run": run}
            made = spec.finished(spec.make(self, filter_, **given, **options))
        if filter_ and not made.num_rows:
            nothing_kept(name, filter_, stacklevel=3)
        return made

    def _over_workers(
        self,
        name: str,
        run: str | None,
        filter_: Filter,
        span: int | None = None,
        workers: str | Sequence[str] | None = None,
    ) -> pa.Table:
        files = self._chosen(self._find(run).run, filter_, span, workers, every=True)
        filter_ = filter_.replace(workers=None)
        broken = self._read_ranks(files, filter_, self._executor, None)
        return with_trace_key(
            (file, self._table_of(file, filter_, name))
            for file in files
            if key_of(file) not in broken
        )

    def _table_of(self, file: TraceFile, filter_: Filter, name: str) -> pa.Table:
        """Return a table of a rank that has been read."""
        kept = self._ranks.get(file, filter_)
        table = kept.table(name) if kept else None
        if table is None:  # too large to be kept, or of an extension that came later
            return table_of(self._open(file).filter(filter_), name)
        return table

    def _read_ranks(
        self,
        files: Sequence[TraceFile],
        filter_: Filter,
        executor: Executor | None,
        progress: Any,
    ) -> dict[Any, str]:
        """Read ranks; those that break join the skipped ones and are returned, with the reason."""
        chosen = self._progress if progress is None else progress
        broken = self._ranks.read(files, filter_, executor or self._executor, chosen)
        errors = [self._give_up(f, broken[key_of(f)]) for f in files if key_of(f) in broken]
        if errors and len(errors) == len(files):
            raise errors[0]
        return broken

    def _chosen(
        self,
        run: str,
        filter_: Filter,
        span: int | None,
        workers: str | Sequence[str] | None,
        *,
        every: bool = False,
    ) -> list[TraceFile]:
        """Return a file of every worker of a run, or every one: of the span, else of its first."""
        wanted = (filter_ if workers is None else filter_.replace(workers=workers)).workers
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
        if every:
            return chosen
        first: dict[str, TraceFile] = {}
        for file in chosen:
            first.setdefault(file.worker, file)
        return list(first.values())
