"""The communication calls of an NPU rank, as measured by its recorder (``communication.json``).

Times are the recorder's. Bytes are those transferred over links, each counted once: the bytes of
SDMA mostly repeat those of HCCS, PCIe and SIO, so the larger sum counts. Sizes are in MB of 10⁶
bytes. (Ascend's TensorBoard plugin adds SDMA to the others and takes a MB as 2²⁰ bytes, which gives
more than twice as much.)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.grouping import sums
from nbprof.analysis.ranks.columns import RANK_CALLS
from nbprof.analysis.steps.npu_steps import numbers_in_filters
from nbprof.model.building import arrow_array
from nbprof.model.contract.table import make_table
from nbprof.model.filters import selection
from nbprof.model.filters.patterns import match_names

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

#: Links whose transfers are repeated under SDMA.
_UNDER_SDMA = ("HCCS", "PCIE", "SIO")
_FIRST_DIGIT = re.compile(r"\d")


def npu_rank_calls(model: TraceModel, filter_: Filter) -> pa.Table:
    """Return `RANK_CALLS` from the recorded communication operators."""
    rows = np.flatnonzero(~model.column("communication", "is_total"))
    start = model.column("communication", "start_ns")[rows]
    rows = rows[np.argsort(start, kind="stable")]
    columns = {
        name: model.column("communication", name)[rows]
        for name in ("step", "start_ns", "elapse_us", "transit_us", "synchronization_us")
    }
    names, codes = model.values("communication", "name"), model.column("communication", "name")
    moved, busy = (values[rows] for values in _payload(model))
    # If links were busy but no transit time is recorded, bytes / transit is not a bandwidth.
    is_known = (moved == 0) | (columns["transit_us"] > 0)
    sized = moved >= 0
    known = columns["start_ns"] >= 0
    timed = known & ~np.isnan(columns["elapse_us"])
    lasting = np.rint(np.where(timed, columns["elapse_us"] * 1000, 0))
    return make_table(
        RANK_CALLS,
        {
            "call": np.arange(len(rows)),
            "step": arrow_array(columns["step"], mask=columns["step"] < 0),
            "name": [_FIRST_DIGIT.split(names[code], maxsplit=1)[0] for code in codes[rows]],
            "process_group": model.tables["communication"]["group"].take(arrow_array(rows)),
            "kept": _is_kept(model, filter_)[rows],
            "paired": np.ones(len(rows), bool),
            "bytes": arrow_array(moved, mask=~sized),
            "message_bytes": None,  # the recorder counts bytes on links
            "bus_bytes": arrow_array(moved, mask=~(is_known & sized)),
            "start_ns": arrow_array(columns["start_ns"], mask=~known),
            "duration_ns": arrow_array(lasting, pa.int64(), mask=~timed),
            "latency_us": arrow_array(columns["elapse_us"], nan_is_null=True),
            "data_transfer_us": arrow_array(columns["transit_us"], nan_is_null=True),
            "synchronizing_us": arrow_array(columns["synchronization_us"], nan_is_null=True),
            "link_us": busy,
        },
    )


def _payload(model: TraceModel) -> tuple[Rows, Floats]:
    """Return the bytes moved by each operator, and the time its links were busy.

    Both have shape (rows of `communication`,); bytes are -1 if those of a link are unknown, time is
    in microseconds, summed over links.
    """
    table = "communication_links"
    links, codes = model.values(table, "link"), model.column(table, "link")
    row = model.column(table, "row")
    count = model.tables["communication"].num_rows

    def of(name: str, *wanted: str) -> Floats:
        chosen = np.isin(codes, [i for i, link in enumerate(links) if link in wanted])
        return sums(row[chosen], np.nan_to_num(model.column(table, name)[chosen]), count)

    others = [link for link in links if link not in ("SDMA", *_UNDER_SDMA)]
    by_sdma = of("bytes", "SDMA") > of("bytes", *_UNDER_SDMA)
    moved, busy = (
        np.where(by_sdma, of(name, "SDMA"), of(name, *_UNDER_SDMA)) + of(name, *others)
        for name in ("bytes", "transit_us")
    )
    unsized = row[model.column(table, "bytes") < 0]
    moved[unsized] = -1
    return moved.astype(np.int64), busy


def _is_kept(model: TraceModel, filter_: Filter) -> Mask:
    """Return which operators a filter keeps; an unknown property does not match."""
    start, step = (model.column("communication", name) for name in ("start_ns", "step"))
    is_kept = np.ones(len(start), bool)
    if filter_.steps is not None:
        step = numbers_in_filters(step)
        is_kept &= (step >= max(filter_.steps[0], 0)) & (step <= filter_.steps[1])
    if filter_.time_us is not None:
        low, high = selection.time_range_ns(filter_.time_us)
        is_kept &= (start >= max(low, 0)) & (start < high)
    if filter_.name is not None:
        matches = match_names(model.values("communication", "name"), filter_.name)
        is_kept &= matches[model.column("communication", "name")]
    if filter_.kinds is not None and "kernel" not in filter_.kinds:
        is_kept[:] = False
    if filter_.devices is not None:
        known = np.unique(model.column("npu_steps", "device"))
        is_kept &= len(known) > 0 and bool(np.isin(known, filter_.devices).all())
    if (filter_.threads, filter_.streams, filter_.within) != (None,) * 3:
        is_kept[:] = False
    return is_kept
