"""Events of all PyTorch versions go into the same tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.traces import kernel, op, read_trace, table_rows, warning_counts

if TYPE_CHECKING:
    from pathlib import Path


CATEGORIES = {
    "Operator": "operator",
    "cpu_op": "operator",
    "user_annotation": "annotation",
    "python_function": "python",
    "Runtime": "runtime",
    "cuda_runtime": "runtime",
    "cuda_driver": "runtime",
    "hip_runtime": "runtime",
    "xpu_driver": "runtime",
    "mtia_runtime": "runtime",
    "glow_runtime": "runtime",
    "privateuse1_driver": "runtime",
}


@pytest.mark.parametrize("category", CATEGORIES)
def test_host_categories_of_all_versions(model_of: Any, category: str) -> None:
    model = model_of(op(cat=category, args={"correlation": 9, "External id": 4}))
    (row,) = table_rows(model)
    assert row["kind"] == CATEGORIES[category]
    assert row["correlation"] == (9 if row["kind"] == "runtime" else -1)
    assert row["external_id"] == (-1 if row["kind"] == "python" else 4)
    assert model.warnings == []


@pytest.mark.parametrize(
    ("category", "kind"),
    [("Kernel", "kernel"), ("gpu_memcpy", "memcpy"), ("Memset", "memset"), ("cuda_sync", "sync")],
)
def test_device_categories_of_all_versions(model_of: Any, category: str, kind: str) -> None:
    model = model_of({**kernel(), "cat": category})
    assert [row["kind"] for row in table_rows(model, "device")] == [kind]
    assert model.metadata["device_type"] == "gpu"


def test_annotations_on_devices_are_no_host_rows_and_no_steps(model_of: Any) -> None:
    shown = op("ProfilerStep#3", cat="gpu_user_annotation", pid=2, tid=7)
    model = model_of(op("ProfilerStep#3", cat="user_annotation"), shown)
    assert [row["kind"] for row in table_rows(model)] == ["step"]
    (device,) = table_rows(model, "device")
    assert (device["kind"], device["device"], device["stream"]) == ("annotation", 2, 7)


def test_steps_of_old_versions_are_operators_by_category(model_of: Any) -> None:
    assert [row["kind"] for row in table_rows(model_of(op("ProfilerStep#12", cat="Operator")))] == [
        "step"
    ]


def test_modules_are_python_frames_with_a_module_id(model_of: Any) -> None:
    frames = [{"Python id": 1, "Python parent id": None}, {"Python id": 2, "Python module id": 0}]
    model = model_of(*(op(cat="python_function", ts=i, args=a) for i, a in enumerate(frames)))
    assert [
        (r["kind"], r["python_id"], r["python_parent"], r["module_id"]) for r in table_rows(model)
    ] == [
        ("python", 1, -1, -1),
        ("module", 2, -1, 0),
    ]


def test_what_has_no_table_is_counted_in_the_metadata(model_of: Any) -> None:
    marks = [
        {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "ts": 0, "dur": 99, "pid": "S"},
        {"ph": "i", "name": "Record Window End", "pid": "", "tid": "", "ts": 5},
        {"ph": "i", "name": "Iteration Start: PyTorch Profiler", "pid": "", "tid": "", "ts": 5},
        op("cpu_id", cat="cuda_profiler_range"),
        op("cpu_id", cat="cuda_profiler_range", ts=0),
    ]
    model = model_of(op(), *marks)
    assert len(table_rows(model)) == 1
    assert model.metadata["dropped"] == {"cuda_profiler_range": 2}
    assert model.metadata["events"] == 6
    assert model.metadata["epoch_ns"] == 10_000
    assert model.metadata["recorded_ns"] == (-10_000, 89_000)
    assert model.warnings == []


def test_the_work_of_the_profiler_nests_with_nothing(model_of: Any) -> None:
    own = {"cat": "overhead", "pid": -1, "tid": 0}
    model = model_of(
        op("outer", ts=0, dur=100),
        op("inner", ts=20, dur=10),
        op("Buffer Flush", ts=10, dur=50, **own),
        op("Buffer Flush", ts=30, dur=50, **own),
        op("Lazy Function Loading", cat="overhead", ts=5, dur=90),  # on the thread of operators
    )
    names = [row["name"] for row in table_rows(model)]
    parent = {name: int(at) for name, at in zip(names, model.nesting.parent, strict=True)}
    assert names[parent["inner"]] == "outer"
    assert parent["Buffer Flush"] == parent["Lazy Function Loading"] == -1
    assert model.nesting.depth.tolist() == [int(name == "inner") for name in names]
    assert model.warnings == []


def test_unknown_categories_are_told(model_of: Any, tmp_path: Path) -> None:
    model = model_of(op(), op(cat="my_own"), {"ph": "b", "cat": "cpu_op", "name": "b", "ts": 1})
    assert warning_counts(model) == {"unknown kind of event": 1}
    assert model.metadata["other_categories"] == {"my_own": 1}
    assert read_trace(tmp_path / "a.json", strict=True).tables["host"].num_rows == 2


@pytest.mark.parametrize("phase", ["i", "X"])
@pytest.mark.parametrize("category", [None, "cpu_instant_event"])
def test_memory_records_go_by_their_name(model_of: Any, phase: str, category: Any) -> None:
    args = {"Bytes": -512, "Addr": 2**63 + 5, "Device Type": 1, "Device Id": 0}
    event = {"ph": phase, "name": "[memory]", "pid": 1, "tid": 1, "ts": 7, "dur": 9e9, "args": args}
    model = model_of(op(ts=5), {**event, "cat": category} if category else event)
    (row,) = table_rows(model, "memory")
    assert (row["time_ns"], row["bytes"], row["device_type"], row["device"]) == (2000, -512, 1, 0)
    assert row["address"] == 5 - 2**63
    assert (row["total_allocated"], row["total_reserved"]) == (-1, -1)
    assert model.metadata["end_ns"] == 5000


@pytest.mark.parametrize(
    ("category", "expected"),
    [
        ("fwdbwd", "fwdbwd"),
        ("forward_backward", "fwdbwd"),
        ("ac2g", "launch"),
        ("async", "launch"),
        ("async_gpu", "launch"),
        ("async_cpu_to_gpu", "launch"),
        ("cpu_to_cuda", "launch"),
    ],
)
def test_arrows_of_all_versions(model_of: Any, category: str, expected: str) -> None:
    ends = [
        {"ph": "s", "id": 2**62, "pid": 1, "tid": 1, "ts": 10.5, "cat": category, "name": "a"},
        {"ph": "f", "id": 2**62, "pid": 0, "tid": "stream 7", "ts": 11, "cat": category, "bp": "e"},
    ]
    model = model_of(op(), *ends)
    assert [
        (r["category"], r["phase"], r["tid"], r["time_ns"]) for r in table_rows(model, "flows")
    ] == [
        (expected, "s", 1, 500),
        (expected, "f", 7, 1000),
    ]
    assert {r["id"] for r in table_rows(model, "flows")} == {2**62}
