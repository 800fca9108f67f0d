"""The tables of a trace: every analysis a method, under the filter that the trace has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from nbprof import analysis
from nbprof.analysis.devices.rows import unlinked_rows
from nbprof.empty_tables import tell_if_empty, tells_if_empty
from nbprof.model.contract.table import with_unlinked
from nbprof.model.errors import UnknownNameError
from nbprof.timeline import area
from nbprof.timeline import table as timeline_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel


class TraceTables(ABC):
    """What `Trace` can say in tables; it holds nothing itself.

    Attributes
    ----------
    active_filter : Filter
        What the tables are narrowed to.
    """

    active_filter: Filter

    @property
    @abstractmethod
    def model(self) -> TraceModel:
        """The Arrow tables of the trace, see `nbprof.model.trace.schema`."""

    @property
    @abstractmethod
    def worker(self) -> str:
        """The worker's name."""

    @abstractmethod
    def filter(self, filter_: Filter | None = None, /, **conditions: Any) -> TraceTables:
        """Return the trace narrowed to a filter."""

    def warnings(self) -> pa.Table:
        """Return what was repaired, dropped or odd (table ``warnings``)."""
        return analysis.warnings(self.model)

    @tells_if_empty
    def steps(self) -> pa.Table:
        """Return the time of every step by category (table ``steps``)."""
        return analysis.steps(self.model, self.active_filter)

    @tells_if_empty
    def overview(self) -> pa.Table:
        """Return the average step by category (table ``overview``)."""
        return analysis.overview(self.model, self.active_filter)

    @tells_if_empty
    def stages(self) -> pa.Table:
        """Return the time of every step by stage (table ``stages``)."""
        return analysis.stages(self.model, self.active_filter)

    @tells_if_empty
    def stage_summary(self) -> pa.Table:
        """Return how often and how long each stage ran (table ``stage_summary``)."""
        return analysis.stage_summary(self.model, self.active_filter)

    @tells_if_empty
    def events(self) -> pa.Table:
        """Return types of events by the stage that they began in (table ``events``)."""
        return analysis.events(self.model, self.active_filter)

    @tells_if_empty
    def device_summary(self) -> pa.Table:
        """Return properties and utilization of every device (table ``device_summary``)."""
        return analysis.device_summary(self.model, self.active_filter)

    @tells_if_empty
    def device_time(self) -> pa.Table:
        """Return computation, exposed communication and copies, idle (table ``device_time``)."""
        return analysis.device_time(self.model, self.active_filter, worker=self.worker)

    def recommendations(self) -> pa.Table:
        """Return what to look at first, with numbers and evidence (table ``recommendations``)."""
        return analysis.recommendations(self.model, self.active_filter)

    @tells_if_empty
    def operators(self, group_by: str = "name") -> pa.Table:
        """Return operators (table ``operators``).

        Parameters
        ----------
        group_by : {"name", "name+shape", "name+stack"}
            What makes a row.
        """
        return analysis.operators(self.model, self.active_filter, group_by=group_by)

    @tells_if_empty
    def operator_phases(self) -> pa.Table:
        """Return how long operators infer shapes and compute (table ``operator_phases``)."""
        return analysis.operator_phases(self.model, self.active_filter)

    @tells_if_empty
    def operator_parts(self, group_by: str = "name") -> pa.Table:
        """Return what lies straight inside operators (table ``operator_parts``).

        Parameters
        ----------
        group_by : {"name", "name+shape"}
            What makes an operator.
        """
        return analysis.operator_parts(self.model, self.active_filter, group_by=group_by)

    @tells_if_empty
    def user_events(self) -> pa.Table:
        """Return the user's own annotations (table ``user_events``)."""
        return analysis.user_events(self.model, self.active_filter)

    @tells_if_empty
    def kernels(self, group_by: str = "name") -> pa.Table:
        """Return kernels (table ``kernels``).

        Parameters
        ----------
        group_by : {"name", "name+stack", "properties", "launch"}
            What makes a row: the name, name and call stack, name, operator and launch
            configuration, or every kernel by itself.
        """
        return analysis.kernels(self.model, self.active_filter, group_by=group_by)

    @tells_if_empty
    def accelerator_cores(self) -> pa.Table:
        """Return the kernel time on every core of an NPU (table ``accelerator_cores``)."""
        return analysis.accelerator_cores(self.model, self.active_filter)

    @tells_if_empty
    def npu_steps(self) -> pa.Table:
        """Return computation, communication and free time by step (table ``npu_steps``)."""
        return analysis.npu_steps(self.model, self.active_filter)

    @tells_if_empty
    def slices(self) -> pa.Table:
        """Return every slice of the timeline, with its lane and row (table ``slices``)."""
        return timeline_table.slices(self.model, self.active_filter)

    @tells_if_empty
    def slice_summary(self, lanes: Sequence[str] | None = None) -> pa.Table:
        """Return what ran in the filter's range of time, by name (table ``slice_summary``).

        Slices that reach into the range count, with the time that they spend inside it.

        Parameters
        ----------
        lanes : sequence of str, optional
            Only these lanes, by their keys in the table ``slices``.
        """
        return area.slice_summary(self.model, self.active_filter, lanes=lanes)

    @tells_if_empty
    def memory_curve(self) -> pa.Table:
        """Return the memory of every device over time (table ``memory_curve``)."""
        return analysis.memory_curve(self.model, self.active_filter)

    @tells_if_empty
    def memory_operators(self) -> pa.Table:
        """Return what operators allocate and release (table ``memory_operators``)."""
        return analysis.memory_operators(self.model, self.active_filter)

    @tells_if_empty
    def memory_events(self) -> pa.Table:
        """Return every block from allocation to release (table ``memory_events``)."""
        return analysis.memory_events(self.model, self.active_filter)

    @tells_if_empty
    def memory_peak(self) -> pa.Table:
        """Return the most memory in use on every device (table ``memory_peak``)."""
        return analysis.memory_peak(self.model, self.active_filter)

    @tells_if_empty
    def memory_peak_holders(self) -> pa.Table:
        """Return who holds the memory at the peak (table ``memory_peak_holders``)."""
        return analysis.memory_peak_holders(self.model, self.active_filter)

    @tells_if_empty
    def memory_categories(self) -> pa.Table:
        """Return what memory is for over time (table ``memory_categories``)."""
        return analysis.memory_categories(self.model, self.active_filter)

    @tells_if_empty
    def memory_components(self) -> pa.Table:
        """Return the peak of each part of the software (table ``memory_components``)."""
        return analysis.memory_components(self.model, self.active_filter)

    @tells_if_empty
    def modules(self) -> pa.Table:
        """Return the module tree with its times, forward and backward (table ``modules``)."""
        return analysis.modules(self.model, self.active_filter)

    @tells_if_empty
    def flame(self, by: str = "host", order: str = "left_heavy") -> pa.Table:
        """Return a flame graph of modules, operators and Python functions (table ``flame``).

        Parameters
        ----------
        by : {"host", "device", "bytes"}
            What frames are worth: host time, device time that they launched, bytes they allocated.
        order : {"left_heavy", "time"}
            Whether equal stacks are one, the widest to the left, or every call is where it ran.
        """
        return analysis.flame(self.model, self.active_filter, by=by, order=order)

    def table(self, name: str, **options: Any) -> pa.Table:
        """Return a table by its name in the contract.

        Raises
        ------
        UnknownNameError
            A trace has no such table.
        """
        made = self.made(name, **options)
        tell_if_empty(self, name, options, made)
        return made

    def made(self, name: str, **options: Any) -> pa.Table:
        """Return a table as `table` does, without a warning where a filter keeps nothing of it.

        This is for those who say so themselves, as the views do.

        Raises
        ------
        UnknownNameError
            A trace has no such table.
        """
        if name not in TRACE_TABLES:
            message = f"A trace has no table {name!r}; it has {', '.join(TRACE_TABLES)}."
            raise UnknownNameError(message)
        method = getattr(type(self), name)
        return self.placed(getattr(method, "__wrapped__", method)(self, **options))

    def placed(self, table: pa.Table) -> pa.Table:
        """Return a table of the trace that tells, under ``within``, of work that it cannot place.

        How many rows of device work have neither a launch nor an operator stands in its metadata.
        """
        if self.active_filter.within is None:
            return table
        return with_unlinked(table, unlinked_rows(self.model, self.active_filter))


#: The tables that a trace has, in the order of the documentation.
TRACE_TABLES = (
    "warnings",
    "steps",
    "overview",
    "stages",
    "stage_summary",
    "events",
    "device_summary",
    "device_time",
    "recommendations",
    "operators",
    "operator_phases",
    "operator_parts",
    "user_events",
    "kernels",
    "accelerator_cores",
    "npu_steps",
    "slices",
    "slice_summary",
    "memory_curve",
    "memory_operators",
    "memory_events",
    "memory_peak",
    "memory_peak_holders",
    "memory_categories",
    "memory_components",
    "modules",
    "flame",
)
