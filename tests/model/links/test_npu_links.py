"""Operators of device work on NPUs, where operators only queue it, and steps without a host row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.model.filters import selection
from nbprof.model.filters.filter import Filter
from nbprof.model.links.module_tree import sources_of_device
from tests.support.npu import make_npu

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Row = dict[str, Any]


def arrow(category: str, number: int, head: tuple[int, int], tail: tuple[int, int]) -> list[Row]:
    """Return both ends of an arrow, each a moment and a thread or stream."""
    return [
        {"id": number, "category": category, "phase": phase, "time_ns": at, "pid": 1, "tid": place}
        for phase, (at, place) in (("s", head), ("f", tail))
    ]


#: An operator on thread 1, whose call another thread makes, long after it.
QUEUED = [
    {"name": "step", "kind": "annotation", "start": 0, "end": 30, "tid": 1},
    {"name": "aten::mm", "start": 10, "end": 20, "tid": 1},
    {"name": "Enqueue", "kind": "runtime", "start": 12, "end": 14, "tid": 1},
    {"name": "launch", "kind": "runtime", "start": 40, "end": 45, "tid": 2},
]
KERNEL = {"name": "MatMul", "start": 60, "end": 90, "stream": 2}
ARROWS = [*arrow("operator", 60, (10, 1), (60, 2)), *arrow("launch", 5, (40, 2), (60, 2))]


def names_of(model: TraceModel) -> tuple[str | None, ...]:
    names = model.tables["host"].column("name").to_pylist()
    links = model.links
    rows = (links.launch[0], links.operator[0], links.launched_by[0], sources_of_device(model)[0])
    return tuple(names[row] if row >= 0 else None for row in rows)


def test_the_arrow_of_the_operator_tells_who_asked() -> None:
    model = make_npu(QUEUED, [KERNEL], flows=ARROWS)
    assert names_of(model) == ("launch", "aten::mm", None, "aten::mm")


def test_without_it_the_call_stands_in() -> None:
    model = make_npu(QUEUED, [KERNEL], flows=ARROWS[2:])
    assert names_of(model) == ("launch", None, "launch", "launch")


def test_arrows_of_operators_alone_are_enough() -> None:
    model = make_npu(QUEUED, [KERNEL], flows=ARROWS[:2])
    assert names_of(model) == (None, "aten::mm", None, "aten::mm")


def test_an_arrow_from_a_range_belongs_to_the_operator_round_it() -> None:
    host = [
        {"name": "aten::outer", "start": 5, "end": 25, "tid": 1},
        {"name": "Optimizer.step#SGD.step", "start": 10, "end": 20, "tid": 1},
    ]
    model = make_npu(host, [KERNEL], flows=ARROWS[:2])
    assert names_of(model)[1] == "aten::outer"


def test_a_call_that_starts_with_the_operator_is_not_taken_for_it() -> None:
    host = [*QUEUED, {"name": "call", "kind": "runtime", "start": 10, "end": 11, "tid": 1}]
    assert names_of(make_npu(host, [KERNEL], flows=ARROWS))[1] == "aten::mm"


def test_lanes_that_are_no_streams_are_reached() -> None:
    collective = {"name": "hcom_allReduce__1", "start": 60, "end": 90, "stream": -2}
    model = make_npu(QUEUED, [collective], flows=arrow("operator", 60, (10, 1), (60, -2)))
    assert names_of(model)[1] == "aten::mm"


def test_bars_on_the_device_have_no_operator() -> None:
    bar = {"name": "Computing", "kind": "annotation", "start": 60, "end": 90, "stream": 2}
    assert names_of(make_npu(QUEUED, [bar], flows=ARROWS))[1] is None


RANGES = [
    {"step": 8, "start_ns": 50, "end_ns": 100},
    {"step": 7, "start_ns": 0, "end_ns": 60},
]


def test_steps_that_are_no_host_rows_are_disjoint() -> None:
    device = [{"name": "a", "start": 0, "end": 60}, {"name": "b", "start": 50, "end": 100}]
    steps = make_npu(device=device, step_ranges=RANGES).steps
    assert steps.recorded
    assert steps.number.tolist() == [7, 8]
    assert steps.start_ns.tolist() == [0, 60]
    assert steps.end_ns.tolist() == [60, 100]
    assert steps.row.tolist() == [-1, -1]


def test_a_kernel_is_of_the_step_that_the_recorder_says() -> None:
    device = [{"name": "a", "start": 0, "end": 60}, {"name": "b", "start": 50, "end": 100}]
    told = [{"row": 0, "step": 7}, {"row": 1, "step": 8}]
    model = make_npu(device=device, step_ranges=RANGES, kernels=told)
    assert selection.device_rows(model, Filter(steps=(8, 8))).tolist() == [False, True]
    unknown = make_npu(device=device, step_ranges=RANGES, kernels=[{"row": 0}, {"row": 1}])
    assert selection.device_rows(unknown, Filter(steps=(8, 8))).tolist() == [False, False]
    other = [{"row": 0, "step": 7}, {"row": 1, "step": 99}]
    model = make_npu(device=device, step_ranges=RANGES, kernels=other)
    assert selection.device_rows(model, Filter(steps=(7, 7))).tolist() == [True, True]


def test_the_only_step_is_known_by_its_sums() -> None:
    steps = make_npu(npu_steps=[{"step": 13, "device": 0}]).steps
    assert steps.number.tolist() == [13]
    assert steps.recorded
