"""Table `user_events`: ranges named by the user with `record_function`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.devices.device_rows import counted_device_rows, has_device, kept_host_rows
from nbprof.analysis.grouping import dense, extremes, ratio, require_group, sums, texts, us
from nbprof.analysis.launched_work import Spans
from nbprof.analysis.operators.time_statistics import spread
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, pct, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.lookup import rows_of_values
from nbprof.model.names.communication_names import is_communication_operator
from nbprof.model.names.roles import is_library_label, named
from nbprof.model.steps.step_choice import family_label, label_families
from nbprof.model.trace import kinds
from nbprof.model.trace.event_types import USER, rows_of_types

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

USER_EVENTS: Final[Columns] = (
    text("name", "Name passed to record_function; of a family of labels, what they share."),
    count("calls", "Number of calls."),
    time("host_total_us", "Total time inside it."),
    time("host_mean_us", "Mean time inside it."),
    time("host_max_us", "Longest time inside it."),
    time("host_min_us", "Shortest time inside it."),
    time("device_total_us", "Total time of the device work launched inside it."),
    time("device_mean_us", "Device time per call."),
)

#: Additional columns for recorders whose tools show extremes of calls.
USER_EVENT_EXTREMES: Final[Columns] = (
    time("device_max_us", "Longest device time of a call."),
    time("device_min_us", "Shortest device time of a call."),
    pct("host_pct", "Share of the total host time of all events in this table."),
    pct("device_pct", "Share of the total device time of all events in this table."),
)


#: Groupings of the table. A label is a family of names that differ only in numbers or brackets.
USER_EVENT_GROUPS: Final = {"name": ("name",), "label": ("name",)}

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_DEVICE_COLUMNS: Final = [
    column for column in (*USER_EVENTS, *USER_EVENT_EXTREMES) if column.name.startswith("device_")
]


def user_events(
    model: TraceModel, filter_: Filter = NO_FILTER, *, group_by: str = "name"
) -> pa.Table:
    """Return the user's annotations that the filter keeps, grouped, most host time first.

    Annotations by the framework and its libraries are left out: steps, data loaders, optimizers,
    parallel modules (DDP, FSDP), compiled regions and collectives. For Paddle, only events named in
    Python count. Device time is that of all work launched inside, on the annotation's thread.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Which annotations count; their device time also follows the devices and streams.
    group_by : {"name", "label"}
        By label, names are one row that differ only in numbers or brackets, as those of an
        engine's iterations do: ``decode[bs=4 pos=384]``.
    """
    require_group(group_by, list(USER_EVENT_GROUPS))
    annotations = model.cached(
        "user annotations", lambda: Spans.of(model, _user_annotations(model))
    )
    is_kept = kept_host_rows(model, filter_)[annotations.row]
    row = annotations.row[is_kept]
    names = model.column("host", "name")
    group, first = dense(_labels(model)[names[row]] if group_by == "label" else names[row])
    count = len(first)
    duration = model.column("host", "duration_ns")[row]
    calls = np.bincount(group, minlength=count)
    host = sums(group, duration, count)
    longest, shortest = extremes(group, duration, count)
    columns: dict[str, Any] = {c.name: None for c in _DEVICE_COLUMNS}
    if has_device(model):
        time = annotations.launched(model, counted_device_rows(model, filter_))[is_kept]
        columns = spread("device", group, time, count)
        columns["device_total_us"] = us(sums(group, time, count))
    more = USER_EVENT_EXTREMES if model.capabilities.call_extremes else ()
    table = make_table(
        USER_EVENTS + more,
        {
            "name": _shown_names(model, names[row], group, first, group_by),
            "calls": calls,
            "host_total_us": us(host),
            "host_mean_us": us(host / np.maximum(calls, 1)),
            "host_max_us": us(longest),
            "host_min_us": us(shortest),
            "host_pct": ratio(host, host.sum(), 100.0),
            **columns,
        },
    )
    return table.take(arrow_array(np.lexsort((first, -host))))


def _labels(model: TraceModel) -> Rows:
    """Return the number of the label of each name of the user's annotations, by code."""

    def find() -> Rows:
        named_rows = _user_annotations(model) & (model.column("host", "name") >= 0)
        return np.append(label_families(model, np.flatnonzero(named_rows)), -1)

    return model.cached("labels of user annotations", find)


def _shown_names(
    model: TraceModel, codes: Rows, group: Rows, first: Rows, group_by: str
) -> pa.Array:
    if group_by == "name":
        return texts(model, "host", "name", codes[first])
    # The names in each group, once each, in order of groups.
    _, at = dense(group, codes)
    members = rows_of_values(group[at])
    known = model.values("host", "name")
    labels = [
        family_label([known[code] for code in codes[at[rows]].tolist()])
        if codes[at[rows[0]]] >= 0
        else None
        for rows in members.values()
    ]
    return arrow_array(labels, pa.utf8())


def _user_annotations(model: TraceModel) -> Mask:
    if model.capabilities.event_types:
        return rows_of_types(model, USER)
    is_annotation = model.column("host", "kind") == kinds.ANNOTATION
    others = named(model, "host", is_library_label)
    others |= named(model, "host", is_communication_operator)
    users: Mask = is_annotation & ~others
    return users


TABLE: Final = TableSpec(
    name="user_events",
    summary="the user's own annotations",
    groupings=USER_EVENT_GROUPS,
    notes="These are the labels of `record_function` and the like.",
    columns=USER_EVENTS,
    extra_columns=USER_EVENT_EXTREMES,
    make=user_events,
    sort=("host_total_us",),
    sums=("calls", "host_total_us"),
    nouns=("user event", "user events"),
    needs="user_events",
)
