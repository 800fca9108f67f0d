"""Tasks that one thread queues and another takes, and the arrows of both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.loading import load
from nbprof.model.links.launches import LAUNCH_FLOW, OPERATOR_FLOW
from nbprof.model.names.roles import innermost_operators
from nbprof.model.trace.model import TraceModel
from nbprof.timeline.curves.task_queue import QUEUE_FLOW, TaskQueue
from nbprof.timeline.details.details import slice_details
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.slices import Slices
from tests.conftest import ROOT
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.timeline.details.details import SliceDetails

#: An operator on thread 1 puts a task in; thread 2 takes it out and launches it on a lane of its
#: own, which has the same number in another process.
HOST: list[dict[str, Any]] = [
    {"name": "op", "start": 0, "end": 20, "tid": 1},
    {"name": "Enqueue", "kind": "runtime", "start": 5, "end": 8, "tid": 1},
    {"name": "Dequeue@op", "kind": "runtime", "start": 30, "end": 60, "tid": 2},
    {"name": "Node@launch", "kind": "runtime", "start": 40, "end": 50, "tid": 3},
]


def arrow(category: str, number: int, *ends: tuple[int, int, int]) -> list[dict[str, Any]]:
    return [
        {"id": number, "category": category, "phase": phase, "pid": pid, "tid": tid, "time_ns": at}
        for phase, (pid, tid, at) in zip("sf", ends, strict=True)
    ]


@pytest.fixture(scope="module")
def model() -> TraceModel:
    flows = [
        *arrow(QUEUE_FLOW, 0, (1, 1, 5), (1, 2, 30)),
        *arrow(LAUNCH_FLOW, 7, (9, 2, 40), (0, 4, 70)),
        *arrow(OPERATOR_FLOW, 7, (1, 1, 0), (0, 4, 70)),
    ]
    made = make_model(HOST, [{"name": "k", "start": 70, "end": 90, "stream": 4}], flows=flows)
    threads = made.tables["threads"].to_pydict()
    assert threads["tid"] == [1, 2, 3]
    threads |= {"pid": ["1", "1", "9"], "tid": [1, 2, 2]}
    table = pa.table(threads, schema=made.tables["threads"].schema)
    return TraceModel({**made.tables, "threads": table}, made.metadata, dialect=made.dialect)


def seen(model: TraceModel, details: SliceDetails) -> set[tuple[str, str, str]]:
    """Return kinds and ends of the arrows, by the names of what lies there."""
    slices, row = Slices.of(model), lane_set(model).row

    def at(one: int, time: int) -> str:
        found = np.flatnonzero((row == one) & (slices.start <= time) & (time < slices.end))
        return slices.names[slices.name[found[0]]]

    return {
        (one.kind, at(one.from_row, one.from_ns), at(one.to_row, one.to_ns))
        for one in details.arrows
    }


EVERY = {
    ("queue", "Enqueue", "Dequeue@op"),
    ("operator", "op", "k"),
    ("enqueue", "Node@launch", "k"),
}


@pytest.mark.parametrize("slice_id", range(5))
def test_every_slice_on_the_way_shows_all_of_it(model: TraceModel, slice_id: int) -> None:
    details = slice_details(model, slice_id)
    assert seen(model, details) == EVERY
    ways = {(way.kind, way.label) for way in details.follow if way.kind != "parent"}
    whole = {("operator", "op"), ("queue", "Enqueue"), ("queue", "Dequeue@op"),
             ("launch", "Node@launch"), ("kernel", "k")}  # fmt: skip
    assert ways == {way for way in whole if way[1] != details.name}


def test_one_key_leads_all_the_way_back(model: TraceModel) -> None:
    def first(name: str, kind: str) -> str:
        slices = Slices.of(model)
        here = [slices.names[code] for code in slices.name].index(name)
        return next(w.label for w in slice_details(model, here).follow if w.kind == kind)

    assert first("k", "queue") == "Dequeue@op"
    assert first("Dequeue@op", "queue") == "Enqueue"
    assert first("Enqueue", "queue") == "Dequeue@op"
    assert first("op", "queue") == "Enqueue"


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, 9)), max_size=8))
def test_arrows_are_matched_by_id_time_and_thread(ends: list[tuple[int, int, int]]) -> None:
    host = [
        {"name": "x", "kind": "runtime", "start": start, "end": start + 1, "tid": tid}
        for tid in (1, 2)
        for start in range(0, 10, 2)
    ]
    flows = [
        row
        for number, (ident, put, taken) in enumerate(ends)
        for row in arrow(QUEUE_FLOW, ident * 10 + number, (1, 1, put), (1, 2, taken))
    ]
    model = make_model(host, flows=flows)
    start = model.column("host", "start_ns").tolist()
    queue = TaskQueue.of(model)
    found = sorted((start[a], start[b]) for a, b in zip(queue.put, queue.taken, strict=True))
    assert found == sorted((a, b) for _, a, b in ends if a % 2 == 0 and b % 2 == 0)


def check(model: TraceModel, arrows: int) -> None:
    """Every kernel's launch is in a task whose operator is that of the kernel's own arrow."""
    queue, around = TaskQueue.of(model), innermost_operators(model)
    assert len(queue.put) == arrows
    kernels = np.flatnonzero(model.column("npu_kernels", "row") >= 0)
    rows = model.column("npu_kernels", "row")[kernels]
    same = 0
    for launch, operator in zip(model.links.launch[rows], model.links.operator[rows], strict=True):
        taken = queue.behind(model, int(launch))
        if taken >= 0:
            same += int(around[queue.put_by(taken)] == operator)
    assert same > 0.9 * len(rows)


def test_a_sample() -> None:
    check(next(iter(load(ROOT / "samples" / "npu_convnet_synthetic", progress=False))).model, 129)


def test_a_real_recording(shared_data: Path) -> None:
    trace = next(iter(load(shared_data / "ascend" / "msinsight_text_level1", progress=False)))
    check(trace.model, 159)
    forward = {
        arrow.kind
        for row in range(trace.model.tables["host"].num_rows)
        if trace.model.column("host", "sequence")[row] > 0
        for arrow in slice_details(trace.model, row).arrows
    }
    assert {"fwdbwd", "queue", "operator", "enqueue"} <= forward
