"""Operator calls with times summed by the recorder, as torch_npu does.

Its device times are those of the work that the operators requested, by the recorder's own arrows.
If a filter narrows the device work, they are summed here from the linked rows; without such a
filter both agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import counted_device_rows, kept_host_rows, work_rows
from nbprof.analysis.grouping import NS_PER_US, sums
from nbprof.analysis.kernels.npu_cores import cores_of, rows_on
from nbprof.analysis.subtree_sums import Forest
from nbprof.model.filters.filter import Filter
from nbprof.model.filters.patterns import match_names
from nbprof.model.filters.within import Within, match_within
from nbprof.model.links.nesting import nearest_ancestor

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

#: Filter fields that need the time or thread of a call.
_PLACES: Final = ("steps", "time_us", "threads")


@dataclass(frozen=True)
class DeviceTimes:
    """Device times of calls in µs; arrays of shape (calls,).

    Attributes
    ----------
    own, total : ndarray of float64
        Time of the work that the call itself requested; the same with nested calls.
    ai_core_own, ai_core_total : ndarray of float64
        The part of these times on AI Cores.
    """

    own: Floats
    total: Floats
    ai_core_own: Floats
    ai_core_total: Floats


def has_measured(model: TraceModel) -> bool:
    """Return whether the recorder summed the times of operators."""
    return bool(model.tables["measured_operators"].num_rows)


def lacks_times(model: TraceModel) -> bool:
    """Return whether the recorder summed the times of operators that have no rows of their own."""
    return has_measured(model) and not (model.column("measured_operators", "row") >= 0).any()


def kept_calls(model: TraceModel, filter_: Filter) -> Mask:
    """Return which calls the filter keeps, shape (calls,).

    Calls without a start time are left out if the filter has a time range or threads, or if it
    narrows device work, because their part of that work is unknown.
    """
    row = model.column("measured_operators", "row")
    keep = np.ones(len(row), bool)
    if filter_.name is not None:
        matches = match_names(model.values("measured_operators", "name"), filter_.name)
        keep &= np.append(matches, False)[_names(model)]
    if filter_.kinds is not None and "operator" not in filter_.kinds:
        keep[:] = False
    if filter_.within is not None:
        names = match_within(model.values("measured_operators", "name"), filter_.within)
        named_so = np.append(names, False)[_names(model)]
        passes = np.append(Within.of(model, filter_.within).host, False)[row]
        # Only the name is known of calls without a start time.
        keep &= np.where(row >= 0, passes, named_so)
    place = Filter(**{field: getattr(filter_, field) for field in _PLACES})
    if place:
        keep &= np.append(kept_host_rows(model, place), False)[row]
    if _narrows_device(model, filter_):
        keep &= row >= 0
    return keep


def _narrows_device(model: TraceModel, filter_: Filter) -> bool:
    """Return whether a filter excludes some device work."""
    narrow = filter_.replace(steps=None, time_us=None, name=None, threads=None)
    return bool(np.any(counted_device_rows(model, narrow) != work_rows(model)))


def device_times(model: TraceModel, filter_: Filter) -> DeviceTimes:
    """Return the device times of all calls, counting the work that the filter keeps."""
    if not _narrows_device(model, filter_):
        names = "device_self_us", "device_total_us", "ai_core_self_us", "ai_core_total_us"
        return DeviceTimes(*(np.nan_to_num(model.column("measured_operators", n)) for n in names))
    return linked_times(model, counted_device_rows(model, filter_))


def linked_times(model: TraceModel, counted: Mask) -> DeviceTimes:
    """Return the device times of all calls, summed from selected device rows.

    Parameters
    ----------
    model : TraceModel
        The trace.
    counted : ndarray of bool, shape (device rows,)
        Device rows that count.
    """
    forest, call_of_device = model.cached("measured calls", lambda: _calls(model))
    found = []
    for counts in (counted, counted & rows_on(model, cores_of(model).operator_tasks)):
        rows = np.flatnonzero(counts & (call_of_device >= 0))
        time = model.column("device", "duration_ns")[rows] / NS_PER_US
        own = sums(call_of_device[rows], time, len(forest.parent))
        found += [own, forest.totals(own)]
    return DeviceTimes(*found)


def _calls(model: TraceModel) -> tuple[Forest, Rows]:
    """Return the nesting of the measured calls, and the call that requested each device row."""
    row = model.column("measured_operators", "row")
    index = np.full(model.tables["host"].num_rows + 1, -1, np.int64)  # last: index -1
    index[row] = np.arange(len(row))
    index[-1] = -1
    above = nearest_ancestor(model.nesting.parent, index[:-1] >= 0)
    parent = np.where(row >= 0, index[np.append(above, -1)[row]], -1)
    return Forest.of(parent), index[model.links.operator]


def _names(model: TraceModel) -> Rows:
    codes: Rows = model.column("measured_operators", "name")
    return codes
