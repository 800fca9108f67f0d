"""Table `user_events`: the ranges that users name with `record_function`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.communication import is_communication_operator
from nbprof.analysis.device_rows import counted_device_rows, has_device, kept_host_rows
from nbprof.analysis.forest import Forest
from nbprof.analysis.grouping import dense, extremes, sums, texts, us
from nbprof.model import contract, kinds
from nbprof.model.filter import NO_FILTER, Filter
from nbprof.model.module_tree import sources_of_device
from nbprof.model.nesting import nearest_ancestor
from nbprof.model.roles import is_wrapper, named
from nbprof.model.table import make_table

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


def user_events(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the user's annotations that the filter keeps, by name, most host time first.

    Steps, data loaders, optimizers and collectives are annotations of the framework and left out.
    Device time is that of all work launched from inside, on the annotation's thread.
    """
    annotations = model.cached(
        "user annotations", lambda: _Annotations.of(model, _user_annotations(model))
    )
    kept = kept_host_rows(model, filter_)[annotations.row]
    row = annotations.row[kept]
    group, first = dense(model.column("host", "name")[row])
    count = len(first)
    duration = model.column("host", "duration_ns")[row]
    calls = np.bincount(group, minlength=count)
    host = sums(group, duration, count)
    longest, shortest = extremes(group, duration, count)
    columns: dict[str, Floats | None] = {"device_total_us": None, "device_mean_us": None}
    if has_device(model):
        time = _launched_inside(model, annotations, counted_device_rows(model, filter_))
        device = sums(group, time[kept], count)
        columns = {
            "device_total_us": us(device),
            "device_mean_us": us(device / np.maximum(calls, 1)),
        }
    table = make_table(
        contract.USER_EVENTS,
        {
            "name": texts(model, "host", "name", model.column("host", "name")[row[first]]),
            "calls": calls,
            "host_total_us": us(host),
            "host_mean_us": us(host / np.maximum(calls, 1)),
            "host_max_us": us(longest),
            "host_min_us": us(shortest),
            **columns,
        },
    )
    return table.take(pa.array(np.lexsort((first, -host))))


def _user_annotations(model: TraceModel) -> Mask:
    def is_framework(name: str) -> bool:
        return is_wrapper(name) or is_communication_operator(name)

    is_annotation = model.column("host", "kind") == kinds.ANNOTATION
    users: Mask = is_annotation & ~named(model, "host", is_framework)
    return users


@dataclass(frozen=True)
class _Annotations:
    """The user's annotations: their host rows, nesting, and the innermost round each launch."""

    row: Rows
    forest: Forest
    of_device: Rows

    @classmethod
    def of(cls, model: TraceModel, is_user: Mask) -> _Annotations:
        row = np.flatnonzero(is_user)
        index = np.full(len(is_user), -1, np.int64)
        index[row] = np.arange(len(row))
        above = nearest_ancestor(model.nesting.parent, is_user)
        inner = np.where(above >= 0, index[above], -1) if len(above) else above
        source = sources_of_device(model)
        of_device = np.full(len(source), -1, np.int64)
        of_device[source >= 0] = inner[source[source >= 0]]
        return cls(row, Forest.of(inner[row]), of_device)


def _launched_inside(model: TraceModel, annotations: _Annotations, counted: Mask) -> Floats:
    """Return the device time launched inside each of the user's annotations."""
    rows = np.flatnonzero(counted & (annotations.of_device >= 0))
    duration = model.column("device", "duration_ns")[rows]
    own = sums(annotations.of_device[rows], duration, len(annotations.row))
    return annotations.forest.totals(own)
