"""Table `memory_holders`: who holds the memory of a snapshot at a moment, by frame or category."""

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
    texts_of,
)
from nbprof.analysis.memory.columns import code_texts
from nbprof.model.contract.columns import Columns, count, grouped, pct, size, text
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.names.user_frames import user_frame

if TYPE_CHECKING:
    import numpy.typing as npt

    from nbprof.analysis.allocator.history import AllocatorHistory
    from nbprof.model.trace.model import TraceModel

    Ints = npt.NDArray[np.int64]
    Mask = npt.NDArray[np.bool_]

MEMORY_HOLDERS: Final[Columns] = (
    count("device", "Number of the device."),
    text("frame", "The user's innermost frame at the allocation; empty without a recorded stack."),
    text("call_stack", "Frames of the allocation, the innermost first; empty if not recorded."),
    text("category", "Purpose of the memory; empty if not recorded."),
    size("bytes", "What the allocator took for the blocks in use."),
    size("requested_bytes", "What the program asked for in these blocks."),
    pct("pct", "Share of the memory in use on the device."),
    count("blocks", "Blocks in use."),
    size("before_bytes", "The part from before the recording."),
)

GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "frame": ("device", "frame"),
    "stack": ("device", "call_stack"),
    "category": ("device", "category"),
}


def memory_holders(
    model: TraceModel,
    filter_: Filter = NO_FILTER,
    *,
    group_by: str = "frame",
    time_us: float | None = None,
) -> pa.Table:
    """Return who holds memory at a moment, the largest first on each device.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects blocks, see `nbprof.analysis.allocator.options.kept_blocks`; a range of time does
        not apply.
    group_by : {"frame", "stack", "category"}
        What makes a row.
    time_us : float, optional
        The moment, by default the peak of each device.

    Returns
    -------
    pyarrow.Table
        Columns of `MEMORY_HOLDERS` for the grouping; no rows for other traces.
    """
    moment_us = checked_time(time_us)
    parts = []
    for history in kept_histories(model, filter_):
        moment = history.peak if moment_us is None else history.moment_at(moment_us)
        keep = kept_blocks(history, filter_, placed=False)
        parts.append(holder_table(history, moment, group_by, keep))
    if parts:
        return pa.concat_tables(parts)
    columns = grouped(MEMORY_HOLDERS, GROUPS, group_by)
    return make_table(columns, {column.name: [] for column in columns})


def holder_table(
    history: AllocatorHistory, moment: int, group_by: str, keep: Mask | None = None
) -> pa.Table:
    """Return rows of `memory_holders` of one device at a moment."""
    lives = history.lives
    rows = lives.at(moment)
    if keep is not None:
        rows = rows[keep[rows]]
    key = next(one for one in GROUPS[group_by] if one != "device")
    codes, texts = _codes(history, key)
    # The last group is that of blocks without the key.
    code = np.where(codes[rows] >= 0, codes[rows], len(texts))
    total, requested, before = np.zeros((3, len(texts) + 1), np.int64)
    np.add.at(total, code, lives.size[rows])
    np.add.at(requested, code, lives.requested[rows])
    old = lives.allocation[rows] < 0
    np.add.at(before, code[old], lives.size[rows[old]])
    blocks = np.bincount(code, minlength=len(texts) + 1)
    found = np.flatnonzero(blocks)
    found = found[np.argsort(-total[found], kind="stable")]
    in_use = int(history.in_use[moment])
    return make_table(
        grouped(MEMORY_HOLDERS, GROUPS, group_by),
        {
            "device": np.full(len(found), history.device),
            key: code_texts(np.where(found < len(texts), found, -1), texts),
            "bytes": total[found],
            "requested_bytes": requested[found],
            "pct": 100 * total[found] / max(in_use, 1),
            "blocks": blocks[found],
            "before_bytes": before[found],
        },
    )


def _codes(history: AllocatorHistory, key: str) -> tuple[Ints, list[str]]:
    if key != "frame":
        return texts_of(history, key)

    def make() -> tuple[Ints, list[str]]:
        codes, stacks = texts_of(history, "call_stack")
        frames: dict[str, int] = {}
        place = [frames.setdefault(user_frame(stack), len(frames)) for stack in stacks]
        return np.array([*place, -1], np.int64)[codes], list(frames)

    return history.model.cached(("allocator user frames", history.device), make)


TABLE: Final = TableSpec(
    name="memory_holders",
    summary="who holds the memory of an allocator snapshot, at its peak or at any moment",
    notes="A filter's name applies to frames and categories.",
    columns=MEMORY_HOLDERS,
    make=memory_holders,
    groupings=GROUPS,
    grouping_help="What makes a row: the user's innermost frame, the whole stack, or the category.",
    options=(moment_option("the peak of each device"),),
    sort=("bytes",),
    sums=("bytes", "requested_bytes", "blocks", "before_bytes"),
    nouns=("holder", "holders"),
    needs="memory",
    empty_texts={"memory": NO_SNAPSHOT},
)
