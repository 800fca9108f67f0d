"""Table `memory_blocks`: the blocks of an allocator snapshot, over their lives or at a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from nbprof.analysis.allocator.options import (
    NO_SNAPSHOT,
    checked_time,
    kept_blocks,
    kept_histories,
    moment_option,
    streams_of,
    texts_of,
)
from nbprof.analysis.memory.columns import code_texts, hexadecimal, known
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, size, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.names.user_frames import user_frame

if TYPE_CHECKING:
    import numpy.typing as npt

    from nbprof.analysis.allocator.history import AllocatorHistory
    from nbprof.model.trace.model import TraceModel

MEMORY_BLOCKS: Final[Columns] = (
    count("device", "Number of the device."),
    text("address", "Address of the block, hexadecimal."),
    size(
        "bytes",
        "What the allocator took for it. A block that was allocated before the recording and "
        "released in it counts with its requested size, rounded up.",
    ),
    size("requested_bytes", "What the program asked for."),
    text(
        "state",
        "allocated; awaiting_free: released by the program, but other streams still use it; freed.",
    ),
    time("allocated_us", "When it was allocated; empty if before the recording."),
    time("freed_us", "When it was returned to the allocator; empty if it never was."),
    time("duration_us", "Time from allocation to release."),
    text("frame", "The user's innermost frame at the allocation, if recorded."),
    text("call_stack", "Frames of the allocation, the innermost first, if recorded."),
    text("category", "Purpose of the memory, if recorded: parameter, gradient, …"),
    count("stream", "Stream for which it was allocated."),
    text("note", "What the program or the compiler attached to the allocation."),
)

_STATES: Final = ("allocated", "awaiting_free", "freed")


def memory_blocks(
    model: TraceModel, filter_: Filter = NO_FILTER, *, time_us: float | None = None
) -> pa.Table:
    """Return the blocks of a snapshot, those from before the recording first.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects blocks, see `nbprof.analysis.allocator.options.kept_blocks`.
    time_us : float, optional
        Only blocks in use at this moment, with their state then; by default all, with their state
        at the end. The filter's range of time does not apply to a moment.

    Returns
    -------
    pyarrow.Table
        Columns of `MEMORY_BLOCKS`; no rows for other traces.
    """
    moment_us = checked_time(time_us)
    parts = []
    for history in kept_histories(model, filter_):
        rows = np.flatnonzero(kept_blocks(history, filter_, placed=moment_us is None))
        moment = history.moment_at(moment_us)
        if moment_us is not None:
            lives = history.lives
            rows = rows[(lives.start[rows] <= moment) & (moment < lives.end[rows])]
        parts.append(block_table(history, rows, moment))
    return _joined(parts)


def block_table(history: AllocatorHistory, rows: npt.NDArray[np.int64], moment: int) -> pa.Table:
    """Return rows of `memory_blocks` for some blocks, with their states at a moment."""
    model, lives = history.model, history.lives
    time_ns = np.append(model.column("allocator_events", "time_ns"), 0)
    allocation, release = lives.allocation[rows], lives.release[rows]
    start, end = time_ns[allocation], time_ns[release]
    state = np.where(lives.end[rows] <= moment, 2, (lives.asked[rows] <= moment).astype(np.int64))
    stacks, stack_texts = texts_of(history, "call_stack")
    categories, category_texts = texts_of(history, "category")
    notes, note_texts = texts_of(history, "note")
    frames = model.cached(
        ("allocator frames", history.device), lambda: list(map(user_frame, stack_texts))
    )
    return make_table(
        MEMORY_BLOCKS,
        {
            "device": np.full(len(rows), history.device),
            "address": hexadecimal(np.ascontiguousarray(lives.address[rows])),
            "bytes": lives.size[rows],
            "requested_bytes": lives.requested[rows],
            "state": code_texts(state, list(_STATES)),
            "allocated_us": arrow_array(start / 1000, mask=allocation < 0),
            "freed_us": arrow_array(end / 1000, mask=release < 0),
            "duration_us": arrow_array((end - start) / 1000, mask=(allocation < 0) | (release < 0)),
            "frame": code_texts(stacks[rows], frames),
            "call_stack": code_texts(stacks[rows], stack_texts),
            "category": code_texts(categories[rows], category_texts),
            "stream": known(streams_of(history)[rows]),
            "note": code_texts(notes[rows], note_texts),
        },
    )


def _joined(parts: list[pa.Table]) -> pa.Table:
    if parts:
        return pa.concat_tables(parts)
    return make_table(MEMORY_BLOCKS, {column.name: [] for column in MEMORY_BLOCKS})


TABLE: Final = TableSpec(
    name="memory_blocks",
    summary="the blocks of an allocator snapshot, over their lives or at a moment",
    notes=(
        "A filter's name applies to frames and categories. Without a recorded allocation, a block "
        "existed before the recording."
    ),
    columns=MEMORY_BLOCKS,
    make=memory_blocks,
    options=(moment_option("all blocks, with their states at the end"),),
    keys=("device", "address", "bytes", "allocated_us", "freed_us"),
    sort=("bytes",),
    sums=("bytes", "requested_bytes"),
    nouns=("block", "blocks"),
    needs="memory",
    empty_texts={"memory": NO_SNAPSHOT},
)
