"""The tables of allocator snapshots: their rows, options and filters."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbprof
from nbprof.analysis.allocator.history import allocator_histories
from nbprof.analysis.allocator.memory_blocks import memory_blocks
from nbprof.analysis.allocator.memory_holders import GROUPS, memory_holders
from nbprof.analysis.allocator.memory_segments import memory_segments
from nbprof.model.errors import FilterError
from nbprof.model.filters.filter import Filter
from tests.analysis.allocator import runs
from tests.analysis.allocator.runs import MIB, model_of, replayed, run
from tests.support.recordings.allocator import SimAllocator
from tests.support.recordings.allocator_snapshot import snapshot
from tests.support.traces import op, write

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.trace import Trace

pytestmark = pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")

PLAN = [("alloc", size, number) for number, size in enumerate(runs.SIZES * 3)]
PLAN += [("free", 0, 2), ("free", 0, 11), ("request", 0, 5), ("alloc", 3 * MIB, 8)]


def opened(folder: Path, content: dict[str, Any]) -> Trace:
    path = folder / "snapshot.pickle"
    path.write_bytes(pickle.dumps(content))
    return nbprof.load(path, progress=False, cache=False).trace()


def test_segments_are_those_of_the_snapshot(tmp_path: Path) -> None:
    content = snapshot(run(SimAllocator(capacity=2048 * MIB), PLAN))
    rows = opened(tmp_path, content).memory_segments().to_pylist()
    by_address = sorted(content["segments"], key=lambda one: one["address"])
    assert [row["address"] for row in rows] == [hex(one["address"]) for one in by_address]
    for row, one in zip(rows, by_address, strict=True):
        assert row["bytes"] == one["total_size"]
        assert row["allocated_bytes"] == one["active_size"]
        assert row["allocated_bytes"] + row["free_bytes"] == row["bytes"]
        free = [block["size"] for block in one["blocks"] if block["state"] == "inactive"]
        assert row["free_gaps"] == len(free)
        assert row["largest_gap_bytes"] == max(free, default=0)
        assert row["blocks"] == len(one["blocks"]) - len(free)
        assert row["size_class"] == one["segment_type"]
        assert row["stream"] == one["stream"]
        private = one["segment_pool_id"] != (0, 0)
        assert row["pool"] == ("private 1:0" if private else "default")
        assert row["expandable"] is False


@given(runs.allocators, runs.steps, st.data())
def test_a_moment_has_the_blocks_of_a_plain_replay(
    allocator: SimAllocator, plan: list[tuple[str, int, int]], data: st.DataObject
) -> None:
    content = snapshot(run(allocator, plan))
    entries = content["device_traces"][allocator.device]
    if not entries:
        return
    model = model_of(content)
    at = data.draw(st.integers(1, len(entries)))
    time_us = (entries[at - 1]["time_us"] - entries[0]["time_us"]) + 0.0
    history = allocator_histories(model)[allocator.device]
    moment = history.moment_at(time_us)
    expected = sorted(replayed(content, allocator.device)[moment].items())
    table = memory_blocks(model, time_us=time_us).to_pylist()
    assert sorted((int(row["address"], 16), row["requested_bytes"]) for row in table) == expected
    assert {row["state"] for row in table} <= {"allocated", "awaiting_free"}
    total = sum(size for _, size in expected)
    for group_by in GROUPS:
        holders = memory_holders(model, group_by=group_by, time_us=time_us).to_pylist()
        assert sum(row["requested_bytes"] for row in holders) == total
        assert sum(row["bytes"] for row in holders) == int(history.in_use[moment])
        assert sum(row["blocks"] for row in holders) == len(expected)
    segments = memory_segments(model, time_us=time_us).to_pylist()
    assert sum(row["bytes"] for row in segments) == int(history.reserved[moment])
    assert sum(row["blocks"] for row in segments) == len(expected)
    for row in segments:
        assert 0 <= row["largest_gap_bytes"] <= row["free_bytes"]
        assert (row["free_gaps"] == 0) == (row["free_bytes"] == 0)


def test_lives_of_blocks(tmp_path: Path) -> None:
    allocator = SimAllocator(max_entries=4)
    before = allocator.alloc(100, frames=runs.FRAMES[0])
    stays = allocator.alloc(200, frames=runs.FRAMES[1])
    assert before is not None
    assert stays is not None
    allocator.free(before)  # its allocation is no longer in the history
    made = allocator.alloc(300, frames=runs.FRAMES[2], category="gradient")
    assert made is not None
    allocator.request_free(made)
    trace = opened(tmp_path, snapshot(allocator))
    rows = {row["requested_bytes"]: row for row in trace.memory_blocks().to_pylist()}
    assert set(rows) == {100, 200, 300}
    assert {row["bytes"] for row in rows.values()} == {512}
    assert (rows[100]["allocated_us"], rows[100]["freed_us"]) == (None, 0)
    assert (rows[100]["state"], rows[100]["call_stack"]) == ("freed", None)
    assert (rows[200]["allocated_us"], rows[200]["freed_us"]) == (None, None)
    assert rows[200]["frame"] == "/data/ann/net1.py(2): forward"  # from the snapshot
    assert (rows[300]["allocated_us"], rows[300]["freed_us"]) == (10, None)
    assert (rows[300]["state"], rows[300]["category"]) == ("awaiting_free", "gradient")
    assert rows[300]["frame"] == "/data/ann/net2.py(3): forward"
    assert trace.metadata["history_overwritten"]
    assert trace.metadata["history_entries"] == 4
    held = trace.memory_blocks(time_us=10).to_pylist()
    states = {row["requested_bytes"]: row["state"] for row in held}
    assert states == {200: "allocated", 300: "allocated"}


def test_filters(tmp_path: Path) -> None:
    trace = opened(tmp_path, snapshot(run(SimAllocator(capacity=2048 * MIB), PLAN)))
    all_rows = trace.memory_blocks().to_pylist()
    named = trace.filter(name="net2.py").memory_blocks().to_pylist()
    assert named == [row for row in all_rows if "net2.py" in row["call_stack"]]
    assert 0 < len(named) < len(all_rows)
    assert trace.filter(name="parameter").memory_blocks().to_pylist() == [
        row for row in all_rows if row["category"] == "parameter"
    ]
    on = trace.filter(streams=(7,))
    assert on.memory_blocks().to_pylist() == [row for row in all_rows if row["stream"] == 7]
    assert {row["stream"] for row in on.memory_segments().to_pylist()} == {7}
    inside = trace.filter(time_us=(100, 200)).memory_blocks().to_pylist()
    assert inside == [row for row in all_rows if 100 <= row["allocated_us"] < 200]
    assert inside
    assert trace.filter(devices=(3,)).memory_blocks().num_rows == 0
    assert trace.filter(kinds=("kernel",)).memory_segments().num_rows == 0
    held = trace.filter(name="net2.py").memory_holders(time_us=1e9).to_pylist()
    assert [row["frame"] for row in held] == ["/data/ann/net2.py(3): forward"]
    assert held[0]["pct"] < 100


def test_holders_at_the_peak(tmp_path: Path) -> None:
    trace = opened(tmp_path, snapshot(run(SimAllocator(capacity=2048 * MIB), PLAN)))
    (peak,) = trace.memory_peak().to_pylist()
    rows = trace.memory_holders().to_pylist()
    assert sum(row["bytes"] for row in rows) == peak["peak_bytes"]
    assert sum(row["pct"] for row in rows) == pytest.approx(100)
    assert [row["bytes"] for row in rows] == sorted((row["bytes"] for row in rows), reverse=True)


@pytest.mark.parametrize("wrong", [float("nan"), "soon", True])
def test_a_moment_is_a_number(wrong: Any) -> None:
    with pytest.raises(FilterError, match="moment in microseconds"):
        memory_blocks(model_of(snapshot(run(SimAllocator(), PLAN))), time_us=wrong)


def test_other_traces_have_none(tmp_path: Path) -> None:
    trace = nbprof.load(
        write(tmp_path / "worker0.pt.trace.json", [op("aten::mm", 0, 10)]), progress=False
    ).trace()
    for table in ("memory_segments", "memory_blocks", "memory_holders"):
        assert trace.table(table).num_rows == 0


def test_a_filter_does_not_change_the_whole() -> None:
    model = model_of(snapshot(run(SimAllocator(), PLAN)))
    whole = memory_blocks(model, Filter())
    assert memory_blocks(model, Filter(name="nothing like this")).schema == whole.schema
