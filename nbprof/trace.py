"""`Trace`: one worker and span of a profile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from nbprof.analysis.modules.stacks import stack_lines
from nbprof.content import content_of
from nbprof.model.filters import selection
from nbprof.model.filters.empty_results import nothing_kept
from nbprof.model.filters.fields import FilterFields
from nbprof.model.filters.filter import NO_FILTER, Filter, narrowed, only_range
from nbprof.model.signatures import named_keywords
from nbprof.model.steps.step_choice import step_candidates
from nbprof.model.units import format_count, format_time
from nbprof.sources import READ_ALL, opened, write_chrome_trace
from nbprof.tables.trace import TraceTables

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from typing_extensions import Unpack

    from nbprof.content import TraceContent
    from nbprof.model.steps.step_choice import StepCandidate
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources import ReadOptions, TraceFile

__all__ = ["Reader", "Trace"]

#: Reads a `TraceContent`, reporting progress as requested.
Reader: TypeAlias = "Callable[[TraceContent, Any], TraceModel]"


class Trace(TraceTables):
    """One worker and span of a profile, optionally narrowed by a filter.

    The file is read when its data are first needed. Get a trace from `Profile.trace`.

    Attributes
    ----------
    file : TraceFile
        The file that holds the trace.
    active_filter : Filter
        The filter that applies to its tables.

    Examples
    --------
    >>> trace = nbprof.load("logs/").trace(worker="worker0").read()
    >>> trace.filter(steps=(3, 4), name="gemm").kernels().num_rows > 0
    True
    >>> trace.table("operators", group_by="name+shape").column_names[:2]
    ['name', 'input_shapes']
    >>> trace.filter(steps=3).to_chrome_trace("step3.json.gz")
    >>> trace.export_stacks("stacks.txt")
    >>> [label.pattern for label in trace.step_candidates()]
    []
    >>> trace.with_step(None).steps().num_rows
    6
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
        self._content = content
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
        """The file that holds the trace."""
        return str(self.file.path)

    @property
    def model(self) -> TraceModel:
        """The Arrow tables of the trace; reads the file if necessary."""
        return self._reader(self._content, None)

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the file (known keys only)."""
        return dict(self.model.metadata)

    @property
    def step(self) -> str | None:
        """The pattern of the annotations used as steps; None for steps that the recorder marked."""
        return self._options.step

    def step_candidates(self) -> tuple[StepCandidate, ...]:
        """Return labels that may mark the steps, for traces recorded without `prof.step()`.

        Candidates are annotations that repeat at the top level of a thread. Labels that differ only
        in numbers and arguments form one candidate, such as ``execute_context_…_generation_…``.
        Choose one by its ``pattern``: ``trace.with_step(pattern)`` or ``nbprof.load(…,
        step=pattern)``. Candidates are sorted by host time, largest first.
        """
        return step_candidates(self.model)

    def with_step(self, step: str | None) -> Trace:
        """Return the trace with other annotations as steps, without reading the file again.

        Parameters
        ----------
        step : str or None
            A part of their names, or ``/regular expression/``, as in `nbprof.load`. None uses the
            steps that the recorder marked, or the whole recording if there are none.

        Raises
        ------
        FilterError
            No annotation matches, or the recorder marked steps.
        """
        options = replace(self._options, step=step)
        content = content_of(self.file, options)
        return Trace(self.file, content, self._reader, options, self.active_filter)

    @property
    def is_read(self) -> bool:
        """Whether the file has been read in full."""
        return self._content.is_read

    def read(self, *, progress: Any = None) -> Trace:
        """Read the file now if it has not been read yet, and return the trace.

        Parameters
        ----------
        progress : "auto", False or callable, optional
            Replaces the setting given to `nbprof.load`.

        Raises
        ------
        TraceFormatError
            No part of the file can be read.
        """
        self._reader(self._content, progress)
        return self

    @named_keywords(FilterFields)
    def filter(self, filter_: Filter | None = None, /, **conditions: Unpack[FilterFields]) -> Trace:
        """Return the trace narrowed by a filter, in addition to its current one.

        A trace of which `nbprof.load` read only a part stays limited to that part.

        Parameters
        ----------
        filter_ : Filter, optional
            A filter that replaces the current one as a whole.
        **conditions
            Fields of `Filter` that replace those of the current one.

        Raises
        ------
        FilterError
            A condition is unknown or cannot be applied.
        """
        active_filter = narrowed(self.active_filter, filter_, conditions)
        return Trace(self.file, self._content, self._reader, self._options, active_filter)

    def to_chrome_trace(
        self, path: str | os.PathLike[str], *, time_us: tuple[float, float] | None = None
    ) -> None:
        """Write the trace, or the part that its filter selects, as a Chrome JSON file.

        The filter's steps and time range select the part, with a warning if it is empty. Its names,
        ``within``, kinds, threads, devices and streams are ignored. The file opens in Perfetto and
        chrome://tracing. When nbprof reads it back, times count from the same zero, and all tables
        are equal to those of the original under a filter with the same range or one within it. The
        file therefore includes slices outside of the range that these tables depend on: those
        enclosing and inside a slice, the launches of kernels, and the forward operators of backward
        ones.

        Some results need the whole recording and differ for a part: ``warnings`` about overlaps and
        lost launches outside of the range; the peak behind the recommendation ``memory_limit`` and
        the number of passes in ``ddp_backend``, which no filter narrows; the label that
        ``steps_not_marked`` names; the holders of memory allocated before the range, and its size
        if the recorder did not write totals (``memory_curve``, ``memory_peak``,
        ``memory_peak_holders``); and in ``slices`` the row numbers, and depths in lanes with
        overlapping slices. Averages may differ in their last digits, since fewer numbers are
        summed. In ``device_time``, the worker is named after the file. Arguments for which nbprof
        has no column are not written.

        The file has PyTorch's format, which cannot represent everything that other recorders write.
        An Ascend recording keeps its slices with times, streams and launches, its flow arrows and
        its counters. It loses the data of its CSV and JSON files: AI Cores, shapes and metrics of
        kernels, times that the recorder summed, names and threads of memory records, memory
        components, and measurements of collectives. In nbprof, lanes that are not streams keep
        their numbers but not their names. A Paddle recording keeps its slices, its steps (as
        ``ProfilerStep#``) and its device work. It loses event types, and with them stages, shapes
        by argument, memory peaks, and reserved memory as distinct from allocated memory.

        Parameters
        ----------
        path : path
            Path of the file: ``….json``, or ``….json.gz`` for gzip. The file is written atomically.
        time_us : (float, float), optional
            Time range in microseconds that replaces the filter's.

        Raises
        ------
        FilterError
            The range cannot be applied.
        FileExistsError
            The path is that of the file the trace was read from, which holds more than would be
            written.
        OSError
            The file cannot be written.
        """
        self._keep_source(path)
        filter_ = self.active_filter
        if time_us is not None:
            filter_ = filter_.replace(time_us=time_us)
        if not selection.holds_events(self.model, filter_):
            place = only_range(filter_)
            nothing_kept(f"to_chrome_trace: {path}", place, self._extent(), stacklevel=2)
        write_chrome_trace(self.model, path, filter_)

    def _extent(self) -> str:
        """Return which steps and how much time the trace covers, as text."""
        steps, end = self.model.steps.number, self.model.metadata.get("end_ns", 0)
        numbers = f"steps {steps.min()} to {steps.max()} in " if len(steps) else ""
        events = format_count(self.model.metadata.get("events", 0), "event")
        return f"{numbers}{events} over {format_time(end / 1000.0)}"

    def export_stacks(
        self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total"
    ) -> None:
        """Write call stacks as text for flame graph tools, as `torch.profiler` does.

        Each line holds the stack of an event, outermost frame first, joined by ``;``, and the self
        time of the event in whole microseconds. ``flamegraph.pl`` and speedscope read this format.
        Only events that the filter keeps are written. In addition to PyTorch's output, there are
        stacks of gradient accumulation and of runtime calls, and stacks that were recorded as
        Python frames are rebuilt.

        Parameters
        ----------
        path : path
            Path of the file, compressed if it ends in ``.gz``. The file is written atomically.
        metric : str
            ``"self_cpu_time_total"``, or ``"self_device_time_total"`` for the device work that an
            event launched. ``"self_cuda_time_total"``, ``"self_xpu_time_total"`` and
            ``"self_privateuse1_time_total"`` are synonyms of the latter.

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
        lines = stack_lines(self.model, self.active_filter, metric=metric)
        with opened(Path(path)) as file:
            file.writelines(f"{line}\n".encode("utf-8", "surrogatepass") for line in lines)

    def _keep_source(self, path: str | os.PathLike[str]) -> None:
        """Raise FileExistsError if a path is that of the file the trace was read from."""
        sources = self.file.parts or (self.file.path,)
        if Path(path).exists() and any(one.exists() and one.samefile(path) for one in sources):
            message = f"{path} is what the trace was read from. Choose another name."
            raise FileExistsError(message)

    def __repr__(self) -> str:
        """Return one line: the trace, and its filter."""
        conditions = ", ".join(text for _, text in self.active_filter.describe())
        return (
            f"<nbprof.Trace run={self.run!r} worker={self.worker!r} span={self.span}"
            f"{f' step={self.step!r}' if self.step is not None else ''}"
            f"{f' filtered to {conditions}' if conditions else ''}>"
        )
