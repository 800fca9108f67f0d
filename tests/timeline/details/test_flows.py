"""Arrows of a whole trace: all of them, and those nearest to a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nbprof.loading import load
from nbprof.timeline.details.flows import MOST, flow_kinds, nearest_arrows
from nbprof.timeline.lanes.lane_sets import lane_set
from tests.conftest import ROOT
from tests.support.models import make_model
from tests.timeline.details.test_connections import DEVICE, HOST

if TYPE_CHECKING:
    from pathlib import Path

EVERY = [(0, 100)]


def launches(count: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return calls 10 apart, each with the kernel that it launches 1000 later."""
    host = [
        {"name": "launch", "kind": "runtime", "start": 10 * i, "end": 10 * i + 5, "correlation": i}
        for i in range(1, count + 1)
    ]
    device = [
        {"name": "k", "start": 1000 + 10 * i, "end": 1005 + 10 * i, "correlation": i}
        for i in range(1, count + 1)
    ]
    return host, device


def test_all_launches_and_the_way_back_are_there() -> None:
    model = make_model(HOST, DEVICE)
    assert flow_kinds(model) == ["enqueue", "fwdbwd"]
    lanes = lane_set(model)
    row = {lane.key: lane.first_row for lane in lanes.lanes}
    found = nearest_arrows(model, ["enqueue", "fwdbwd"], (0, 10_000), [(0, lanes.rows)])
    assert len([one for one in found if one.kind == "enqueue"]) == 43  # the stray has no launch
    first = next(one for one in found if one.from_ns == 40)
    assert (first.kind, first.to_row, first.to_ns) == ("enqueue", row["gpu:0:7"], 100)
    back = next(one for one in found if one.kind == "fwdbwd")
    assert back.to_ns in (400, 410)


def test_the_nearest_to_the_middle_come_first_and_are_limited() -> None:
    model = make_model(*launches(2000))
    window = 5000, 15_000
    found = nearest_arrows(model, ["enqueue"], window, EVERY, most=50)
    assert len(found) == 50
    away = [min(abs(one.from_ns - 10_000), abs(one.to_ns - 10_000)) for one in found]
    assert away == sorted(away)
    ends = [(10 * i, 1000 + 10 * i) for i in range(1, 2001)]
    wanted = sorted(min(abs(a - 10_000), abs(b - 10_000)) for a, b in ends)[:50]
    assert away == wanted
    assert len(nearest_arrows(model, ["enqueue"], window, EVERY)) == MOST


def test_another_time_than_the_middle_can_be_the_nearest() -> None:
    model = make_model(*launches(2000))
    found = nearest_arrows(model, ["enqueue"], (5000, 15_000), EVERY, at_ns=6000, most=50)
    assert len(found) == 50
    assert all(min(abs(one.from_ns - 6000), abs(one.to_ns - 6000)) <= 130 for one in found)


@pytest.mark.parametrize(
    ("rows", "window", "count"),
    [
        ([(0, 1)], (0, 9999), 0),
        ([(0, 2)], (0, 9999), 3),
        ([(0, 2)], (200, 900), 0),
        ([], (0, 9), 0),
    ],
)
def test_only_arrows_between_rows_and_in_the_window(
    rows: list[tuple[int, int]], window: tuple[int, int], count: int
) -> None:
    model = make_model(*launches(3))
    assert len(nearest_arrows(model, ["enqueue"], window, rows)) == count


def test_the_tasks_of_an_npu_have_arrows() -> None:
    trace = load(ROOT / "samples" / "npu_convnet_synthetic", progress=False).trace()
    assert "queue" in flow_kinds(trace.model)
    rows = [(0, lane_set(trace.model).rows)]
    found = nearest_arrows(trace.model, ["queue"], (0, 10**8), rows)
    assert {one.kind for one in found} == {"queue"}
    assert all(one.from_row != one.to_row for one in found)


def test_a_recorded_npu_has_all_kinds(shared_data: Path) -> None:
    trace = load(shared_data / "ascend" / "msinsight_text_level1", progress=False).trace()
    model = trace.model
    assert flow_kinds(model) == ["enqueue", "fwdbwd", "queue"]
    rows = [(0, lane_set(model).rows)]
    whole = 0, int(model.metadata["end_ns"]) + 1
    for kind in flow_kinds(model):
        assert {one.kind for one in nearest_arrows(model, [kind], whole, rows)} == {kind}
