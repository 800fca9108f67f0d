"""Calls of operators whose times the recorder added up itself, as torch_npu does.

Its device times are those of the device work that operators asked for, by its own arrows. Where a
filter narrows device work they are added up here, from the rows that these arrows lead to; the two
agree where nothing is narrowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.rows import counted_device_rows, kept_host_rows, work_rows
from nbprof.analysis.forest import Forest
from nbprof.analysis.grouping import NS_PER_US, sums
from nbprof.analysis.kernels.npu import cores_of, rows_on
from nbprof.model.filters.filter import Filter, match_names
from nbprof.model.filters.within import Within, match_within
from nbprof.model.links.nesting import nearest_ancestor

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

#: Fields of a filter that ask when and where a call ran.
_PLACES: Final = ("steps", "time_us", "threads")


@dataclass(frozen=True)
class DeviceTimes:
    """What calls took on the device, in µs; arrays of shape (calls,).

    Attributes
    ----------
    own, total : ndarray of float64
        Of the work that they asked for themselves; with that of calls inside.
    ai_core_own, ai_core_total : ndarray of float64
        The part of it on AI Cores.
    """

    own: Floats
    total: Floats
    ai_core_own: Floats
    ai_core_total: Floats


def has_measured(model: TraceModel) -> bool:
    """Whether the recorder added up times of operators."""
    return bool(model.tables["measured_operators"].num_rows)


def kept_calls(model: TraceModel, filter_: Filter) -> Mask:
    """Return which calls the filter keeps, shape (calls,).

    Calls without a time of day are left out where the filter asks for times or threads, and where
    it narrows device work, of which nobody can tell how much they asked for.
    """
    row = model.column("measured_operators", "row")
    keep = np.ones(len(row), bool)
    if filter_.name is not None:
        matches = match_names(model.values("measured_operators", "name"), filter_.name)
        keep &= np.append(np.array(matches, bool), False)[_names(model)]
    if filter_.kinds is not None and "operator" not in filter_.kinds:
        keep[:] = False
    if filter_.within is not None:
        names = match_within(model.values("measured_operators", "name"), filter_.within)
        named_so = np.append(np.array(names, bool), False)[_names(model)]
        passes = np.append(Within.of(model, filter_.within).host, False)[row]
        # Of calls without a time of day the name is all there is.
        keep &= np.where(row >= 0, passes, named_so)
    place = Filter(**{field: getattr(filter_, field) for field in _PLACES})
    if place:
        keep &= np.append(kept_host_rows(model, place), False)[row]
    if narrows_device(model, filter_):
        keep &= row >= 0
    return keep


def narrows_device(model: TraceModel, filter_: Filter) -> bool:
    """Whether a filter leaves out some device work."""
    narrow = filter_.replace(steps=None, time_us=None, name=None, threads=None)
    return bool(np.any(counted_device_rows(model, narrow) != work_rows(model)))


def device_times(model: TraceModel, filter_: Filter) -> DeviceTimes:
    """Return the device times of all calls, of the device work that the filter counts."""
    if not narrows_device(model, filter_):
        names = "device_self_us", "device_total_us", "ai_core_self_us", "ai_core_total_us"
        return DeviceTimes(*(np.nan_to_num(model.column("measured_operators", n)) for n in names))
    return linked_times(model, counted_device_rows(model, filter_))


def linked_times(model: TraceModel, counted: Mask) -> DeviceTimes:
    """Return the device times of all calls, added up from some device rows.

    Parameters
    ----------
    model : TraceModel
        The trace.
    counted : ndarray of bool, shape (device rows,)
        Those that count.
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
    """Return which measured call is round which, and which asked for each device row."""
    row = model.column("measured_operators", "row")
    index = np.full(model.tables["host"].num_rows + 1, -1, np.int64)  # the last one is for -1
    index[row] = np.arange(len(row))
    index[-1] = -1
    above = nearest_ancestor(model.nesting.parent, index[:-1] >= 0)
    parent = np.where(row >= 0, index[np.append(above, -1)[row]], -1)
    return Forest.of(parent), index[model.links.operator]


def _names(model: TraceModel) -> Rows:
    codes: Rows = model.column("measured_operators", "name")
    return codes
