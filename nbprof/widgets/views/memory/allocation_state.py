"""The reply to ``segments``: what a device held at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.analysis.allocator.memory_blocks import block_table
from nbprof.analysis.allocator.memory_holders import holder_table
from nbprof.analysis.allocator.memory_segments import pool_text, pools_of
from nbprof.analysis.allocator.state import AllocatorState
from nbprof.model.building import arrow_array, table_of
from nbprof.model.trace import schema_allocator
from nbprof.timeline.allocations.block_level import Axis, positions
from nbprof.timeline.allocations.segment_rows import segment_rows
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.views.memory.allocation_facts import moment_facts
from nbprof.widgets.views.memory.allocation_texts import StackTexts

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.analysis.allocator.history import AllocatorHistory
    from nbprof.timeline.allocations.segment_rows import SegmentRows

#: Holders that are listed.
_MOST_HOLDERS: Final = 8
_LONGEST_STACK: Final = 20_000


def state_reply(
    device: str,
    history: AllocatorHistory,
    moment: int,
    *,
    axis: Axis,
    width: int,
    selected: int | None,
) -> Reply:
    """Return segments, blocks and holders at a moment, and the details of one block."""
    state = AllocatorState.of(history, moment)
    rows = segment_rows(state, width)
    texts = StackTexts(history, rows.item_block)
    place, _, gap = state.gaps()
    in_use = history.in_use
    at = positions(history, axis)
    holders, others = _holders(holder_table(history, moment, "frame"), "frame")
    categories, _ = _holders(holder_table(history, moment, "category"), "category")
    recorded = any(one["name"] for one in categories)
    lives = history.lives
    result: dict[str, Any] = {
        "device": device,
        "last": history.last,
        "at": float(at[moment]),
        "moment": moment,
        "time_us": float(history.time_ns[moment]) / 1000,
        "event": _event(history, moment),
        "in_use": int(in_use[moment]),
        "requested": history.requested(moment),
        "reserved": int(history.reserved[moment]),
        "occupied": int(state.allocated.sum()),
        "blocks": len(state.blocks) + len(state.outside),
        "gaps": len(place),
        "largest_gap": int(gap.max(initial=0)),
        "outside": [len(state.outside), int(lives.size[state.outside].sum())],
        "peak_before": moment_facts(history, int(np.argmax(in_use[: moment + 1])), at),
        "peak_after": moment_facts(history, moment + int(np.argmax(in_use[moment:])), at),
        "length": rows.length,
        "rows": rows.rows,
        "holders": holders,
        "categories": categories if recorded else [],
        "others": others,
        "stacks": texts.stacks,
        "slots": texts.slots,
        "item_categories": texts.categories,
        "selected": None if selected is None else _details(state, selected),
    }
    table, pools = _segments(state, rows)
    result["pools"] = pools
    return Reply(result, [to_ipc(table), to_ipc(_items(state, rows, texts))])


def _segments(state: AllocatorState, rows: SegmentRows) -> tuple[pa.Table, list[str]]:
    recorded = [pool_text(pool) or "" for pool in pools_of(state)]
    pools = sorted(set(recorded))
    place, _, gap = state.gaps()
    largest = np.zeros(len(state.segments), np.int64)
    np.maximum.at(largest, place, gap)
    order = rows.order
    columns = {
        "row": rows.row.astype(np.int32),
        "offset": rows.offset.astype(np.float64),
        "bytes": state.segment_bytes[order].astype(np.float64),
        "address": np.array([one.address for one in state.segments], np.int64)[order].astype(
            np.float64
        ),
        "stream": np.array([one.stream for one in state.segments], np.int64)[order].astype(
            np.float64
        ),
        "pool": np.array([pools.index(pool) for pool in recorded], np.int32)[order],
        "occupied": state.allocated[order].astype(np.float64),
        "gaps": np.bincount(place, minlength=len(order))[order].astype(np.int32),
        "largest": largest[order].astype(np.float64),
    }
    return table_of({name: arrow_array(values) for name, values in columns.items()}), pools


def _items(state: AllocatorState, rows: SegmentRows, texts: StackTexts) -> pa.Table:
    lives = state.history.lives
    columns = {
        "segment": rows.item_segment.astype(np.int32),
        "offset": rows.item_offset.astype(np.float64),
        "length": rows.item_bytes.astype(np.float64),
        "block": rows.item_block.astype(np.int32),
        "count": rows.item_count.astype(np.int32),
        "bytes": lives.size[rows.item_block].astype(np.float64),
        "stack": texts.stack.astype(np.int32),
        "category": texts.category.astype(np.int32),
        "waiting": lives.waiting(rows.item_block, state.moment).astype(np.int8),
    }
    return table_of({name: arrow_array(values) for name, values in columns.items()})


def _holders(table: pa.Table, key: str) -> tuple[list[dict[str, Any]], int]:
    listed = [
        {
            "name": row[key] or "",
            "bytes": row["bytes"],
            "blocks": row["blocks"],
            "before": row["before_bytes"],
        }
        for row in table.slice(0, _MOST_HOLDERS).to_pylist()
    ]
    return listed, max(0, table.num_rows - len(listed))


def _event(history: AllocatorHistory, moment: int) -> str:
    """Return the action of the event before a moment, as recorded."""
    if moment == 0:
        return ""
    row = history.events.start + moment - 1
    return schema_allocator.ACTIONS[int(history.model.column("allocator_events", "action")[row])]


def _details(state: AllocatorState, block: int) -> dict[str, Any]:
    """Return everything that is recorded about a block."""
    history, lives = state.history, state.history.lives
    (row,) = block_table(history, np.array([block]), state.moment).to_pylist()
    release = int(lives.release[block])
    freed_by = ""
    if lives.allocation[block] < 0 and release >= 0:
        code = int(history.model.column("allocator_events", "call_stack")[release])
        freed_by = history.model.values("allocator_events", "call_stack")[code] if code >= 0 else ""
    return {
        **{name: row[name] for name in ("address", "bytes", "state", "allocated_us", "freed_us")},
        "requested": row["requested_bytes"],
        "first_moment": int(lives.start[block]),
        "last_moment": int(lives.end[block]),
        "stream": row["stream"],
        "pool": _pool_of(state, block),
        "category": row["category"] or "",
        "note": row["note"] or "",
        "stack": (row["call_stack"] or "")[:_LONGEST_STACK],
        "freed_by": freed_by[:_LONGEST_STACK],
    }


def _pool_of(state: AllocatorState, block: int) -> str:
    """Return the pool of a block: that of its event, else that of its segment; empty if unknown."""
    model, lives = state.history.model, state.history.lives
    row = int(max(lives.allocation[block], lives.release[block]))
    code = int(model.column("allocator_events", "pool")[row]) if row >= 0 else -1
    if code >= 0:
        return pool_text(model.values("allocator_events", "pool")[code]) or ""
    place = np.flatnonzero(state.blocks == block)
    return (pool_text(pools_of(state)[state.segment[place[0]]]) or "") if len(place) else ""
