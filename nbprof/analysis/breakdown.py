"""What the time of each step goes to, in whole nanoseconds.

Every moment of a step counts for the first category in the order of `kinds.CATEGORIES` that was
active anywhere, on any thread, device or stream; what is left is Other. The definition is that of
the PyTorch TensorBoard plugin, without its refill: there, once a category had used up all step
time, the next one was given all of it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.communication import device_communication, host_communication
from nbprof.analysis.device_rows import kept_host_rows, narrowed, work_of_kind
from nbprof.analysis.grouping import latest
from nbprof.model import intervals, kinds, selection
from nbprof.model.roles import data_loader_rows

if TYPE_CHECKING:
    from nbprof.model.filter import Filter
    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace_model import TraceModel

Values = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Breakdown:
    """The steps inside a filter's range; all arrays have shape (steps,).

    Attributes
    ----------
    number : ndarray of int64
        Number of the step.
    start_ns, end_ns : ndarray of int64
        The step, cut to the range.
    costs : dict of str to ndarray of int64
        Nanoseconds of each category, by column stem; they sum to end - start.
    complete : ndarray of bool
        Whether the step was recorded in full and is not cut by the range.
    """

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
        """Which steps averages are taken over: the complete ones, without any all of them."""
        return self.complete if self.complete.any() else np.ones(len(self.complete), bool)

    def averages(self) -> dict[str, float]:
        """Return mean nanoseconds by category, and of the step under "total"; {} without steps."""
        use = self.averaged
        if not use.any():
            return {}
        means = {name: float(cost[use].mean()) for name, cost in self.costs.items()}
        return {**means, "total": float(self.total_ns[use].mean())}

    def window(self) -> IntervalSet:
        """Return the one span from the first to the last of the averaged steps.

        Gaps between steps are part of it, as in the plugin, so that a share of it can be lower
        than the same share of the steps.
        """
        use = self.averaged
        if not use.any():
            return intervals.empty()
        low, high = self.start_ns[use].min(keepdims=True), self.end_ns[use].max(keepdims=True)
        return intervals.union(low, high)


def break_down(model: TraceModel, filter_: Filter) -> Breakdown:
    """Split the steps inside the filter's range by category."""
    return latest(model, "breakdown", filter_, lambda: _break_down(model, filter_))


def _break_down(model: TraceModel, filter_: Filter) -> Breakdown:
    steps = model.steps
    start, end, chosen = steps.start_ns, steps.end_ns, np.ones(len(steps.number), bool)
    if filter_.steps is not None:
        chosen &= (steps.number >= filter_.steps[0]) & (steps.number <= filter_.steps[1])
    if filter_.time_us is not None:
        low, high = selection.time_range_ns(filter_.time_us)
        # A step without length is in the range if its start is, like any row.
        chosen &= ((end > low) & (start < high) | (start == end) & (start == low)) & (low < high)
        start, end = np.maximum(start, low), np.minimum(end, high)
    complete = steps.complete & (start == steps.start_ns) & (end == steps.end_ns)
    start, end, complete = start[chosen], end[chosen], complete[chosen]
    left = intervals.union(start, end)
    costs: dict[str, Values] = {}
    for name, active in _active(model, filter_).items():
        costs[name] = intervals.measure_within(intervals.intersect(left, active), start, end)
        left = intervals.subtract(left, active)
    costs["other"] = intervals.measure_within(left, start, end)
    return Breakdown(steps.number[chosen], start, end, costs, complete)


def _active(model: TraceModel, filter_: Filter) -> dict[str, IntervalSet]:
    """Return when each category was active; only rows are narrowed here, never the time."""
    rows = filter_.replace(steps=None, time_us=None, workers=None)
    return latest(model, "category intervals", rows, lambda: _category_sets(model, rows))


def _category_sets(model: TraceModel, rows: Filter) -> dict[str, IntervalSet]:
    device = narrowed(model, rows)
    host = kept_host_rows(model, rows)
    communication = device_communication(model)
    host_communicates = host_communication(model)
    kind = model.column("host", "kind")
    loader = data_loader_rows(model)
    ranges = (kind == kinds.OPERATOR) | (kind == kinds.ANNOTATION)
    working = device & ~communication
    return {
        "kernel": _device_union(model, working & work_of_kind(model, kinds.KERNEL)),
        "memcpy": _device_union(model, working & work_of_kind(model, kinds.MEMCPY)),
        "memset": _device_union(model, working & work_of_kind(model, kinds.MEMSET)),
        "communication": intervals.union(
            *(
                np.concatenate(pair)
                for pair in zip(
                    _device_union(model, device & communication),
                    _host_union(model, host & host_communicates),
                    strict=True,
                )
            )
        ),
        "runtime": _host_union(model, host & (kind == kinds.RUNTIME)),
        "dataloader": _host_union(model, host & loader),
        "cpu_exec": _host_union(model, host & ranges & ~loader & ~host_communicates),
    }


def _device_union(model: TraceModel, rows: Mask) -> IntervalSet:
    start = model.column("device", "start_ns")[rows]
    return intervals.union(start, start + model.column("device", "duration_ns")[rows])


def _host_union(model: TraceModel, rows: Mask) -> IntervalSet:
    """Merge host rows; the order by start is kept, since the table is sorted by thread first."""
    start = model.column("host", "start_ns")
    by_start = model.cached("host by start", lambda: np.argsort(start, kind="stable"))
    ordered = by_start[rows[by_start]]
    begin = start[ordered]
    return intervals.union(begin, begin + model.column("host", "duration_ns")[ordered])
