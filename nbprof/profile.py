"""The public face: `Profile`, a log directory, and `Trace`, one worker and span of it."""

from __future__ import annotations

import copy
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from nbprof.content import content_of, stamp_of
from nbprof.defaults import options
from nbprof.model.errors import TraceFormatError, UnknownNameError
from nbprof.model.filters.filter import Filter
from nbprof.model.reprs import html_table, some_names
from nbprof.model.units import format_count
from nbprof.ranks import DistributedTables, Ranks
from nbprof.ranks.ranks import key_of
from nbprof.sources import READ_ALL, ReadOptions, discover
from nbprof.sources.discovery.given import checked_source
from nbprof.sources.files import urls
from nbprof.trace import Trace

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from nbprof.content import TraceContent
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources import TraceFile

PathLike: TypeAlias = "str | os.PathLike[str]"
Source: TypeAlias = "PathLike | Sequence[PathLike] | Mapping[int, PathLike]"
#: Whether and how to tell how far reading has come: a bar where it takes over a second, never, or
#: a function that is called with (bytes done, bytes in all, what is being read).
Progress: TypeAlias = "Literal['auto', False] | Callable[[int, int, str], None]"


def load(
    source: Source,
    *,
    cache: bool = True,
    strict: bool = False,
    progress: Progress = "auto",
    executor: Executor | None = None,
    steps: int | tuple[int, int] | None = None,
    time_us: tuple[float, float] | None = None,
    kinds: Sequence[str] | None = None,
    without: Sequence[str] = (),
    step: str | None = None,
) -> Profile:
    """Find the profiles under a source; each is read when it is first used.

    Parameters
    ----------
    source : path, URL, glob, list of paths, or dict of rank to path
        A log directory (searched with its subdirectories), one trace file, or several. URLs such
        as ``s3://bucket/logs`` and those of all other protocols of fsspec are read.
    cache : bool
        Whether large files are kept in the user's cache directory, so that opening them again
        takes no time.
    strict : bool
        Raise on the first irregularity in a file instead of repairing and counting it.
    progress : "auto", False or callable
        ``"auto"`` shows a bar for reads that take over a second.
    executor : concurrent.futures.Executor, optional
        Where ranks are read for the tables over workers, many at a time; see `Profile.read`.
    steps, time_us, kinds
        Take only a part of each file, for those that are too large to be held in full. Tables are
        those of the whole under a `Filter` with the same fields, and further filters narrow them;
        the notes say what cannot be the same.
    without : sequence of str
        ``("python",)`` leaves out Python frames. Modules stay, and so do times: they count from the
        first event of the file.
    step : str, optional
        Which annotations are the steps, where ``prof.step()`` was not called: a part of their
        names in any case, or ``/regular expression/``. `Trace.step_candidates` says which there
        are. Of matches inside one another the outermost counts, of several threads the one on
        which they take the most time. The number of a step is the one in its label that goes up by
        one from step to step; without it, steps count from 0.

    Returns
    -------
    Profile

    Raises
    ------
    SourceError
        The source is no path and holds none.
    FilterError
        One of the conditions cannot be applied. Of ``step``, reading a trace says so: nothing in
        it matches, or it has steps of its own.
    TraceNotFoundError
        Nothing there looks like a profile.
    TraceFormatError
        Files matched, and none of them could be read.

    Notes
    -----
    A part cannot say what only the whole recording does. Under ``steps`` and ``time_us`` that is
    ``warnings``, which are about what was taken; the number of passes in the recommendation
    ``ddp_backend`` and the label that ``steps_not_marked`` names; in ``memory_peak_holders`` who
    holds memory since before the range; and row and module numbers, and in ``slices`` depths in
    lanes where slices overlap.

    ``kinds`` without ``"python"`` leaves out Python frames. Where these were recorded, call stacks
    are not rebuilt from them, and they are not subtracted from own times in ``slices``,
    ``slice_summary`` and ``flame``. Everything else is read, since operators, kernels and steps
    depend on each other. With ``step``, a file is read in full before a part of it is taken.
    """
    taken = ReadOptions.of(
        strict=strict, steps=steps, time_us=time_us, kinds=kinds, without=without, step=step
    )
    return Profile(source, taken, cache=cache, progress=progress, executor=executor)


class Profile(DistributedTables):
    """The profiles under one source: runs, their workers, and their spans.

    Iterating gives the traces. Discovery reads heads only. Made by `nbprof.load`.
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
        self._source = checked_source(source)  # a list: `refresh` goes through it again
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
        """What was given, URLs without credentials."""
        given: Source = urls.shown_source(self._source)
        return given

    @property
    def step(self) -> str | None:
        """Which annotations are the steps, None for those that the recorder marked."""
        return self._options.step

    def with_step(self, step: str | None) -> Profile:
        """Return the same profiles with other annotations as steps; no file is read again.

        Parameters
        ----------
        step : str or None
            As for `load`.

        Raises
        ------
        FilterError
            It is no valid regular expression.
        """
        options = replace(self._options, step=step)
        found = Profile(
            self._source,
            options,
            cache=self._cache,
            progress=self._progress,
            executor=self._executor,
        )
        found.active_filter = self.active_filter
        return found

    def filter(self, filter_: Filter | None = None, /, **conditions: Any) -> Profile:
        """Return the profile narrowed to a filter, on top of what it is narrowed to already.

        Its tables and its traces are under that filter. What was read is shared.

        Parameters
        ----------
        filter_ : Filter, optional
            A whole filter, in place of the one there is.
        **conditions
            Fields of `Filter`, replacing the same fields of the one there is. ``workers`` says
            which traces there are.

        Raises
        ------
        FilterError
            A condition is unknown or cannot be applied.
        """
        base = self.active_filter if filter_ is None else filter_
        narrowed = copy.copy(self)
        narrowed.active_filter = Filter.from_dict({**base.to_dict(), **conditions})
        return narrowed

    @property
    def files(self) -> list[TraceFile]:
        """The trace files that can be read, in the order of runs, workers and spans."""
        return [file for file in self._catalog.files if str(file.path) not in self._broken]

    @property
    def unreadable(self) -> list[tuple[str, str]]:
        """The files that were not read and why, as in the table ``skipped``."""
        found = [(str(path), reason) for path, reason in self._catalog.skipped]
        return [*found, *self._broken.items()]

    def refresh(self) -> Profile:
        """Look again for files that have come, changed or gone; what is unchanged stays read."""
        with self._lock:
            self._catalog = discover(self._source)
            self._broken.clear()
            present = {key_of(file): file for file in self._catalog.files}
            self._traces = {
                key: trace
                for key, trace in self._traces.items()
                if key in present and trace.content.stamp == stamp_of(present[key], self._options)
            }
            self._ranks.forget_all_but(self._catalog.files)
        return self

    def trace(
        self, run: str | None = None, worker: str | None = None, span: int | None = None
    ) -> Trace:
        """Return one trace; run, worker and span default to the first there is.

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
        found = self.files
        if not found:
            message = f"No readable profile is left in {self.source}; see profile.skipped()."
            raise TraceFormatError(message)
        for field, wanted in (("run", run), ("worker", worker), ("span", span)):
            names = list(dict.fromkeys(getattr(file, field) for file in found))
            name = names[0] if wanted is None else wanted
            if name not in names:
                message = f"There is no {field} {name!r}; there are {some_names(names)}."
                raise UnknownNameError(message)
            found = [file for file in found if getattr(file, field) == name]
        return found[0]

    def __iter__(self) -> Iterator[Trace]:
        """Go through all traces, in the order of runs, workers and spans."""
        return iter([self._narrowed(file) for file in self._wanted()])

    def __len__(self) -> int:
        """Return how many traces there are."""
        return len(self._wanted())

    def _open(self, file: TraceFile) -> Trace:
        with self._lock:
            key = key_of(file)
            if key not in self._traces:
                content = content_of(file, self._options)
                self._traces[key] = Trace(file, content, self._read, self._options)
            return self._traces[key]

    def _read(self, content: TraceContent, progress: Progress | None) -> TraceModel:
        """Read a file in full; one that breaks now joins the skipped ones."""
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
        found = [file for file in self._catalog.files if file.run == run]
        return [(f, self._broken[str(f.path)]) for f in found if str(f.path) in self._broken]

    def _opened(self, file: TraceFile) -> Trace | None:
        return self._traces.get(key_of(file))

    def __repr__(self) -> str:
        """Return one line: where, and how much is there."""
        files = self.files
        runs = len({file.run for file in files})
        workers = len({(file.run, file.worker) for file in files})
        parts = [
            format_count(runs, "run"),
            format_count(workers, "worker"),
            format_count(len(files), "trace"),
        ]
        skipped = self.skipped().num_rows
        if skipped:
            parts.append(f"{skipped} skipped")
        narrowed = ", ".join(text for _, text in self.active_filter.describe())
        under = f" filtered to {narrowed}" if narrowed else ""
        return f"<nbprof.Profile {self.source!s}: {', '.join(parts)}{under}>"

    def _repr_html_(self) -> str:
        """Return the runs as a small table."""
        columns = ("run", "worker", "span", "format", "device_type", "bytes", "path")
        return html_table(self.runs(), repr(self).strip("<>"), columns)
