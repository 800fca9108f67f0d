"""Bytes of NPU communication, where several links report the same bytes."""

from __future__ import annotations

from typing import Any

import pytest

from nbprof.analysis.ranks.calls import rank_calls
from nbprof.analysis.ranks.steps import rank_steps
from nbprof.analysis.steps.npu_steps import npu_steps
from nbprof.model.filters.filter import Filter
from nbprof.model.trace.model import TraceModel
from tests.support.npu import make_npu, table

OPERATOR = {
    "step": 1,
    "type": "collective",
    "name": "hcom_allReduce__1_0",
    "start_ns": 0,
    "elapse_us": 9.0,
    "transit_us": 8.0,
    "wait_us": 0.0,
    "synchronization_us": 1.0,
    "idle_us": 0.0,
    "is_total": False,
}


def test_a_recording_without_steps_is_step_0() -> None:
    model = make_npu(npu_steps=[{"step": -1, "device": 0, "computing_us": 5.0}])
    told = table("communication", [OPERATOR | {"step": -1}])
    model = TraceModel(
        {**model.tables, "communication": told}, model.metadata, dialect=model.dialect
    )
    for step, count in ((0, 1), (1, 0)):
        narrow = Filter(steps=(step, step))
        assert npu_steps(model, narrow).num_rows == rank_steps(model, narrow).num_rows == count
        assert rank_calls(model, narrow)["kept"].to_pylist() == [bool(count)]


def test_steps_have_the_calls_that_are_told_of_them() -> None:
    told = table("communication", [OPERATOR | {"step": step} for step in (-1, 0, 1)])
    model = make_npu()
    model = TraceModel(
        {**model.tables, "communication": told}, model.metadata, dialect=model.dialect
    )
    assert rank_calls(model, Filter(steps=(0, 0)))["kept"].to_pylist() == [False, True, False]


def call_of(**links: tuple[int, float]) -> dict[str, Any]:
    """Return what is said of an operator that sent bytes over links, each for some µs."""
    model = make_npu()
    told = [
        {"row": 0, "link": link, "bytes": size, "transit_us": time, "packets": "{}"}
        for link, (size, time) in links.items()
    ]
    tables = {
        "communication": table("communication", [OPERATOR]),
        "communication_links": table("communication_links", told),
    }
    [call] = rank_calls(
        TraceModel({**model.tables, **tables}, model.metadata, dialect=model.dialect)
    ).to_pylist()
    return call


@pytest.mark.parametrize(
    ("links", "size", "time"),
    [
        ({}, 0, 0.0),
        ({"HCCS": (100, 5.0)}, 100, 5.0),
        ({"HCCS": (100, 5.0), "SDMA": (100, 6.0)}, 100, 5.0),
        ({"HCCS": (100, 5.0), "PCIE": (20, 1.0), "SDMA": (120, 6.0)}, 120, 6.0),
        ({"HCCS": (100, 5.0), "SDMA": (150, 7.0)}, 150, 7.0),
        ({"HCCS": (100, 5.0), "SDMA": (30, 2.0)}, 100, 5.0),
        ({"SDMA": (30, 2.0)}, 30, 2.0),
        ({"HCCS": (100, 5.0), "SDMA": (100, 5.0), "RDMA": (7, 1.0)}, 107, 6.0),
    ],
)
def test_what_sdma_repeats_counts_once(
    links: dict[str, tuple[int, float]], size: int, time: float
) -> None:
    call = call_of(**links)
    assert (call["bytes"], call["bus_bytes"], call["link_us"]) == (size, size, time)
    assert call["message_bytes"] is None, "what links carry is more than the message"


def test_bytes_of_a_link_that_does_not_tell_them_are_unknown() -> None:
    call = call_of(HCCS=(-1, 5.0), RDMA=(7, 1.0))
    assert call["bytes"] is call["bus_bytes"] is None
