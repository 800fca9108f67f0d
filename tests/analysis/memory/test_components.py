"""Memory by component: recorded, derived and sampled values."""

from __future__ import annotations

from typing import Any

import pytest

from nbprof.analysis.memory.components import memory_components
from nbprof.analysis.memory.curve import memory_curve
from nbprof.analysis.memory.peak import memory_peak, memory_peak_holders
from nbprof.model.filters.filter import Filter
from tests.support.memory_tables import with_blocks, with_components
from tests.support.models import make_model

MB = 1024**2
EMPTY = make_model(metadata={"end_ns": 9000})
STEPS = (
    {"name": "ProfilerStep#1", "kind": "step", "start": 0, "end": 2000},
    {"name": "ProfilerStep#2", "kind": "step", "start": 2000, "end": 5000},
)


def curve(model: Any, filter_: Filter | None = None) -> list[tuple[Any, ...]]:
    names = ("component", "time_us", "allocated_bytes", "reserved_bytes")
    rows = memory_curve(model, filter_ or Filter()).to_pylist()
    assert all((row["device_type"], row["device"]) == ("npu", 0) for row in rows)
    return [tuple(row[name] for name in names) for row in rows]


def peaks(model: Any, filter_: Filter | None = None) -> dict[tuple[str, str], tuple[int, float]]:
    rows = memory_components(model, filter_ or Filter()).to_pylist()
    return {
        (row["component"], row["source"]): (row["peak_reserved_bytes"], row["time_us"])
        for row in rows
    }


def test_peaks_are_the_largest_number_and_not_the_last_text() -> None:
    # As texts "92.2" is more than "404.0", and "9" than "10".
    modules = [("HCCL", 0, 92), ("HCCL", 1000, 404), ("HCCL", 2000, 404), ("RUNTIME", 0, 9)]
    modules += [("RUNTIME", 3000, 10)]
    model = with_components(EMPTY, modules=[(n, t, size * MB) for n, t, size in modules])
    assert peaks(model) == {
        ("HCCL", "driver"): (404 * MB, 1.0),
        ("RUNTIME", "driver"): (10 * MB, 3.0),
    }
    assert memory_curve(model).num_rows == 0
    assert memory_peak(model).num_rows == 0


def test_the_sum_that_is_recorded_is_the_memory_of_the_device() -> None:
    rows = (("PTA", 10, 5, 8), ("PTA+GE", 10, 5, 8), ("GE", 20, 2, 4), ("PTA+GE", 20, 7, 12))
    rows += (("PTA+GE", 30, 6, 12), ("APP", 15, -1, 20))
    model = with_components(EMPTY, *rows)
    found = curve(model)
    assert found[:3] == [("PTA+GE", 0.01, 5, 8), ("PTA+GE", 0.02, 7, 12), ("PTA+GE", 0.03, 6, 12)]
    assert sorted(found[3:]) == [("APP", 0.015, None, 20), ("GE", 0.02, 2, 4), ("PTA", 0.01, 5, 8)]
    [peak] = memory_peak(model).to_pylist()
    assert (peak["peak_bytes"], peak["time_us"]) == (7, 0.02)
    order = [row["component"] for row in memory_components(model).to_pylist()]
    assert order == ["APP", "PTA+GE", "PTA", "GE"]


def test_without_a_sum_it_is_that_of_both_allocators() -> None:
    rows = (("PTA", 5, -1, 8), ("PTA", 10, 5, 8), ("GE", 20, 2, 4), ("PTA", 30, 1, 8))
    rows += (("GE", 30, 3, 5),)
    found = curve(with_components(EMPTY, *rows))
    [peak] = memory_peak(with_components(EMPTY, *rows)).to_pylist()
    assert (peak["peak_bytes"], peak["time_us"]) == (7, 0.02)
    sums = [point for point in found if point[0] == "PTA+GE"]
    assert [point[1:] for point in sums] == [
        (0.005, None, 8),
        (0.01, 5, 8),
        (0.02, 7, 12),
        (0.03, 3, 12),
        (0.03, 4, 13),
    ]


def test_without_any_component_blocks_tell_what_allocators_have() -> None:
    model = with_blocks(
        EMPTY,
        ("aten::mm", 4, 10, 40, 104),
        ("cann::Conv", 3, 20, 30, 13),
        (None, 2, 50, None, 102),
    )
    found = curve(model)
    assert [point[1:3] for point in found if point[0] == "PTA+GE"] == [
        (0.01, 104), (0.02, 117), (0.03, 114), (0.04, 110), (0.05, 112),
    ]  # fmt: skip
    assert {point[0] for point in found} == {"PTA+GE", "PTA", "GE"}
    [peak] = memory_peak(model).to_pylist()
    assert (peak["peak_bytes"], peak["time_us"]) == (117, 0.02)
    holders = memory_peak_holders(model).to_pylist()
    assert [(row["operator"], row["bytes"], row["blocks"]) for row in holders] == [
        (None, 110, None),
        ("aten::mm", 4, 1),
        ("cann::Conv", 3, 1),
    ]


def test_what_only_the_process_says_is_no_memory_in_use() -> None:
    model = with_components(EMPTY, ("APP", 10, -1, 20), ("APP", 30, -1, 30))
    assert curve(model) == [("APP", 0.01, None, 20), ("APP", 0.03, None, 30)]
    assert memory_peak(model).num_rows == 0
    assert peaks(model) == {("APP", "profiler"): (30, 0.03)}


@pytest.mark.parametrize("by_step", [True, False])
def test_ranges_start_with_what_was_there(by_step: bool) -> None:
    rows = (("PTA", 500, 5, 8), ("PTA", 1500, 9, 9), ("PTA", 3000, 6, 7), ("PTA", 5000, 99, 99))
    model = with_components(
        make_model(STEPS), *rows, modules=[("HCCL", 1900, 3), ("HCCL", 2500, 2)]
    )
    chosen = Filter(steps=(2, 2)) if by_step else Filter(time_us=(2, 5))
    points = [point[1:] for point in curve(model, chosen) if point[0] == "PTA"]
    assert points == [(2.0, 9, 9), (3.0, 6, 7)]
    found = peaks(model, chosen)
    assert found["PTA", "profiler"] == (9, 2.0)
    assert found["HCCL", "driver"] == (3, 2.0)


def test_filters_narrow_components() -> None:
    model = with_components(EMPTY, ("PTA", 0, 1, 2), ("APP", 0, -1, 9), modules=[("PTA", 0, 1)])
    assert set(peaks(model, Filter(name="pta"))) == {
        ("PTA+GE", "profiler"),
        ("PTA", "profiler"),
        ("PTA", "driver"),
    }
    assert peaks(model, Filter(devices=(1,))) == {}
    assert peaks(model, Filter(kinds=("kernel",))) == {}
    assert peaks(model, Filter(time_us=(5, 6)))["APP", "profiler"] == (9, 5.0)


def test_traces_without_components_have_none() -> None:
    record = {"time_ns": 5, "thread": 0, "bytes": 4, "address": 1, "device_type": 0, "device": -1}
    model = make_model([{"name": "aten::mm", "start": 0, "end": 9}], memory=[record])
    assert memory_components(model).num_rows == 0
    assert set(memory_curve(model)["component"].to_pylist()) == {None}
