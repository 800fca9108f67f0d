"""Ranges of ``record_function`` in memory snapshots stand in for missing categories."""

from __future__ import annotations

from typing import Any

import pytest

import nbprof
from nbprof.sources.defects import DefectLog
from nbprof.sources.memory_snapshots.user_ranges import user_ranges

START = 1_700_000_000_000_000
MIB = 1 << 20


def mark(at: int, stage: str, name: str, device: int = 0) -> dict[str, Any]:
    return {"device": device, "time_us": START + at, "stage": stage, "name": name}


def allocation(at: int, addr: int, **more: Any) -> dict[str, Any]:
    one = {"action": "alloc", "addr": addr, "size": MIB, "stream": 0, "time_us": START + at}
    return {**one, "frames": [], **more}


MARKS = [
    mark(10, "START", "forward"),
    mark(20, "START", "attention"),
    mark(30, "END", "attention"),
    mark(40, "END", "forward"),
    mark(10, "START", "elsewhere", device=1),
]


def snapshot(annotations: Any) -> dict[str, Any]:
    entries = [
        allocation(0, 0x1000),
        allocation(15, 0x200000),
        allocation(20, 0x400000),
        allocation(25, 0x600000, category="activation"),
        allocation(35, 0x800000),
        allocation(50, 0xA00000),
    ]
    content = {"segments": [], "device_traces": [entries], "external_annotations": annotations}
    return {**content, "allocator_settings": {}}


def test_the_innermost_open_range_is_the_category() -> None:
    trace = nbprof.load(snapshot(MARKS), progress=False).trace()
    blocks = trace.memory_blocks().to_pylist()
    found = [row["category"] for row in sorted(blocks, key=lambda row: int(row["address"], 16))]
    assert found == [None, "forward", "attention", "activation", "forward", None]
    held = trace.memory_holders(group_by="category").to_pylist()
    assert {row["category"]: row["bytes"] for row in held} == {
        None: 2 * MIB,
        "forward": 2 * MIB,
        "attention": MIB,
        "activation": MIB,
    }


@pytest.mark.parametrize("wrong", [None, 7, [], [3], [{"name": 5}], [mark(0, "STAGE", "x")]])
def test_other_contents_give_no_ranges(wrong: Any) -> None:
    trace = nbprof.load(snapshot(wrong), progress=False).trace()
    found = {row["category"] for row in trace.memory_blocks().to_pylist()}
    assert found == {None, "activation"}


def test_an_end_without_a_beginning_is_counted() -> None:
    defects = DefectLog("snapshot.pickle")
    marks = [mark(5, "END", "lost"), mark(6, "START", "a"), mark(8, "START", "b")]
    marks += [mark(9, "END", "a"), mark(12, "END", "b")]  # of two threads
    ranges = user_ranges(marks, START, defects)[0]
    assert ranges.names == [None, "a", "b", "b", None]
    assert [one.kind for one in defects.warnings()] == ["range without a beginning"]
