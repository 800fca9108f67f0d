"""`Trace`: one worker and span; its tables are methods, see `nbprof.tables`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from nbprof import analysis
from nbprof.content import content_of
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.filters.notices import nothing_kept
from nbprof.model.steps.step_choice import step_candidates
from nbprof.model.units import format_count, format_time
from nbprof.sources import READ_ALL, opened, write_chrome_trace
from nbprof.tables.trace import TraceTables

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from nbprof.content import TraceContent
    from nbprof.model.steps.step_choice import StepCandidate
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources import ReadOptions, TraceFile

__all__ = ["Reader", "Trace"]

#: Reads a content, with the progress that was asked for.
Reader: TypeAlias = "Callable[[TraceContent, Any], TraceModel]"


class Trace(TraceTables):
    """One worker and span of a profile, perhaps narrowed by a filter.

    The file is read when something of it is first asked for. Made by `Profile.trace`.

    Attributes
    ----------
    file : TraceFile
        Where it comes from.
    content : TraceContent
        What was read of it, shared with all traces of the file.
    active_filter : Filter
        What its tables are narrowed to.
    """

    def __init__(
        self,
        file: TraceFile,
        content: TraceContent,
        reader: Reader,
        options: ReadOptions = READ_ALL,
        active_filter: Filter = NO_FILTER,
    ) -> None:
        self.file = file
        self.active_filter = options.narrow(active_filter)
        self.content = content
        self._reader = reader
        self._options = options

    @property
    def run(self) -> str:
        """The run's name."""
        return self.file.run

    @property
    def worker(self) -> str:
        """The worker's name."""
        return self.file.worker

    @property
    def span(self) -> int:
        """The number of the span, from 1."""
        return self.file.span

    @property
    def path(self) -> str:
        """The file that it was read from."""
        return str(self.file.path)

    @property
    def model(self) -> TraceModel:
        """The tables of the trace, `nbprof.model.trace.schema`; reads the file if need be."""
        return self._reader(self.content, None)

    @property
    def metadata(self) -> dict[str, Any]:
        """What the file says about itself (known keys only)."""
        return dict(self.model.metadata)

    @property
    def step(self) -> str | None:
        """Which annotations are the steps, None for those that the recorder marked."""
        return self._options.step

    def step_candidates(self) -> tuple[StepCandidate, ...]:
        """Return the labels that may be the step, where `prof.step()` was not called.

        These are annotations that repeat at the top of a thread; those that differ in numbers and
        arguments are one, such as ``execute_context_…_generation_…``. The ``pattern`` of a
        candidate chooses it: ``trace.with_step(pattern)`` or ``nbprof.load(…, step=pattern)``.
        The one that takes the most host time comes first.
        """
        return step_candidates(self.model)

    def with_step(self, step: str | None) -> Trace:
        """Return the trace with other annotations as steps; the file is not read again.

        Parameters
        ----------
        step : str or None
            A part of their names, or ``/regular expression/``, as for `nbprof.load`; None for the
            steps that the recorder marked, or the whole recording.

        Raises
        ------
        FilterError
            Nothing matches, or the trace has steps of its own.
        """
        options = replace(self._options, step=step)
        content = content_of(self.file, options)
        return Trace(self.file, content, self._reader, options, self.active_filter)

    @property
    def is_read(self) -> bool:
        """Whether the file has been read in full."""
        return self.content.is_read

    def read(self, *, progress: Any = None) -> Trace:
        """Read the file now, if that has not been done, and return the trace.

        Parameters
        ----------
        progress : "auto", False or callable, optional
            Instead of what `nbprof.load` was given.

        Raises
        ------
        TraceFormatError
            Nothing of the file can be read.
        """
        self._reader(self.content, progress)
        return self

    def filter(self, filter_: Filter | None = None, /, **conditions: Any) -> Trace:
        """Return the trace narrowed to a filter, on top of what it is narrowed to already.

        What `nbprof.load` was told to take only a part of stays narrowed to that.

        Parameters
        ----------
        filter_ : Filter, optional
            A whole filter, in place of the one there is.
        **conditions
            Fields of `Filter`, replacing the same fields of the one there is.

        Raises
        ------
        FilterError
            A condition is unknown or cannot be applied.
        """
        base = self.active_filter if filter_ is None else filter_
        narrowed = Filter.from_dict({**base.to_dict(), **conditions})
        return Trace(self.file, self.content, self._reader, self._options, narrowed)

    def to_chrome_trace(
        self, path: str | os.PathLike[str], *, time_us: tuple[float, float] | None = None
    ) -> None:
        """Write the trace, or the part of it that it is narrowed to, as a Chrome JSON file.

        The part is that of the filter's steps and time range, with a warning where nothing lies
        in them; what the filter says of names, ``within``, kinds, threads, devices and streams
        does not narrow it. The file opens in Perfetto and chrome://tracing. Read back with nbprof,
        times count from the same moment, and under a filter of the same range, or one within it,
        all tables are the same. Slices outside of the range are in the file where those tables
        depend on them: what lies round and inside a
        slice, who launched a kernel, what a backward operator belongs to.

        A part cannot say what only the whole recording does: ``warnings`` about overlaps and lost
        launches outside of the range; the peak behind the recommendation ``memory_limit`` and the
        number of passes in ``ddp_backend``, which no filter narrows; the label that
        ``steps_not_marked`` names; who holds memory since before
        the range, and how much that is where the recorder did not say totals (``memory_curve``,
        ``memory_peak``, ``memory_peak_holders``); and in ``slices`` the row numbers, and depths in
        lanes where slices overlap. Averages may differ in their last digits, since fewer numbers
        are added up. ``device_time`` calls the worker as the file is called. Arguments that nbprof
        has no column for are not written.

        The form is PyTorch's, which has no place for what only other recorders tell. Of an Ascend
        recording slices with their times, streams and launches, all arrows and the counters come
        back; what its CSV and JSON files say does not: AI Cores, shapes and metrics of kernels,
        times that the recorder added up, names and threads of memory records, components of
        memory, and measures of collectives. Lanes that are no streams keep their numbers, not
        their names, in nbprof. Of a Paddle recording slices, steps (as ``ProfilerStep#``) and
        device work come back; types of events, and with them stages, do not, nor do shapes by
        argument, peaks of memory, and memory that is reserved apart from what is allocated.

        Parameters
        ----------
        path : path
            Where to, by its name ``….json``, or ``….json.gz`` to pack it. The file appears whole or
            not at all.
        time_us : (float, float), optional
            Range in microseconds, in place of the filter's.

        Raises
        ------
        FilterError
            The range cannot be applied.
        FileExistsError
            It is the file that the trace was read from, which holds more than is written.
        OSError
            The file cannot be written.
        """
        self._keep_source(path)
        filter_ = self.active_filter
        if time_us is not None:
            filter_ = filter_.replace(time_us=time_us)
        if not self.holds_events(filter_):
            place = filter_.only_range()
            nothing_kept(f"to_chrome_trace: {path}", place, self._extent(), stacklevel=2)
        write_chrome_trace(self.model, path, filter_)

    def holds_events(self, filter_: Filter | None = None) -> bool:
        """Whether anything lies in the steps and the time range of a filter.

        Parameters
        ----------
        filter_ : Filter, optional
            By default the trace's own.
        """
        place = (self.active_filter if filter_ is None else filter_).only_range()
        return not place or selection.holds_rows(self.model, place)

    def _extent(self) -> str:
        """Return which steps and how much time there is, in words."""
        steps, end = self.model.steps.number, self.model.metadata.get("end_ns", 0)
        numbers = f"steps {steps.min()} to {steps.max()} in " if len(steps) else ""
        events = format_count(self.model.metadata.get("events", 0), "event")
        return f"{numbers}{events} over {format_time(end / 1000.0)}"

    def export_stacks(
        self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total"
    ) -> None:
        """Write call stacks as text for flame graph tools, as `torch.profiler` does.

        A line is the stack of an event, the outermost frame first, joined by ``;``, and the time
        that the event took itself in whole microseconds. ``flamegraph.pl`` and speedscope read it.
        Events are those that the trace is narrowed to. Beside what PyTorch writes there are the
        stacks of gradients being added up and of runtime calls, and stacks are rebuilt where they
        were recorded as Python frames.

        Parameters
        ----------
        path : path
            Where to; packed if it ends in ``.gz``. The file appears whole or not at all.
        metric : str
            ``"self_cpu_time_total"``, or ``"self_device_time_total"`` for the device work that an
            event launched, which also goes by ``"self_cuda_time_total"``,
            ``"self_xpu_time_total"`` and ``"self_privateuse1_time_total"``.

        Raises
        ------
        UnknownNameError
            There is no such metric.
        FileExistsError
            It is the file that the trace was read from.
        OSError
            The file cannot be written.
        """
        self._keep_source(path)
        lines = analysis.stack_lines(self.model, self.active_filter, metric=metric)
        with opened(Path(path)) as file:
            file.writelines(f"{line}\n".encode("utf-8", "surrogatepass") for line in lines)

    def _keep_source(self, path: str | os.PathLike[str]) -> None:
        """Refuse to write over the file that the trace was read from."""
        sources = self.file.parts or (self.file.path,)
        if Path(path).exists() and any(one.exists() and one.samefile(path) for one in sources):
            message = f"{path} is what the trace was read from. Choose another name."
            raise FileExistsError(message)

    def __repr__(self) -> str:
        """Return one line: which trace, and what it is narrowed to."""
        narrowed = ", ".join(text for _, text in self.active_filter.describe())
        return (
            f"<nbprof.Trace run={self.run!r} worker={self.worker!r} span={self.span}"
            f"{f' step={self.step!r}' if self.step is not None else ''}"
            f"{f' filtered to {narrowed}' if narrowed else ''}>"
        )
