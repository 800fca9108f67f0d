"""`Profile`: the runs, workers and spans of a log directory."""

from __future__ import annotations

import copy
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from nbprof.content import content_of, stamp_of
from nbprof.defaults import options
from nbprof.model.errors import TraceFormatError, UnknownNameError
from nbprof.model.filters.fields import FilterFields
from nbprof.model.filters.filter import Filter, narrowed
from nbprof.model.reprs import some_names
from nbprof.model.signatures import named_keywords
from nbprof.ranks import Ranks, RunComparison
from nbprof.ranks.ranks import key_of
from nbprof.sources import READ_ALL, ReadOptions, discover
from nbprof.sources.discovery.source_argument import checked_source
from nbprof.sources.files import urls
from nbprof.sources.files.shared_names import SharedNames
from nbprof.sources.live.live_source import LiveSource
from nbprof.tables.profile_text import profile_line, runs_html
from nbprof.trace import Trace

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from typing_extensions import Unpack

    from nbprof.content import TraceContent
    from nbprof.diffs.diff import Diff
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources import TraceFile
    from nbprof.sources.discovery.listing import Listing

PathLike: TypeAlias = "str | os.PathLike[str]"
#: Any other object is a profiler in memory, if a recorder claims its class.
Source: TypeAlias = "PathLike | Sequence[PathLike] | Mapping[int, PathLike] | object"
#: How the progress of reading is reported: by a bar if reading takes over a second, not at all, or
#: by a function that is called with (bytes done, total bytes, what is being read).
Progress: TypeAlias = "Literal['auto', False] | Callable[[int, int, str], None]"


class Profile(RunComparison):
    """The profiles in one source: runs, their workers, and their spans.

    Iterating over a profile yields its traces. Discovery only probes both ends of files. Get a
    profile from `nbprof.load`.

    Attributes
    ----------
    active_filter : Filter
        The filter that applies to its tables and traces.

    Examples
    --------
    >>> profile = nbprof.load("logs/")
    >>> [trace.worker for trace in profile.refresh()]
    ['worker0', 'worker1']
    >>> profile.read(workers="worker1")
    >>> profile.filter(steps=(3, 4)).table("steps")["step"].to_pylist()
    [3, 4, 3, 4]
    """

    def __init__(
        self,
        source: Source,
        options: ReadOptions = READ_ALL,
        *,
        cache: bool = True,
        progress: Progress = "auto",
        executor: Executor | None = None,
    ) -> None:
        self._source = checked_source(source)  # a list, since `refresh` iterates over it again
        self._options = options
        self._cache = cache
        self._progress = progress
        self._executor = executor
        self.active_filter = Filter()
        self._lock = threading.RLock()
        self._traces: dict[tuple[str, str, int, str], Trace] = {}
        self._broken: dict[str, str] = {}
        self._ranks = Ranks(options, self._opened, cache=cache)
        self._catalog = discover(self._source)

    @property
    def source(self) -> Source:
        """The source given to `load`, with credentials removed from URLs."""
        if isinstance(self._source, LiveSource):
            live: Source = self._source.given
            return live
        given: Source = urls.shown_source(self._source)
        return given

    @property
    def step(self) -> str | None:
        """The pattern of the annotations used as steps; None for steps that the recorder marked."""
        return self._options.step

    def with_step(self, step: str | None) -> Profile:
        """Return the profile with other annotations as steps, without reading any file again.

        Parameters
        ----------
        step : str or None
            As for `load`.

        Raises
        ------
        FilterError
            The pattern is not a valid regular expression.
        """
        options = replace(self._options, step=step)
        profile = Profile(
            self._source,
            options,
            cache=self._cache,
            progress=self._progress,
            executor=self._executor,
        )
        profile.active_filter = self.active_filter
        return profile

    @named_keywords(FilterFields)
    def filter(
        self, filter_: Filter | None = None, /, **conditions: Unpack[FilterFields]
    ) -> Profile:
        """Return the profile narrowed by a filter, in addition to its current one.

        The filter applies to its tables and its traces. Traces that were read are shared with this
        profile.

        Parameters
        ----------
        filter_ : Filter, optional
            A filter that replaces the current one as a whole.
        **conditions
            Fields of `Filter` that replace those of the current one. ``workers`` selects traces.

        Raises
        ------
        FilterError
            A condition is unknown or cannot be applied.
        """
        profile = copy.copy(self)
        profile.active_filter = narrowed(self.active_filter, filter_, conditions)
        return profile

    @property
    def files(self) -> list[TraceFile]:
        """The trace files that can be read, in the order of runs, workers and spans."""
        return [file for file in self._catalog.files if str(file.path) not in self._broken]

    @property
    def _unreadable(self) -> list[tuple[str, str]]:
        """The files that could not be read, with reasons, as in the table ``skipped``."""
        skipped = [(str(path), reason) for path, reason in self._catalog.skipped]
        return [*skipped, *self._broken.items()]

    @property
    def _names(self) -> SharedNames:
        """Names of files for outputs that are shared."""
        return SharedNames(self._source)

    @property
    def _listing(self) -> Listing | None:
        """The listing of the source from the last search; None for a profiler in memory."""
        return None if isinstance(self._source, LiveSource) else self._catalog.listing

    def refresh(self) -> Profile:
        """Search the source again for new, changed and deleted files; unchanged files stay read.

        A profiler in memory is asked for its latest recording.
        """
        with self._lock:
            self._catalog = discover(self._source)
            self._broken.clear()
            present = {key_of(file): file for file in self._catalog.files}
            self._traces = {
                key: trace
                for key, trace in self._traces.items()
                if key in present and trace._content.stamp == stamp_of(present[key], self._options)
            }
            self._ranks.drop_outdated(self._catalog.files)
        return self

    def trace(
        self, run: str | None = None, worker: str | None = None, span: int | None = None
    ) -> Trace:
        """Return one trace: the first that has the given run, worker and span.

        Raises
        ------
        UnknownNameError
            There is no such run, worker or span.
        TraceFormatError
            No readable file is left.
        """
        wanted = self.active_filter.workers
        if worker is None and wanted:
            worker = wanted[0]
        return self._narrowed(self._find(run, worker, span))

    def diff(
        self,
        run: str | None = None,
        to: str | None = None,
        *,
        worker: str | None = None,
        to_worker: str | None = None,
        span: int | None = None,
        to_span: int | None = None,
    ) -> Diff:
        """Compare two runs, workers or spans of this profile.

        Parameters
        ----------
        run, worker, span
            The baseline, as for `trace`.
        to, to_worker, to_span
            Run, worker and span of the candidate; each defaults to that of the baseline. In another
            run that has no such worker, the default is the worker of the same rank.

        Raises
        ------
        UnknownNameError
            There is no such run, worker or span, or both are the same trace.
        """
        from nbprof.diffs.one_profile import diff_of_profile

        return diff_of_profile(self, (run, worker, span), (to, to_worker, to_span))

    def _narrowed(self, file: TraceFile) -> Trace:
        """Return the trace of a file under the filter of the profile."""
        trace = self._open(file)
        if not self.active_filter:
            return trace
        return trace.filter(self.active_filter.replace(workers=None))

    def _wanted(self) -> list[TraceFile]:
        """Return the files of the workers that the filter keeps."""
        workers = self.active_filter.workers
        return [file for file in self.files if workers is None or file.worker in workers]

    def _find(
        self, run: str | None = None, worker: str | None = None, span: int | None = None
    ) -> TraceFile:
        files = self.files
        if not files:
            message = f"No readable profile is left in {self.source}; see profile.skipped()."
            raise TraceFormatError(message)
        place = ""
        for field, wanted in (("run", run), ("worker", worker), ("span", span)):
            if wanted is None:
                continue
            fitting = [file for file in files if getattr(file, field) == wanted]
            if not fitting:
                names = dict.fromkeys(getattr(file, field) for file in files)
                elsewhere = {file.run: 0 for file in self.files if getattr(file, field) == wanted}
                also = f" It is in run {some_names(elsewhere)}." if place and elsewhere else ""
                message = f"There is no {field} {wanted!r}{place}; there are {some_names(names)}."
                raise UnknownNameError(message + also)
            files = fitting
            place = f"{place or ' in'} {field} {wanted!r}"
        return files[0]

    def __iter__(self) -> Iterator[Trace]:
        """Iterate over all traces, in the order of runs, workers and spans."""
        return iter([self._narrowed(file) for file in self._wanted()])

    def __len__(self) -> int:
        """Return the number of traces."""
        return len(self._wanted())

    def _open(self, file: TraceFile) -> Trace:
        with self._lock:
            key = key_of(file)
            if key not in self._traces:
                content = content_of(file, self._options)
                self._traces[key] = Trace(file, content, self._read, self._options)
            return self._traces[key]

    def _checked(self, file: TraceFile, check: Callable[[Trace], list[str]]) -> list[str]:
        """Read a file in full, and return what a check of it finds; it is not kept in memory."""
        key = key_of(file)
        known = key in self._traces
        try:
            return check(self._open(file).read())
        finally:
            if not known:
                with self._lock:
                    self._traces.pop(key, None)

    def _read(self, content: TraceContent, progress: Progress | None) -> TraceModel:
        """Read a file in full; if that fails, move it to the skipped files."""
        chosen = self._progress if progress is None else progress
        try:
            model = content.read(chosen, cache=self._cache)
        except TraceFormatError as error:
            raise self._give_up(content.file, str(error)) from error
        return model.under(options.communication_names)

    def _give_up(self, file: TraceFile, reason: str) -> TraceFormatError:
        path = str(file.path)
        self._broken[path] = reason
        return TraceFormatError(reason if path in reason else f"{path}: {reason}")

    def _lost(self, run: str) -> list[tuple[TraceFile, str]]:
        files = [file for file in self._catalog.files if file.run == run]
        return [(f, self._broken[str(f.path)]) for f in files if str(f.path) in self._broken]

    def _opened(self, file: TraceFile) -> Trace | None:
        return self._traces.get(key_of(file))

    def __repr__(self) -> str:
        """Return one line: the source, and the numbers of runs, workers and traces."""
        skipped = self.skipped().num_rows
        return profile_line(self.files, skipped, self.active_filter, self._names)

    def _repr_html_(self) -> str:
        """Return the runs as a small table."""
        return runs_html(self.runs(), repr(self).strip("<>"), self._names)
