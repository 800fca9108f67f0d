"""Levels of detail of blocks and rows of segments, against slow versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nbprof.analysis.allocator.history import allocator_histories
from nbprof.analysis.allocator.state import AllocatorState
from nbprof.timeline.allocations import block_level as module
from nbprof.timeline.allocations.block_level import AXES, block_level, extent, positions
from nbprof.timeline.allocations.range_peaks import RangePeaks
from nbprof.timeline.allocations.segment_rows import segment_rows
from tests.analysis.allocator import runs
from tests.analysis.allocator.runs import model_of, run
from tests.support.recordings.allocator import SimAllocator
from tests.support.recordings.allocator_snapshot import snapshot

if TYPE_CHECKING:
    import pytest

    from nbprof.analysis.allocator.history import AllocatorHistory
    from nbprof.timeline.allocations.block_level import Axis


@given(st.lists(st.integers(0, 5), min_size=1, max_size=300), st.data())
def test_the_maximum_of_any_range(values: list[int], data: st.DataObject) -> None:
    places = st.integers(0, len(values) - 1)
    pairs = data.draw(st.lists(st.tuples(places, places), min_size=1, max_size=20))
    first, last = (np.array(side) for side in zip(*map(sorted, pairs), strict=True))
    found = RangePeaks(np.array(values)).at(first, last).tolist()
    for low, high, place in zip(first.tolist(), last.tolist(), found, strict=True):
        assert place == low + int(np.argmax(values[low : high + 1]))


def shown(history: AllocatorHistory, axis: Axis, span: tuple[float, float], columns: int) -> list:
    """Find the moment of each column one by one."""
    place = positions(history, axis).tolist()
    ends = [*place[1:], float("inf")]
    found = []
    for column in range(columns):
        low = span[0] + (span[1] - span[0]) * column / columns
        high = span[0] + (span[1] - span[0]) * (column + 1) / columns
        inside = [at for at in range(len(place)) if place[at] < high and ends[at] > low]
        inside = inside or [0]
        found.append(max(inside, key=lambda at: (history.in_use[at], -at)))
    return found


@given(runs.allocators, runs.steps, st.sampled_from(AXES), st.integers(1, 40), st.data())
def test_columns_and_blocks(
    allocator: SimAllocator,
    plan: list[tuple[str, int, int]],
    axis: Axis,
    columns: int,
    data: st.DataObject,
) -> None:
    content = snapshot(run(allocator, plan))
    if not content["device_traces"][allocator.device]:
        return
    history = allocator_histories(model_of(content))[allocator.device]
    low, high = extent(history, axis)
    edges = st.floats(low, high)
    span = tuple(sorted(data.draw(st.tuples(edges, edges), label="span")))
    if not span[1] - span[0] > 1e-6 * (high - low):
        span = (low, high)
    least = data.draw(st.sampled_from([0, 1000, 1 << 21]), label="least")
    level = block_level(history, axis, span, columns=columns, least=least)
    moments = level.moment.tolist()
    assert (np.diff(level.moment) >= 0).all()
    expected = [history.in_use[at] for at in shown(history, axis, span, columns)]
    assert [history.in_use[at] for at in moments] == expected
    lives = history.lives
    for column, moment in enumerate(moments):
        live = set(lives.at(moment).tolist())
        inside = (level.first <= column) & (column < level.last)
        drawn = set(level.block[inside].tolist())
        assert drawn == {one for one in live if lives.size[one] >= max(least, 1)}
        assert level.total[column] == lives.size[list(live)].sum()
        assert level.rest[column] == lives.size[list(live - drawn)].sum()


def test_the_largest_blocks_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = [("alloc", size, number) for number, size in enumerate(runs.SIZES * 3)]
    history = allocator_histories(model_of(snapshot(run(SimAllocator(), plan))))[0]
    monkeypatch.setattr(module, "MOST_BLOCKS", 5)
    span = extent(history, "time")
    level = block_level(history, "time", span, columns=200, least=0)
    sizes = sorted(history.lives.size.tolist())
    assert sorted(history.lives.size[level.block].tolist()) == sizes[-5:]
    assert (level.rest >= 0).all()
    wanted = history.lives.requested == min(runs.SIZES)
    found = block_level(history, "time", span, columns=200, least=0, wanted=wanted)
    assert set(np.flatnonzero(wanted).tolist()) <= set(found.block.tolist())


@given(runs.allocators, runs.steps, st.integers(1, 3000))
def test_rows_hold_every_segment_and_block(
    allocator: SimAllocator, plan: list[tuple[str, int, int]], width: int
) -> None:
    content = snapshot(run(allocator, plan))
    if not content["segments"]:
        return
    history = allocator_histories(model_of(content))[allocator.device]
    state = AllocatorState.of(history, history.last)
    rows = segment_rows(state, width)
    assert sorted(rows.order.tolist()) == list(range(len(state.segments)))
    size = state.segment_bytes[rows.order]
    assert (rows.offset + size <= rows.length).all()
    for row in set(rows.row.tolist()):
        here = np.flatnonzero(rows.row == row)
        assert (rows.offset[here][1:] >= (rows.offset + size)[here][:-1]).all()
    assert rows.item_count.sum() == len(state.blocks)
    assert (rows.item_offset + rows.item_bytes <= size[rows.item_segment]).all()
    alone = rows.item_count == 1
    occupied = dict(zip(state.blocks.tolist(), state.occupied.tolist(), strict=True))
    for block, length in zip(
        rows.item_block[alone].tolist(), rows.item_bytes[alone].tolist(), strict=True
    ):
        assert occupied[block] == length
