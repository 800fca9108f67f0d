"""Table `memory_events`: every block of memory, from allocation to release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.grouping import NS_PER_US
from nbprof.analysis.memory.blocks import memory_blocks
from nbprof.analysis.memory.columns import (
    DEVICE_COLUMNS,
    MEMORY_KIND,
    code_texts,
    codes_matching,
    device_columns,
    hexadecimal,
    memory_types,
)
from nbprof.analysis.memory.curve import holds_memory
from nbprof.analysis.memory.owners import operator_of_record
from nbprof.analysis.memory.records import kept_devices, kept_records, separates_reserved
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, size, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.lookup import values_at

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

MEMORY_EVENTS: Final[Columns] = (
    *DEVICE_COLUMNS,
    text(
        "operator",
        "Operator that allocated the block; aten::empty and similar follow their caller "
        "in parentheses.",
    ),
    size("size_bytes", "Size of the block; of memory snapshots, what the allocator took."),
    time("allocation_us", "When it was allocated; empty if before the recording."),
    time("release_us", "When it was released; empty if not released within the recording."),
    time("duration_us", "Time from allocation to release."),
)

#: For recorders that distinguish memory in use from reserved memory.
MEMORY_EVENT_DETAILS: Final[Columns] = (
    MEMORY_KIND,
    text("address", "Address of the block, hexadecimal."),
    text("release_operator", "Operator that was running when it was released."),
)


Rows = npt.NDArray[np.int64]


def memory_events(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the blocks of memory that the filter keeps, sorted by their first record.

    A block is in a range if its allocation is. A block from before the recording is in it if its
    release is, and one held throughout if the range has no start. Operator and thread, and with
    them the filter's name and threads, are those of the allocation; `within` refers to the first
    record.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects blocks.

    Returns
    -------
    pyarrow.Table
        Columns of `MEMORY_EVENTS`, and those of `MEMORY_EVENT_DETAILS` if the recorder
        distinguishes allocated and reserved memory; no rows if records have no addresses.
    """
    blocks = memory_blocks(model)
    first = np.where(blocks.allocation >= 0, blocks.allocation, blocks.release)
    operators = operator_of_record(model)
    operator = values_at(operators.code, blocks.allocation)
    keep = values_at(kept_records(model, filter_), first) > 0
    placed = (filter_.steps, filter_.time_us, filter_.threads, filter_.within)
    whole = placed == (None,) * 4 and holds_memory(filter_)
    keep |= (blocks.held >= 0) & whole
    keep &= np.isin(blocks.device, kept_devices(model, filter_))
    keep &= codes_matching(operator, operators.texts, filter_.name)
    rows = np.flatnonzero(keep)
    time = model.column("memory", "time_ns")
    allocation, release = blocks.allocation[rows], blocks.release[rows]
    start, end = values_at(time, allocation), values_at(time, release)
    columns = {
        **device_columns(model, blocks.device[rows]),
        "operator": code_texts(operator[rows], operators.texts),
        "size_bytes": blocks.size[rows],
        "allocation_us": _times(start, allocation >= 0),
        "release_us": _times(end, release >= 0),
        "duration_us": _times(end - start, (allocation >= 0) & (release >= 0)),
    }
    if not separates_reserved(model):
        return make_table(MEMORY_EVENTS, columns)
    address = values_at(model.column("memory", "address"), first[rows])
    columns["memory_type"] = memory_types(blocks.reserved[rows])
    columns["address"] = hexadecimal(address)
    columns["release_operator"] = code_texts(values_at(operators.code, release), operators.texts)
    return make_table((*MEMORY_EVENTS, *MEMORY_EVENT_DETAILS), columns)


def _times(nanoseconds: Rows, is_known: npt.NDArray[np.bool_]) -> pa.Array:
    return arrow_array(nanoseconds / NS_PER_US, pa.float64(), mask=~is_known)


TABLE: Final = TableSpec(
    name="memory_events",
    summary="every block from allocation to release",
    columns=MEMORY_EVENTS,
    extra_columns=(MEMORY_KIND, *MEMORY_EVENT_DETAILS),
    make=memory_events,
    keys=("device_type", "device", "operator", "size_bytes", "allocation_us", "release_us"),
    sort=("size_bytes",),
    sums=("size_bytes",),
    nouns=("block", "blocks"),
    needs="memory",
    empty_texts={"memory": "The records have no addresses, which are needed to identify blocks."},
)
