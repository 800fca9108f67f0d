"""`Breakdown`: the time of each step by category, in whole nanoseconds.

Every moment of a step counts for the first category in `kinds.CATEGORIES` that was active on any
thread, device or stream; the rest is Other. The definition is that of the PyTorch TensorBoard
plugin, without a bug: there, once a category has used up all step time, the next one gets all of it
again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_intervals import device_union
from nbprof.analysis.devices.device_rows import kept_host_rows, narrowed, work_of_kind
from nbprof.analysis.grouping import latest
from nbprof.analysis.kernels.communication import device_communication, host_communication
from nbprof.model import intervals
from nbprof.model.filters import selection
from nbprof.model.intervals import Coverage
from nbprof.model.names.roles import data_loader_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace.model import TraceModel

Values = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Categories of host rows, in the order of `kinds.CATEGORIES`.
_HOST_CATEGORIES: Final = ("communication", "runtime", "dataloader", "cpu_exec")


@dataclass(frozen=True)
class Breakdown:
    """The steps inside a filter's range; all arrays have shape (steps,).

    Attributes
    ----------
    index : ndarray of int64
        Index of the step among those of the trace, whose numbers may repeat.
    number : ndarray of int64
        Number of the step.
    start_ns, end_ns : ndarray of int64
        The step, cut to the range.
    costs : dict of str to ndarray of int64
        Nanoseconds of each category, by column stem; they sum to end - start.
    complete : ndarray of bool
        Whether the step was recorded completely and is not cut by the range.
    """

    index: Values
    number: Values
    start_ns: Values
    end_ns: Values
    costs: dict[str, Values]
    complete: Mask

    @property
    def total_ns(self) -> Values:
        """Length of each step."""
        total: Values = self.end_ns - self.start_ns
        return total

    @property
    def averaged(self) -> Mask:
        """Which steps are averaged: the complete ones or, if there are none, all."""
        return self.complete if self.complete.any() else np.ones(len(self.complete), bool)

    def averages(self) -> dict[str, float]:
        """Return mean nanoseconds by category, and of the step as "total"; empty without steps."""
        use = self.averaged
        if not use.any():
            return {}
        means = {name: float(cost[use].mean()) for name, cost in self.costs.items()}
        return {**means, "total": float(self.total_ns[use].mean())}

    def window(self) -> IntervalSet:
        """Return the interval from the first to the last averaged step.

        As in the plugin it includes gaps between steps, so a share of it can be lower than the same
        share of the steps.
        """
        use = self.averaged
        if not use.any():
            return intervals.empty()
        low, high = self.start_ns[use].min(keepdims=True), self.end_ns[use].max(keepdims=True)
        return intervals.union(low, high)


def break_down(model: TraceModel, filter_: Filter) -> Breakdown:
    """Split the steps inside the filter's range by category."""
    return latest(model, "breakdown", filter_, lambda: _break_down(model, filter_))


@dataclass(frozen=True)
class StepRange:
    """The steps inside a filter's range; arrays of shape (steps of the trace,).

    Attributes
    ----------
    start_ns, end_ns : ndarray of int64
        The steps, cut to the range.
    chosen : ndarray of bool
        Which steps are in the range.
    complete : ndarray of bool
        Which were recorded completely and are not cut by the range.
    """

    start_ns: Values
    end_ns: Values
    chosen: Mask
    complete: Mask


def steps_in_range(model: TraceModel, filter_: Filter) -> StepRange:
    """Return which steps are in a filter's range, and what is left of them."""
    steps = model.steps
    start, end, chosen = steps.start_ns, steps.end_ns, np.ones(len(steps.number), bool)
    nothing_ran = not any(model.tables[side].num_rows for side in ("host", "device"))
    # Only sums were recorded, which are in `npu_steps`, or only memory.
    if nothing_ran and (model.capabilities.step_totals or _has_no_steps(model)):
        chosen[:] = False
    if filter_.steps is not None:
        chosen &= (steps.number >= filter_.steps[0]) & (steps.number <= filter_.steps[1])
    if filter_.time_us is not None:
        low, high = selection.time_range_ns(filter_.time_us)
        # Like any row, a step of length 0 is in the range if its start is.
        chosen &= ((end > low) & (start < high) | (start == end) & (start == low)) & (low < high)
        start, end = np.maximum(start, low), np.minimum(end, high)
    complete = steps.complete & (start == steps.start_ns) & (end == steps.end_ns)
    return StepRange(start, end, chosen, complete)


def _has_no_steps(model: TraceModel) -> bool:
    """Return whether something else than steps was recorded; an empty part has those of the whole.

    A trace without any content is one step of length 0.
    """
    marked = model.steps.recorded or "steps" in model.metadata
    return not marked and any(table.num_rows for table in model.tables.values())


def _break_down(model: TraceModel, filter_: Filter) -> Breakdown:
    steps, found = model.steps, steps_in_range(model, filter_)
    start, end, chosen, complete = found.start_ns, found.end_ns, found.chosen, found.complete
    start, end, complete = start[chosen], end[chosen], complete[chosen]
    costs: dict[str, Values] = {}
    claimed = np.zeros(len(start), np.int64)
    for name, time in cumulative_coverage(model, filter_).items():
        within = time.within(start, end)
        costs[name] = within - claimed
        claimed = within
    costs["other"] = end - start - claimed
    return Breakdown(np.flatnonzero(chosen), steps.number[chosen], start, end, costs, complete)


def cumulative_coverage(model: TraceModel, filter_: Filter) -> dict[str, Coverage]:
    """Return when each category or one before it was active.

    The filter's range is not applied, so another range only has to be measured.
    """
    rows = filter_.replace(steps=None, time_us=None, workers=None)
    return latest(
        model, "claimed time", rows, lambda: _accumulate(times_of_categories(model, rows))
    )


def _accumulate(active: dict[str, IntervalSet]) -> dict[str, Coverage]:
    claimed = intervals.empty()
    sets = {}
    for name, times in active.items():
        claimed = _union(claimed, times)
        sets[name] = Coverage.of(claimed)
    return sets


def _union(a: IntervalSet, b: IntervalSet) -> IntervalSet:
    if not len(a[0]) or not len(b[0]):
        return b if len(b[0]) else a
    return intervals.union(np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]]))


def times_of_categories(model: TraceModel, rows: Filter) -> dict[str, IntervalSet]:
    """Return when each category was active, regardless of other categories.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : Filter
        Selects rows; without steps and time range.
    """
    device = narrowed(model, rows)
    communicates = device_communication(model)
    working = device & ~communicates
    of_host = rows.replace(devices=None, streams=None)
    host = {name: _host_union(model, name, of_host) for name in _HOST_CATEGORIES}
    return {
        "kernel": device_union(model, working & work_of_kind(model, kinds.KERNEL)),
        "memcpy": device_union(model, working & work_of_kind(model, kinds.MEMCPY)),
        "memset": device_union(model, working & work_of_kind(model, kinds.MEMSET)),
        **host,
        "communication": _union(device_union(model, device & communicates), host["communication"]),
    }


def _host_union(model: TraceModel, name: str, filter_: Filter) -> IntervalSet:
    """Return the union of a category's host rows that a filter keeps."""
    return latest(
        model, f"host time of {name}", filter_, lambda: _union_of_rows(model, name, filter_)
    )


def _union_of_rows(model: TraceModel, name: str, filter_: Filter) -> IntervalSet:
    rows = model.cached("host categories by start", lambda: host_categories(model))[name]
    if filter_:
        rows = rows[kept_host_rows(model, filter_).take(rows)]
    start = model.column("host", "start_ns").take(rows)
    return intervals.union(start, start + model.column("host", "duration_ns").take(rows))


def host_categories(model: TraceModel) -> dict[str, Values]:
    """Return the host rows of each category sorted by start instead of by thread."""
    communicates, loader = host_communication(model), data_loader_rows(model)
    kind = model.column("host", "kind")
    ranges = (kind == kinds.OPERATOR) | (kind == kinds.ANNOTATION)
    start = model.column("host", "start_ns")

    def by_start(chosen: Mask) -> Values:
        rows = np.flatnonzero(chosen)
        return rows[np.argsort(start[rows], kind="stable")]

    return {
        "communication": by_start(communicates),
        "runtime": by_start(kind == kinds.RUNTIME),
        "dataloader": by_start(loader),
        "cpu_exec": by_start(ranges & ~loader & ~communicates),
    }
