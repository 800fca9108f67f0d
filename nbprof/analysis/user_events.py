"""Table `user_events`: the ranges that users name with `record_function`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.communication import is_communication_operator
from nbprof.analysis.device_rows import counted_device_rows, has_device
from nbprof.analysis.grouping import dense, extremes, sums, texts, us
from nbprof.model import contract, kinds, selection
from nbprof.model.filter import NO_FILTER, Filter
from nbprof.model.nesting import depths, nearest_ancestor
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
    is_user = model.cached("user annotations", lambda: _user_annotations(model))
    row = np.flatnonzero(is_user & selection.host_rows(model, filter_))
    group, first = dense(model.column("host", "name")[row])
    count = len(first)
    duration = model.column("host", "duration_ns")[row]
    calls = np.bincount(group, minlength=count)
    host = sums(group, duration, count)
    longest, shortest = extremes(group, duration, count)
    columns: dict[str, Floats | None] = {"device_total_us": None, "device_mean_us": None}
    if has_device(model):
        time = _launched_inside(model, is_user, counted_device_rows(model, filter_))
        device = sums(group, time[row], count)
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


def _launched_inside(model: TraceModel, is_user: Mask, launched: Mask) -> Floats:
    """Return for every host row that is an annotation the device time launched inside it."""
    links = model.links
    source = np.where(links.launch >= 0, links.launch, links.operator)
    rows = np.flatnonzero(launched & (source >= 0))
    duration = model.column("device", "duration_ns")[rows].astype(np.float64)
    above = nearest_ancestor(model.nesting.parent, is_user)
    users = np.flatnonzero(is_user)
    time = np.zeros(len(is_user))
    inner = above[source[rows]]
    np.add.at(time, inner[inner >= 0], duration[inner >= 0])
    index = np.full(len(is_user), -1, np.int64)
    index[users] = np.arange(len(users))
    parent = np.where(above[users] >= 0, index[above[users]], -1)
    depth = depths(parent)
    own = time[users]
    for level in range(int(depth.max(initial=0)), 0, -1):  # nesting depth, not events
        at = np.flatnonzero(depth == level)
        np.add.at(own, parent[at], own[at])
    time[users] = own
    return time
