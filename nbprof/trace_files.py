"""`TraceFiles`: writes a trace as a Chrome JSON file, and its call stacks as text."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

from nbprof.model.filters import selection
from nbprof.model.filters.empty_results import nothing_kept, there_are
from nbprof.model.filters.filter import Filter, only_range
from nbprof.model.units import format_count, format_time

if TYPE_CHECKING:
    import os

    from nbprof.model.trace.model import TraceModel
    from nbprof.sources import TraceFile


class TraceFiles:
    """The files that `Trace` writes.

    Attributes
    ----------
    file : TraceFile
        The file that holds the trace; it is never overwritten.
    active_filter : Filter
        Selects the events that are written.
    """

    file: TraceFile
    active_filter: Filter

    @property
    @abstractmethod
    def model(self) -> TraceModel:
        """The Arrow tables of the trace; reads the file if necessary."""

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
        summed. In ``device_time``, the worker is named after the file. Slices that were recorded
        without a category are written without one; nbprof adds what it took them for. Arguments for
        which nbprof has no column are not written, nor are the name of the machine and the examples
        of warnings, which quote the original file.

        The file has PyTorch's format, which cannot represent everything that other recorders write.
        An Ascend recording keeps its slices with times, streams and launches, its flow arrows and
        its counters. It loses the data of its CSV and JSON files: AI Cores, shapes and metrics of
        kernels, times that the recorder summed, names and threads of memory records, memory
        components, and measurements of collectives. A Paddle recording keeps its slices, its steps
        (as ``ProfilerStep#``) and its device work. It loses event types, and with them stages,
        shapes by argument, memory peaks, and reserved memory as distinct from allocated memory.

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
        from nbprof.sources import write_chrome_trace

        self._keep_source(path)
        filter_ = self.active_filter
        if time_us is not None:
            filter_ = filter_.replace(time_us=time_us)
        if not selection.holds_events(self.model, filter_):
            place = only_range(filter_)
            nothing_kept(f"to_chrome_trace: {path}", place, self._extent(), stacklevel=2)
        write_chrome_trace(self.model, path, filter_)

    def _extent(self) -> str:
        """Return which steps and how much time the trace covers, as a clause."""
        steps, end = self.model.steps.number, self.model.metadata.get("end_ns", 0)
        number = self.model.metadata.get("events", 0)
        there = there_are(number, "event")
        if len(steps):
            events = format_count(number, "event")
            there = f"there are steps {steps.min()} to {steps.max()} in {events}"
        return f"{there} over {format_time(end / 1000.0)}"

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
        from nbprof.analysis.modules.stacks import stack_lines
        from nbprof.sources import opened

        self._keep_source(path)
        lines = stack_lines(self.model, self.active_filter, metric=metric)
        with opened(path) as file:
            file.writelines(f"{line}\n".encode("utf-8", "surrogatepass") for line in lines)

    def _keep_source(self, path: str | os.PathLike[str]) -> None:
        """Raise FileExistsError if a path is that of the file the trace was read from."""
        sources = self.file.parts or (self.file.path,)
        if Path(path).exists() and any(one.exists() and one.samefile(path) for one in sources):
            message = f"{path} is the file that the trace was read from. Choose another name."
            raise FileExistsError(message)
