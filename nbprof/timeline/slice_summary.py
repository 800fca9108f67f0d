"""Table `slice_summary`: time by name in an area of the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.grouping import dense, ratio, sums, us
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, text, time
from nbprof.model.contract.spec import Option, TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.self_time import host_self_times, self_times_of
from nbprof.timeline.slices import Slices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.model.trace.model import TraceModel

SLICE_SUMMARY: Final[Columns] = (
    text("side", "host or device."),
    text("name", "Name of the slices."),
    count("count", "Number of slices that overlap the range."),
    time("total_us", "Total time of the slices within the range."),
    time("self_us", "Total self time of the slices within the range."),
    time("mean_us", "Mean time within the range."),
)


#: Later than any time.
_FAR = 2**61

Ids = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def slice_summary(
    model: TraceModel,
    filter_: Filter = NO_FILTER,
    *,
    lanes: Sequence[str] | None = None,
    group_by: str = "thread",
) -> pa.Table:
    """Return the slices of a time range, added up by side and name, most time first.

    Slices that overlap the range count with the time they spend in it, so totals of slices that
    follow each other never exceed the range.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Its time range is the range; all other fields select slices.
    lanes : sequence of str, optional
        Keys of the lanes to include, by default all; unknown lanes are empty.
    group_by : {"thread", "module"}
        How lanes are grouped.

    Returns
    -------
    pyarrow.Table
        Columns of `SLICE_SUMMARY`; the self time of device slices is null.

    Raises
    ------
    ValueError
        There is no such grouping.
    """
    slices = Slices.of(model)
    low, high = _range(filter_)
    ids = slices_in(model, filter_, lanes=lanes, group_by=group_by)
    spent = np.minimum(slices.end[ids], high) - np.maximum(slices.start[ids], low)
    is_host = ids < slices.host_rows
    group, first = dense(is_host, slices.name[ids])
    count = np.bincount(group, minlength=len(first))
    total = sums(group, spent, len(first))
    own = sums(group[is_host], _self_times(model, ids[is_host], low, high), len(first))
    on_host = is_host[first]
    code = slices.name[ids[first]].astype(np.int64)
    data: dict[str, Any] = {
        "side": np.where(on_host, "host", "device"),
        "name": arrow_array(slices.names, pa.utf8()).take(arrow_array(code, mask=code < 0)),
        "count": count,
        "total_us": us(total),
        "self_us": arrow_array(us(own), mask=~on_host),
        "mean_us": ratio(us(total), count),
    }
    table = make_table(SLICE_SUMMARY, data)
    return table.take(arrow_array(np.lexsort((ids[first], -count, -total))))


def slices_in(
    model: TraceModel,
    filter_: Filter = NO_FILTER,
    *,
    lanes: Sequence[str] | None = None,
    group_by: str = "thread",
) -> Ids:
    """Return the ids of slices that overlap the filter's time range and that it keeps.

    Shape (n,), ascending. A slice of length 0 belongs to the range that contains its start.

    Raises
    ------
    ValueError
        There is no such grouping.
    """
    slices = Slices.of(model)
    keep = np.ones(len(slices), bool)
    if filter_.time_us is not None:
        keep = _overlap(slices.start, slices.end, *_range(filter_))
    others = filter_.replace(time_us=None)
    if others:
        keep[: slices.host_rows] &= selection.host_rows(model, others)
        keep[slices.host_rows :] &= selection.device_rows(model, others)
    if lanes is not None:
        shown = lane_set(model, group_by)
        keys = set(lanes)
        wanted = np.array([lane.key in keys for lane in shown.lanes] + [False], bool)
        keep &= wanted[shown.lane]  # slices on no lane have lane -1
    return np.flatnonzero(keep)


def _range(filter_: Filter) -> tuple[int, int]:
    if filter_.time_us is None:
        return -_FAR, _FAR
    return selection.time_range_ns(filter_.time_us)


def _overlap(start: Ids, end: Ids, low: int, high: int) -> Mask:
    inside: Mask = (start < high) & ((end > low) | (start >= low))
    return inside


def _self_times(model: TraceModel, rows: Ids, low: int, high: int) -> Ids:
    """Return the self time of host rows within a range, ignoring other filter fields."""
    if (low, high) == (-_FAR, _FAR):
        return host_self_times(model)[rows]
    start = model.column("host", "start_ns")
    end = start + model.column("host", "duration_ns")
    near = np.flatnonzero(_overlap(start, end, low, high))
    own = self_times_of(model, near, np.maximum(start[near], low), np.minimum(end[near], high))
    return own[np.searchsorted(near, rows)]


TABLE: Final = TableSpec(
    name="slice_summary",
    summary="what ran in the filter's time range, by name",
    notes="Slices that overlap the range count with the time they spend in it.",
    columns=SLICE_SUMMARY,
    make=slice_summary,
    options=(
        Option(
            "lanes",
            None,
            "Only these lanes, by their keys in the table ``slices``.",
            annotation="Sequence[str] | None",
            on_command_line=False,
        ),
    ),
    keys=("side", "name"),
    sort=("total_us",),
    sums=("count", "total_us", "self_us"),
    nouns=("name", "names"),
)
