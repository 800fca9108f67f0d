"""Blocks whose operators the recorder names: their calls, and the figures that follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.analysis.memory.memory_events import memory_events
from nbprof.analysis.memory.operators import memory_operators
from nbprof.analysis.memory.peak import memory_peak_holders
from nbprof.analysis.memory.records import slice_of_record
from nbprof.analysis.modules.flame import flame
from nbprof.model.filters.filter import Filter
from tests.support.memory_tables import with_blocks
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

HOST = (
    {"name": "ProfilerStep#1", "kind": "step", "start": 0, "end": 1000},
    {"name": "nn.Module: Linear_0", "kind": "module", "start": 10, "end": 500, "module_id": 1},
    {"name": "aten::linear", "start": 20, "end": 400},
    {"name": "aten::mm", "start": 30, "end": 200},
    {"name": "aten::empty", "start": 40, "end": 60},
    {"name": "aten::mm", "start": 600, "end": 700},
    {"name": "aten::mm", "start": 35, "end": 190, "tid": 2},
)
BLOCKS = (
    ("aten::mm", 100, 50, 300, 100),  # inside aten::empty, which is not what is named
    ("aten::mm", 10, 650, None, 110),
    ("cann::Conv", 5, 70, 80, 5),
    ("aten::mm", 3, 900, 950, 113),  # while nothing of that name ran
    (None, 2, 960, 970, 112),
)


def model() -> TraceModel:
    return with_blocks(make_model(HOST), *BLOCKS)


def rows(table: Any) -> dict[Any, Any]:
    return {row["name"]: row for row in table.to_pylist()}


def test_allocations_are_in_the_call_that_they_name() -> None:
    found = model()
    host = found.tables["host"].to_pylist()
    times = found.tables["memory"]["time_ns"].to_pylist()
    slices = dict(zip(times, slice_of_record(found).tolist(), strict=True))
    # Of two calls at the same time that is meant which started last.
    second = host[slices[50]]
    assert (second["name"], second["start_ns"], second["thread"]) == ("aten::mm", 35, 1)
    assert (host[slices[650]]["name"], host[slices[650]]["start_ns"]) == ("aten::mm", 600)
    assert {slices[time] for time in (70, 80, 300, 900, 950, 960, 970)} == {-1}


def test_operators_have_what_they_and_those_inside_allocate() -> None:
    alone = with_blocks(make_model(HOST[:-1]), *BLOCKS)
    table = memory_operators(alone)
    found = rows(table)
    assert list(found) == ["aten::mm", "cann::Conv", "aten::linear"]
    mm, conv, linear = found.values()
    assert (mm["calls"], conv["calls"], linear["calls"]) == (2, None, 1)
    assert (mm["self_allocation_count"], mm["self_allocation_size_bytes"]) == (3, 113)
    assert (mm["allocation_count"], mm["allocation_size_bytes"]) == (3, 113)
    assert (linear["self_allocation_count"], linear["allocation_size_bytes"]) == (0, 100)
    assert (conv["allocation_count"], conv["allocation_size_bytes"]) == (1, 5)
    # Who releases is not recorded, so what operators keep is not known.
    for name in ("size_increase_bytes", "self_size_increase_bytes"):
        assert set(table[name].to_pylist()) == {None}


def test_filters_narrow_calls_and_what_has_none() -> None:
    alone = with_blocks(make_model(HOST[:-1]), *BLOCKS)
    late = rows(memory_operators(alone, Filter(time_us=(0.5, 1))))
    assert {name: row["self_allocation_size_bytes"] for name, row in late.items()} == {
        "aten::mm": 13
    }
    named = rows(memory_operators(alone, Filter(name="conv")))
    assert list(named) == ["cann::Conv"]
    assert memory_operators(alone, Filter(devices=(3,))).num_rows == 0
    assert memory_operators(alone, Filter(kinds=("kernel",))).num_rows == 0
    assert len(rows(memory_operators(alone, Filter(kinds=("memory",))))) == 3


def test_blocks_have_their_names_and_those_at_the_peak_their_modules() -> None:
    alone = with_blocks(make_model(HOST[:-1]), *BLOCKS)
    events = memory_events(alone).to_pylist()
    assert [row["operator"] for row in events] == [
        "aten::mm", "cann::Conv", "aten::mm", "aten::mm", None,
    ]  # fmt: skip
    assert [row["release_us"] for row in events] == [0.3, 0.08, None, 0.95, 0.97]
    holders = memory_peak_holders(alone, Filter(time_us=(0, 0.1))).to_pylist()
    assert [(row["operator"], row["module"], row["bytes"]) for row in holders] == [
        ("aten::mm", "Linear_0", 100),
        ("cann::Conv", None, 5),
    ]


def test_without_a_trace_calls_are_unknown() -> None:
    found = with_blocks(make_model(), *BLOCKS)
    table = memory_operators(found)
    assert set(table["calls"].to_pylist()) == {None}
    assert table["self_allocation_size_bytes"].to_pylist() == [113, 5]
    frames = flame(found, by="bytes")
    assert max(frames["total_bytes"].to_pylist()) == sum(size for _, size, *_ in BLOCKS)
