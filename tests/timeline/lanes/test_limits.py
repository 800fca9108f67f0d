"""Traces with a hundred thousand threads, streams, devices, counters or steps stay readable."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from nbprof.timeline.curves.tracks import MOST_CURVES, curves_left_out
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.lanes.limits import MOST_GROUPS, MOST_THREADS, shares, short_key
from nbprof.timeline.slices import Slices
from nbprof.timeline.timeline import Timeline
from nbprof.widgets.views.timeline.layout import MOST_STEPS, layout
from nbprof.widgets.views.timeline.workers import WorkerPart
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

MANY = MOST_THREADS + 500


def op(start: int, **more: Any) -> dict[str, Any]:
    return {"name": "aten::add", "start": start, "end": start + 5, **more}


def kernel(start: int, **more: Any) -> dict[str, Any]:
    return {"name": "sgemm", "start": start, "end": start + 5, "device": 0, "stream": 7, **more}


def layout_of(model: TraceModel) -> dict[str, Any]:
    return layout([WorkerPart("w", Timeline.of(model))])


def test_threads_beyond_the_limit_share_one_lane() -> None:
    busy = [op(10 * i, tid=MANY) for i in range(3)]
    model = make_model([*(op(i % 7, tid=i) for i in range(MANY)), *busy])
    lanes = lane_set(model)
    assert len(lanes.lanes) == MOST_THREADS
    assert MANY in {lane.tid for lane in lanes.lanes}, "the thread with most slices stays"
    last = lanes.lanes[-1]
    assert last.label == f"{MANY - MOST_THREADS + 2} more threads"
    assert (last.tid, last.slices) == (None, MANY - MOST_THREADS + 2)
    assert (lanes.row >= 0).all(), "every slice has a place"
    slices = Slices.of(model)
    order = np.lexsort((slices.start, lanes.row))
    same = lanes.row[order][1:] == lanes.row[order][:-1]
    assert not (same & (slices.end[order][:-1] > slices.start[order][1:])).any()


def test_streams_with_most_work_keep_their_lanes() -> None:
    rows = [kernel(10 * i, stream=i) for i in range(MANY)]
    rows += [kernel(5 + 10 * i, stream=MANY - 1) for i in range(5)]
    lanes = lane_set(make_model([], rows))
    assert len(lanes.lanes) == MOST_THREADS
    assert MANY - 1 in {lane.stream for lane in lanes.lanes}
    assert lanes.lanes[-1].label == f"{MANY - MOST_THREADS + 1} more streams"
    assert lanes.lanes[-1].device == 0


def test_devices_and_their_curves_beyond_the_limit_are_counted() -> None:
    model = make_model([op(0)], [kernel(10 * i, device=i) for i in range(MANY)])
    plain = layout_of(model)
    lanes = [lane for lane in plain["lanes"] if lane["kind"] == "stream"]
    assert len(plain["groups"]) <= MOST_GROUPS + 1
    assert sum(lane["slices"] for lane in lanes) == MANY
    (rest,) = (group for group in plain["groups"] if group["key"] == "device:rest")
    more = MANY - len({lane["group"] for lane in lanes}) + 1
    assert rest["label"] == f"{more:,} more devices"
    assert curves_left_out(model) == MANY - MOST_CURVES
    assert plain["left_out"] == [f"{MANY - MOST_CURVES:,} more curves left out"]


def test_many_steps_are_not_marked_and_that_is_said() -> None:
    steps = steps_of(MOST_STEPS + 1)
    plain = layout_of(make_model(steps))
    assert plain["steps"] == []
    assert plain["left_out"] == ["10,001 steps not marked"]
    assert len(layout_of(make_model(steps[:-1]))["steps"]) == MOST_STEPS


def test_of_several_workers_each_with_many_steps_is_named() -> None:
    def part(name: str, count: int) -> WorkerPart:
        return WorkerPart(name, Timeline.of(make_model(steps_of(count))), suffix=f"@{name}")

    few = MOST_STEPS // 10
    plain = layout([part("a", few), part("b", few + 1)])
    assert [len(worker["steps"]) for worker in plain["workers"]] == [few, 0]
    assert plain["left_out"] == ["1,001 steps of b not marked"]
    plain = layout([part("a", few + 1), part("b", few + 1), part("c", 3)])
    assert [len(worker["steps"]) for worker in plain["workers"]] == [0, 0, 3]
    assert plain["left_out"] == ["2,002 steps of 2 workers not marked"]
    plain = layout([part("a", MOST_STEPS + 1), part("b", 3)])
    assert plain["left_out"] == ["10,001 steps not marked"]


def steps_of(count: int) -> list[dict[str, Any]]:
    return [
        {"name": f"ProfilerStep#{i}", "kind": "step", "start": 10 * i, "end": 10 * i + 9}
        for i in range(count)
    ]


def test_few_lanes_are_left_as_they_are() -> None:
    plain = layout_of(make_model([op(0, tid=1), op(0, tid=2)], [kernel(1)]))
    assert "left_out" not in plain
    assert [lane["key"] for lane in plain["lanes"]] == ["gpu:0:7", "cpu:1:1", "cpu:1:2"]


def test_long_names_of_modules_do_not_fill_the_message() -> None:
    host = [
        {
            "name": f"nn.Module: {'M' * 5000}{i}_0",
            "kind": "module",
            "start": 10 * i,
            "end": 10 * i + 9,
        }
        for i in range(1000)
    ]
    lanes = lane_set(make_model(host), "module")
    assert len({group.key for group in lanes.groups}) == 1000
    described = [(one.key, one.label, one.detail, one.group) for one in lanes.lanes]
    assert len(json.dumps(described)) < 2_000_000


def test_long_keys_stay_distinct() -> None:
    assert short_key("a" * 300) == "a" * 300
    keys = {short_key("a" * 1000 + str(i)) for i in range(100)}
    assert len(keys) == 100
    assert max(map(len, keys)) <= 300


@pytest.mark.parametrize(
    ("sizes", "most", "expected"),
    [([5, 1, 9], 20, [5, 1, 9]), ([5, 1, 9], 9, [4, 1, 4]), ([9, 9, 9], 1, [1, 1, 1])],
)
def test_large_parts_share_what_small_ones_leave(
    sizes: list[int], most: int, expected: list[int]
) -> None:
    assert shares(sizes, most) == expected
