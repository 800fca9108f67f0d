"""Table `slices`: every slice of the timeline as a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.grouping import us
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.self_time import host_self_times
from nbprof.timeline.slice_categories import CATEGORIES
from nbprof.timeline.slices import Slices

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

SLICES: Final[Columns] = (
    text("side", "host or device."),
    count("row", "Row in the table of that side, in the model of the trace."),
    text("name", "Name of the slice."),
    text("category", "Category, as colored in the timeline: operator, runtime, kernel, …"),
    text(
        "lane",
        "Lane of the timeline: gpu:device:stream or cpu:process:thread, the latter with :frames "
        "for Python frames.",
    ),
    count("depth", "Row of the lane, from 0. Overlapping slices are on different rows."),
    time("start_us", "Start, from the first event of the trace."),
    time("duration_us", "Time from start to end."),
    time(
        "self_us",
        "Time without the slices inside; for operators, without the operators and runtime "
        "calls inside.",
    ),
)


Ids = npt.NDArray[np.int64]

#: Maximum bytes of text in one Arrow array, just below 2 GiB.
_CHUNK_BYTES: Final = 2**30


def slices(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the slices that the filter keeps, host slices first.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects slices: host slices by their start, device slices by that of their launch.

    Returns
    -------
    pyarrow.Table
        Columns of `SLICES`.
    """
    if not filter_:
        return slice_rows(model, np.arange(len(Slices.of(model))))
    host = np.flatnonzero(selection.host_rows(model, filter_))
    device = np.flatnonzero(selection.device_rows(model, filter_))
    return slice_rows(model, np.concatenate([host, Slices.of(model).host_rows + device]))


def slice_rows(model: TraceModel, ids: Ids, *, group_by: str = "thread") -> pa.Table:
    """Return given slices as rows of the table `slices`.

    Parameters
    ----------
    model : TraceModel
        The trace.
    ids : ndarray of int64, shape (n,)
        Slice ids in the wanted order.
    group_by : {"thread", "module"}
        How lanes are grouped.
    """
    known = Slices.of(model)
    lanes = lane_set(model, group_by)
    on_host = ids < known.host_rows
    lane = lanes.lane[ids].astype(np.int64)
    depth = lanes.depth[ids].astype(np.int64)
    code = known.name[ids].astype(np.int64)
    own = np.zeros(len(ids), np.int64)
    own[on_host] = host_self_times(model)[ids[on_host]]
    keys = arrow_array([one.key for one in lanes.lanes], pa.utf8())
    data: dict[str, Any] = {
        "side": np.where(on_host, "host", "device"),
        "row": np.where(on_host, ids, ids - known.host_rows),
        "name": _texts(known.names, code),
        "category": arrow_array(CATEGORIES, pa.utf8()).take(arrow_array(known.category[ids])),
        "lane": keys.take(arrow_array(lane, mask=lane < 0)),
        "depth": arrow_array(depth, mask=lane < 0),
        "start_us": us(known.start[ids]),
        "duration_us": us(known.end[ids] - known.start[ids]),
        "self_us": arrow_array(us(own), mask=~on_host),
    }
    return make_table(SLICES, data)


def _texts(names: list[str], code: Ids) -> pa.ChunkedArray:
    """Return the text of each code, null for -1, in chunks that Arrow can hold."""
    longest = max((len(name.encode()) for name in names), default=0)
    rows = max(_CHUNK_BYTES // max(longest, 1), 1)
    texts = arrow_array(names, pa.utf8())
    parts = [code[first : first + rows] for first in range(0, len(code), rows)]
    return pa.chunked_array(
        [texts.take(arrow_array(part, mask=part < 0)) for part in parts], type=pa.utf8()
    )


TABLE: Final = TableSpec(
    name="slices",
    summary="every slice of the timeline, with its lane and row",
    columns=SLICES,
    make=slices,
    keys=("side", "row"),
    sums=("self_us",),
    nouns=("slice", "slices"),
)
