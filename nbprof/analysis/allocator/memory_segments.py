"""Table `memory_segments`: the segments of an allocator snapshot, and their free gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from nbprof.analysis.allocator.options import (
    NO_SNAPSHOT,
    checked_time,
    kept_histories,
    matching_texts,
    moment_option,
)
from nbprof.analysis.allocator.state import AllocatorState
from nbprof.analysis.memory.columns import code_texts, hexadecimal, known
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, flag, pct, size, text
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import numpy.typing as npt

    from nbprof.model.trace.model import TraceModel

    Ints = npt.NDArray[np.int64]

MEMORY_SEGMENTS: Final[Columns] = (
    count("device", "Number of the device."),
    text("address", "Address of the segment, hexadecimal."),
    size("bytes", "Memory that the allocator took from the device for it."),
    text(
        "pool",
        "default, or private and its id, as CUDA graphs and torch.cuda.MemPool have them; empty if "
        "not recorded.",
    ),
    text("size_class", "Whether it is for large or for small blocks, if recorded."),
    flag("expandable", "Whether it can grow; empty if not recorded."),
    count("stream", "Stream whose allocations it serves."),
    size("allocated_bytes", "What the allocator took of it for the blocks in use."),
    size("free_bytes", "The rest: memory that is reserved and not in use."),
    pct("free_pct", "Its share of the segment."),
    count("blocks", "Blocks in use."),
    count("free_gaps", "Runs of free memory between and around the blocks."),
    size("largest_gap_bytes", "The longest of them: the largest block that fits."),
    text("call_stack", "Frames of the allocation that needed the segment, if recorded."),
)

#: The id of the default pool.
_DEFAULT: Final = "0:0"


def memory_segments(
    model: TraceModel, filter_: Filter = NO_FILTER, *, time_us: float | None = None
) -> pa.Table:
    """Return the segments of a snapshot by address.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Devices, streams, and, as its name, frames of the allocation that needed a segment. A range
        of time does not apply, since the table describes one moment.
    time_us : float, optional
        The moment, by default that of the snapshot.

    Returns
    -------
    pyarrow.Table
        Columns of `MEMORY_SEGMENTS`; no rows for other traces. Blocks that were allocated before
        the recording and released in it count with their requested size, rounded up.
    """
    moment_us = checked_time(time_us)
    parts = []
    for history in kept_histories(model, filter_):
        state = AllocatorState.of(history, history.moment_at(moment_us))
        table = _segment_table(state)
        if filter_.streams is not None:
            streams = [one.stream for one in state.segments]
            table = table.filter(arrow_array(np.isin(streams, filter_.streams)))
        if filter_.name is not None:
            table = table.filter(arrow_array(matching_texts(table["call_stack"], filter_.name)))
        parts.append(table)
    if parts:
        return pa.concat_tables(parts)
    return make_table(MEMORY_SEGMENTS, {column.name: [] for column in MEMORY_SEGMENTS})


def _segment_table(state: AllocatorState) -> pa.Table:
    """Return the rows of `memory_segments` for the state of a device."""
    model, segments = state.history.model, state.segments
    count_ = len(segments)
    place, _, gap = state.gaps()
    largest = np.zeros(count_, np.int64)
    np.maximum.at(largest, place, gap)
    size_, used = state.segment_bytes, state.allocated
    final = np.array([one.final for one in segments], np.int64)
    expandable = _at(model, "allocator_segments", "expandable", final)
    return make_table(
        MEMORY_SEGMENTS,
        {
            "device": np.full(count_, state.history.device),
            "address": hexadecimal(np.array([one.address for one in segments], np.int64)),
            "bytes": size_,
            "pool": arrow_array([pool_text(one) for one in pools_of(state)], pa.utf8()),
            "size_class": code_texts(
                _at(model, "allocator_segments", "size_class", final),
                model.values("allocator_segments", "size_class"),
            ),
            "expandable": arrow_array(expandable == 1, mask=expandable < 0),
            "stream": known(np.array([one.stream for one in segments], np.int64)),
            "allocated_bytes": used,
            "free_bytes": size_ - used,
            "free_pct": 100 * (size_ - used) / np.maximum(size_, 1),
            "blocks": np.bincount(state.segment, minlength=count_),
            "free_gaps": np.bincount(place, minlength=count_),
            "largest_gap_bytes": largest,
            "call_stack": code_texts(  # of segments that were returned, it is not recorded
                _at(model, "allocator_segments", "call_stack", final),
                model.values("allocator_segments", "call_stack"),
            ),
        },
    )


def pools_of(state: AllocatorState) -> list[str | None]:
    """Return the pool of each segment as recorded, such as "0:1"; None if it is not."""
    model = state.history.model
    found = []
    for segment in state.segments:
        table, row = (
            ("allocator_segments", segment.final)
            if segment.final >= 0
            else ("allocator_events", segment.event)
        )
        code = int(model.column(table, "pool")[row])
        found.append(model.values(table, "pool")[code] if code >= 0 else None)
    return found


def pool_text(pool: str | None) -> str | None:
    """Return the name of a pool for the screen."""
    if pool is None:
        return None
    return "default" if pool == _DEFAULT else f"private {pool}"


def _at(model: TraceModel, table: str, column: str, rows: Ints) -> Ints:
    values: Ints = np.append(model.column(table, column).astype(np.int64), -1)[rows]
    return values


TABLE: Final = TableSpec(
    name="memory_segments",
    summary="the segments of an allocator snapshot, with their free gaps",
    notes=(
        "Before the snapshot, blocks that the history only releases count with their requested "
        "size, rounded up: gaps beside them are estimates."
    ),
    columns=MEMORY_SEGMENTS,
    make=memory_segments,
    options=(moment_option("that of the snapshot"),),
    keys=("device", "address"),
    sort=("bytes",),
    sums=("bytes", "allocated_bytes", "free_bytes", "blocks", "free_gaps"),
    nouns=("segment", "segments"),
    needs="memory",
    empty_texts={"memory": NO_SNAPSHOT},
)
