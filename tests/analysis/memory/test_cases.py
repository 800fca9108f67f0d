"""Odd memory records: each case built by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nbprof.analysis.advice.warnings import warnings
from nbprof.analysis.memory.curve import memory_curve
from nbprof.analysis.memory.memory_events import memory_events
from nbprof.analysis.memory.operators import memory_operators
from nbprof.analysis.memory.peak import memory_peak, memory_peak_holders
from nbprof.model.filters.filter import Filter
from nbprof.tables import TABLES
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Row = dict[str, Any]
MIB = 1 << 20


def record(time: int, change: int, address: int = 16, **more: Any) -> Row:
    row = {"time_ns": time, "bytes": change, "address": address, "thread": 0}
    return {**row, "device_type": 1, "device": 0, **more}


def cpu(time: int, change: int, address: int, total: int) -> Row:
    return record(time, change, address, device_type=0, device=-1, total_allocated=total)


def op(name: str, start: int, end: int, **more: Any) -> Row:
    return {"name": name, "start": start, "end": end, **more}


def blocks(model: TraceModel) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in memory_events(model).to_pylist()]


def curve(model: TraceModel) -> list[tuple[float, int]]:
    rows = memory_curve(model).to_pylist()
    return [(round(row["time_us"] * 1000), row["allocated_bytes"]) for row in rows]


def warned(model: TraceModel) -> dict[str, int]:
    rows = warnings(model).to_pylist()
    return {row["kind"]: row["count"] for row in rows}


def holders(model: TraceModel, *columns: str) -> list[tuple[Any, ...]]:
    rows = memory_peak_holders(model).to_pylist()
    return [tuple(row[column] for column in columns) for row in rows]


def test_an_address_is_used_again() -> None:
    times = [record(1, 8), record(2, -8), record(3, 5), record(4, -5)]
    model = make_model(memory=times)
    assert blocks(model) == [
        ("gpu", 0, None, 8, 0.001, 0.002, 0.001),
        ("gpu", 0, None, 5, 0.003, 0.004, pytest.approx(0.001)),
    ]
    assert warned(model) == {}


def test_an_address_is_allocated_again_without_a_release() -> None:
    model = make_model(memory=[record(1, 8), record(3, 5)])
    assert blocks(model) == [
        ("gpu", 0, None, 8, 0.001, None, None),
        ("gpu", 0, None, 5, 0.003, None, None),
    ]
    assert warned(model) == {"address allocated twice": 1}


def test_a_block_whose_address_is_taken_holds_nothing_more() -> None:
    memory = [record(1, 8, total_allocated=8), record(3, 50, total_allocated=50)]
    model = make_model(memory=memory)
    assert holders(model, "bytes", "blocks") == [(50, 1)]
    assert warned(model)["memory records out of order"] == 1


def test_releases_of_blocks_from_before() -> None:
    memory = [
        record(1, 4, 32, total_allocated=104),
        record(2, -30, total_allocated=74),
        record(3, -30, total_allocated=44),
    ]
    model = make_model(memory=memory)
    assert curve(model) == [(0, 100), (1, 104), (2, 74), (3, 44)]
    assert blocks(model)[1:] == [
        ("gpu", 0, None, 30, None, 0.002, None),
        ("gpu", 0, None, 30, None, 0.003, None),
    ]
    assert holders(model, "bytes", "blocks") == [(100, None), (4, 1)]
    assert warned(model) == {
        "allocated before the recording": 1,
        "freed without a recorded allocation": 1,
    }


def test_one_address_on_two_devices() -> None:
    memory = [record(1, 8), record(2, 6, device=1), record(3, -8), record(4, -6, device=1)]
    model = make_model(memory=memory)
    assert blocks(model) == [
        ("gpu", 0, None, 8, 0.001, 0.003, pytest.approx(0.002)),
        ("gpu", 1, None, 6, 0.002, 0.004, pytest.approx(0.002)),
    ]
    assert warned(model) == {"address on several devices": 1}


def test_devices_are_named_by_kind_or_number() -> None:
    kinds = [(0, -1), (1, 0), (6, 2), (12, 0), (20, 1), (17, 3), (-1, -1)]
    memory = [record(i, 8, device_type=k, device=n) for i, (k, n) in enumerate(kinds)]
    rows = memory_peak(make_model(memory=memory)).to_pylist()
    assert [(row["device_type"], row["device"]) for row in rows] == [
        ("cpu", None),
        (None, None),
        ("gpu", 0),
        ("gpu", 2),
        ("xpu", 0),
        ("device17", 3),
        ("privateuse1", 1),
    ]


def test_the_capacity_of_a_device_is_what_the_trace_says_of_it() -> None:
    memory = [record(1, 8), record(1, 8, device=1), cpu(1, 4, 64, 4)]
    devices = [{"device": 1, "memory_bytes": 16 * MIB}]
    rows = memory_peak(make_model(memory=memory, devices=devices)).to_pylist()
    assert [row["capacity_bytes"] for row in rows] == [None, None, 16 * MIB]


def test_memory_in_no_total_comes_on_top() -> None:
    """Shared memory is allocated and released between two tensors, and one block is from before."""
    memory = [
        cpu(1, 100, 1, 100),
        cpu(2, 64, 2, 0),
        cpu(3, 10, 3, 110),
        cpu(4, -64, 2, 0),
        cpu(5, -32, 4, 0),
        cpu(6, -10, 3, 100),
        cpu(7, -100, 1, 0),
    ]
    model = make_model(memory=memory)
    values = [0, 100, 164, 174, 110, 110, 100, 0]
    assert curve(model) == list(zip(range(8), values, strict=True))
    assert holders(model, "bytes", "blocks") == [(174, 3)]
    assert warned(model) == {"allocated before the recording": 1, "memory in no total": 3}


def test_what_uncounted_records_say_is_reserved_is_not_believed() -> None:
    """Shared memory says its own size."""
    memory = [cpu(1, 100, 1, 100), {**cpu(2, 64, 2, 0), "total_reserved": 64}]
    memory[0]["total_reserved"] = 500
    rows = memory_curve(make_model(memory=memory))["reserved_bytes"].to_pylist()
    assert rows == [None, 500, 500]


def test_a_range_starts_with_the_figures_before_its_first_record() -> None:
    model = make_model(memory=[record(1, 9), record(2, -9), record(2, 4), record(3, -4)])
    filter_ = Filter(time_us=(0.002, 0.003))
    rows = memory_curve(model, filter_).to_pylist()
    assert [row["allocated_bytes"] for row in rows] == [9, 0, 4]
    assert {row["time_us"] for row in rows} == {0.002}
    (peak,) = memory_peak(model, filter_).to_pylist()
    assert (peak["peak_bytes"], peak["time_us"]) == (9, 0.002)
    assert memory_curve(model, Filter(steps=7)).num_rows == 0


def test_totals_that_are_always_zero_are_not_believed() -> None:
    memory = [cpu(1, 100, 1, 0), cpu(2, 50, 2, 0), cpu(3, -100, 1, 0)]
    assert curve(make_model(memory=memory)) == [(0, 0), (1, 100), (2, 150), (3, 50)]


def test_records_without_addresses_have_a_curve_and_operators_only() -> None:
    host = [op("aten::relu", 0, 10)]
    memory = [record(1, 8, -1), record(2, -20, -1)]
    model = make_model(host, memory=memory)
    assert curve(model) == [(0, 12), (1, 20), (2, 0)]
    assert memory_operators(model)["self_size_increase_bytes"].to_pylist() == [-12]
    assert blocks(model) == []
    assert holders(model, "bytes") == []
    assert memory_peak(model)["peak_bytes"].to_pylist() == [20]


def test_a_record_belongs_to_a_slice_until_before_its_end() -> None:
    host = [op("outer", 0, 10), op("inner", 2, 5), op("other thread", 0, 10, tid=2)]
    memory = [record(t, 8, t + 1) for t in (2, 4, 5, 10)]
    model = make_model(host, memory=memory)
    rows = memory_events(model)["operator"].to_pylist()
    assert rows == ["inner", "inner", "outer", None]


def test_operators_that_only_allocate_stand_behind_their_caller() -> None:
    host = [
        op("aten::zeros", 0, 10),
        op("aten::empty", 1, 9),
        op("aten::empty_strided", 12, 15),
        op("nn.Module: Net_0", 20, 30, kind="module"),
        op("aten::empty", 22, 25),
        op("forward", 40, 50, kind="annotation"),
        op("aten::empty", 42, 45),
    ]
    memory = [record(t, 8, t) for t in (5, 13, 23, 43)]
    model = make_model(host, memory=memory)
    assert memory_events(model)["operator"].to_pylist() == [
        "aten::zeros (aten::empty)",
        "aten::empty_strided",
        "nn.Module: Net_0 (aten::empty)",
        "aten::empty",
    ]
    names = memory_operators(model)["name"].to_pylist()
    assert set(names) == {"aten::zeros", "aten::empty", "aten::empty_strided"}


def test_holders_name_module_and_stack_also_of_the_backward_pass() -> None:
    host = [
        op("train.py(3): step", 0, 100, kind="python", python_id=1),
        op("nn.Module: Net_0", 0, 40, kind="module", python_id=2, python_parent=1),
        op("nn.Module: Linear_1", 5, 30, kind="module", python_id=3, python_parent=2),
        op("aten::mm", 10, 20, sequence=7, forward_thread=0),
        op("MmBackward0", 15, 60, sequence=7, forward_thread=1, tid=2),
        op("aten::mm", 20, 50, tid=2),
    ]
    memory = [record(12, 8, 1), record(35, 3, 2), record(30, 5, 3, thread=1)]
    model = make_model(host, memory=sorted(memory, key=lambda row: row["time_ns"]))
    columns = ("operator", "module", "call_stack", "bytes", "blocks")
    stack = "nn.Module: Linear_1;nn.Module: Net_0;train.py(3): step"
    assert holders(model, *columns) == [
        ("aten::mm", "Linear_1", stack, 13, 2),
        (None, "Net_0", "nn.Module: Net_0;train.py(3): step", 3, 1),
    ]


def test_a_module_round_the_backward_operator_counts_where_its_forward_one_has_none() -> None:
    host = [
        op("aten::mul", 0, 9, sequence=3, forward_thread=0),
        op("nn.Module: Net_0", 10, 50, kind="module"),
        op("MulBackward0", 20, 40, sequence=3, forward_thread=1),
    ]
    model = make_model(host, memory=[record(25, 8)])
    assert holders(model, "operator", "module") == [("MulBackward0", "Net_0")]


def test_a_trace_without_memory_records() -> None:
    model = make_model([op("aten::add", 0, 10)])
    for name in ("curve", "operators", "events", "peak", "peak_holders", "categories"):
        assert TABLES[f"memory_{name}"].make(model).num_rows == 0
    assert warned(model) == {}
