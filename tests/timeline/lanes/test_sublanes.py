"""Rows of slices: none is lost, none overlap, and none is lower than needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.timeline.lanes import sublanes
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.slices import Slices, by_row
from tests.support.models import make_model
from tests.support.work import calls
from tests.timeline.generated import traces

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.lanes.lanes import LaneSet


def kernels(pairs: list[tuple[int, int]]) -> list[dict[str, Any]]:
    return [{"name": "k", "start": start, "end": end} for start, end in pairs]


def device_lanes(pairs: list[tuple[int, int]]) -> LaneSet:
    return lane_set(make_model(device=kernels(pairs)))


def parents(model: TraceModel) -> list[int]:
    """The slice round each one in its lane: those of the host, and of ranges on a device."""
    slices, lanes = Slices.of(model), lane_set(model)
    found = []
    for i in range(slices.host_rows):
        above = int(model.nesting.parent[i])
        while above >= 0 and lanes.lane[above] != lanes.lane[i]:
            above = int(model.nesting.parent[above])
        found.append(above)
    for i in range(slices.host_rows, len(slices)):
        own = lanes.lanes[lanes.lane[i]].key
        if not own.endswith(":annotations"):
            found.append(-1)
            continue
        order = [j for j in range(slices.host_rows, len(slices)) if lanes.lane[j] == lanes.lane[i]]
        order.sort(key=lambda j: (slices.start[j], -slices.end[j], j))
        around = [
            j
            for j in order[: order.index(i)]
            if slices.end[j] > slices.start[i] and slices.end[j] >= slices.end[i]
        ]
        found.append(around[-1] if around else -1)
    return found


def check_rows(model: TraceModel) -> None:
    slices, lanes = Slices.of(model), lane_set(model)
    start, end = slices.start.tolist(), slices.end.tolist()
    lane, depth = lanes.lane.tolist(), lanes.depth.tolist()
    above = parents(model)
    moved = [0] * len(lanes.lanes)
    for i in range(len(slices)):
        assert lane[i] >= 0
        assert 0 <= depth[i] < lanes.lanes[lane[i]].depths
        assert lanes.row[i] == lanes.lanes[lane[i]].first_row + depth[i]
        highest = depth[above[i]] + 1 if above[i] >= 0 else 0
        assert depth[i] >= highest
        moved[lane[i]] += depth[i] > highest
        others = [j for j in range(len(slices)) if j != i and lane[j] == lane[i]]
        for j in others:
            if depth[j] == depth[i]:
                assert end[j] <= start[i] or end[i] <= start[j]
        for between in range(highest, depth[i]):
            assert any(depth[j] == between and start[j] <= start[i] < end[j] for j in others)
    assert [one.moved for one in lanes.lanes] == moved
    assert sum(one.slices for one in lanes.lanes) == len(slices)
    rows = [(one.first_row, one.first_row + one.depths) for one in lanes.lanes]
    assert [low for low, _ in rows] == [0, *(high for _, high in rows)][: len(rows)]
    assert lanes.rows == (rows[-1][1] if rows else 0)


@given(traces())
def test_every_slice_has_the_first_row_that_is_free(model: TraceModel) -> None:
    check_rows(model)


@given(traces(), st.integers(1, 3))
def test_going_slice_by_slice_gives_rows_as_good(model: TraceModel, rounds: int) -> None:
    before = sublanes._ROUNDS
    sublanes._ROUNDS = rounds  # type: ignore[misc]
    try:
        check_rows(model)
    finally:
        sublanes._ROUNDS = before  # type: ignore[misc]


@given(traces())
def test_slices_that_nest_lie_at_their_nesting_depth(model: TraceModel) -> None:
    lanes, host = lane_set(model), model.tables["host"].num_rows
    if model.nesting.overlaps == 0:
        above = parents(model)
        depth = [0 if i < 0 else lanes.depth[i] + 1 for i in above[:host]]
        assert lanes.depth[:host].tolist() == depth
        assert all(lane.moved == 0 for lane in lanes.lanes if lane.kind == "thread")


def test_a_chain_of_overlaps_takes_two_rows() -> None:
    lanes = device_lanes([(0, 12), (10, 22), (20, 32), (30, 42), (50, 60)])
    assert lanes.depth.tolist() == [0, 1, 0, 1, 0]
    assert lanes.lanes[0].moved == lanes.moved == 2
    assert lanes.lanes[0].depths == 2


def test_slices_that_touch_do_not_overlap() -> None:
    lanes = device_lanes([(0, 10), (10, 10), (10, 10), (10, 20), (20, 30)])
    assert lanes.depth.tolist() == [0] * 5
    assert lanes.moved == 0


def test_what_sticks_out_of_another_goes_below_all_that_is_open() -> None:
    host = [
        {"name": "a", "start": 0, "end": 10},
        {"name": "b", "start": 2, "end": 8},
        {"name": "c", "start": 5, "end": 15},
        {"name": "d", "start": 6, "end": 7},  # inside of b, c and a
        {"name": "e", "start": 11, "end": 14},  # inside of c only
    ]
    model = make_model(host)
    lanes = lane_set(model)
    assert lanes.depth.tolist() == [0, 1, 2, 3, 3]
    assert lanes.moved == 1


def overlapping(count: int, others: int) -> TraceModel:
    """Return a stream on which every kernel overlaps so many that started before it."""
    spans = [(10 * n, 10 * n + 10 * others + 2) for n in range(count)]
    return make_model(device=kernels(spans))


@pytest.mark.parametrize("others", [1, 299])
def test_calls_grow_with_the_overlapping_slices_and_not_with_their_square(others: int) -> None:
    few, many = (overlapping(count, others) for count in (2000, 16_000))
    assert calls(lambda: lane_set(many)) < 10 * calls(lambda: lane_set(few))


def test_many_overlapping_slices_are_placed_in_as_few_rows_as_possible() -> None:
    count = 20_000
    lanes = lane_set(overlapping(count, 1))
    assert (lanes.rows, lanes.moved) == (2, count // 2)
    piled = overlapping(count, 299)
    lanes = lane_set(piled)
    assert (lanes.rows, lanes.moved) == (300, count - -(-count // 300))
    slices = Slices.of(piled)
    ids = by_row(slices, lanes.row)
    same = lanes.row[ids[1:]] == lanes.row[ids[:-1]]
    assert len(ids) == count
    assert np.all(slices.start[ids[1:]][same] >= slices.end[ids[:-1]][same])


@st.composite
def forests(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Return the parent of each slice, -1 at the top, and its lane."""
    size = draw(st.integers(0, 30))
    parent = [draw(st.integers(-1, at - 1)) for at in range(size)]
    return parent, draw(st.lists(st.integers(-1, 3), min_size=size, max_size=size))


@given(forests())
def test_the_nearest_in_its_lane_is_found_by_climbing(forest: tuple[list[int], list[int]]) -> None:
    parent, lane = forest
    found = []
    for at, own in enumerate(lane):
        above = parent[at]
        while above >= 0 and lane[above] != own:
            above = parent[above]
        found.append(above)
    above, lanes = np.array(parent, np.int64), np.array(lane, np.int32)
    assert sublanes.nearest_within(above, lanes).tolist() == found


def test_calls_do_not_grow_with_the_frames_around_an_operator() -> None:
    def work(depth: int) -> int:
        # Frames inside each other in lane 0, and an operator in each in lane 1.
        above = np.append(np.arange(-1, depth - 1), np.arange(depth))
        lane = np.repeat([0, 1], depth).astype(np.int32)
        return calls(lambda: sublanes.nearest_within(above, lane))

    assert work(16_000) < 2 * work(1000)
