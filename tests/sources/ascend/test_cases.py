"""Differences between versions of CANN and torch_npu, and how files of a directory are combined."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from nbprof.analysis.advice.warnings import warnings
from nbprof.model.trace import kinds
from nbprof.sources.options import ReadOptions
from tests.support.recordings.ascend import (
    BARS,
    CANN,
    HCCL,
    HOST,
    LAYERS,
    NPU,
    Event,
    arrow,
    column,
    kernel_row,
    kernel_table,
    lane,
    operator,
    read_directory,
    said,
    slice_,
    task,
    warning_kinds,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

BASE = 1736408883000000

OPERATORS = (
    "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),"
    "Device Self Duration(us),Device Total Duration(us),"
    "Device Self Duration With AICore(us),Device Total Duration With AICore(us)\n"
)


def at(us: float | str) -> str:
    """Return a time as the profiler writes it, so many microseconds after the beginning."""
    return str(BASE + Decimal(str(us)))


def step(*operators: Event) -> list[Event]:
    return [operator("ProfilerStep#7", at(0), 100.0), *operators]


def rows(model: TraceModel, table: str, *names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(column(model, table, name) for name in names), strict=True))


def test_an_object_of_events_is_read_like_an_array(tmp_path: Path) -> None:
    events = [*step(operator("aten::mm", at("1.001"))), task("mm", at("2.003")), *LAYERS]
    models = [
        read_directory(write(tmp_path / str(number), content))
        for number, content in enumerate((events, {"traceEvents": events, "x": 1}))
    ]
    for model in models:
        assert column(model, "host", "start_ns") == [0, 1001]
        assert column(model, "device", "start_ns") == [2003]
        assert warning_kinds(model) == {}


def test_newer_names_and_labels_are_the_same_layers(tmp_path: Path) -> None:
    events = [
        *step(),
        slice_("hcom_broadcast__1_0", 7, 0, at(5), args={"data_type": "FP16", "count": 9}),
        slice_("Memcpy", 7, 1, at(5), args={"task type": "Memcpy", "size(Byte)": 64}),
        slice_("gc", 9, 1, at(6), cat="GC"),
        slice_("Free", 8, 3, at(1)),
        *said(7, "Communication", "NPU 3", 15),
        *said(8, "Overlap Analysis", "NPU 3", 23),
        *said(9, "Python GC", "CPU", 1),
        *said(HOST, "Python", "CPU"),
        lane(7, 0, "Group 0 Communication"),
    ]
    model = read_directory(write(tmp_path, events))
    assert rows(model, "device", "name", "kind", "device", "stream") == [
        ("Free", "annotation", 3, -4),
        ("Memcpy", "task", 3, -3),
        ("hcom_broadcast__1_0", "kernel", 3, -2),
    ]
    lanes = rows(model, "lanes", "side", "group", "name")
    assert lanes == [
        ("host", "Python", "1"),
        ("host", "Python", "1"),
        ("device", "HCCL", "Group 0 Communication"),
        ("device", "HCCL", "1"),
        ("device", "Overlap Analysis", "3"),
    ]
    collective = model.tables["collectives"].to_pylist()[0]
    assert (collective["collective"], collective["dtype"]) == ("broadcast", "FP16")
    assert (collective["row"], collective["in_elements"]) == (2, 9)
    assert ("gc", "python") in rows(model, "host", "name", "kind")


def test_devices_are_told_by_labels_else_by_process_ids(tmp_path: Path) -> None:
    second = NPU + 5
    events = [
        task("first", at(1)),
        {**task("second", at(2)), "pid": second},
        {**task("third", at(3)), "pid": 12},
        *said(NPU, "Ascend Hardware", "NPU", 13),
        *said(second, "Ascend Hardware", "NPU", 13),
        *said(12, "Ascend Hardware", "NPU 9", 13),
    ]
    model = read_directory(write(tmp_path, events))
    assert rows(model, "device", "name", "device") == [("first", 0), ("second", 5), ("third", 9)]
    assert column(model, "devices", "device") == [0, 5, 9]


def test_tasks_are_kernels_copies_or_waits_by_type_and_name(tmp_path: Path) -> None:
    expected = {
        ("mm", "AI_CORE"): "kernel",
        ("add", "AI_VECTOR_CORE"): "kernel",
        ("sum", "MIX_AIV"): "kernel",
        ("topk", "AI_CPU"): "kernel",
        ("dropout", "DSA_SQE"): "kernel",
        ("aclnnMm_MemSet", "AI_CORE"): "kernel",
        ("MEMCPY_ASYNC", "SDMA_SQE"): "memcpy",
        ("MEMSET_ASYNC", "SDMA_SQE"): "memset",
        ("EVENT_RECORD", "PLACE_HOLDER_SQE"): "sync",
        ("EVENT_WAIT", "EVENT_WAIT_SQE"): "sync",
        ("Notify Wait", "Notify Wait"): "sync",
        ("Write Value", "Write Value"): "task",
        ("PROFILING_ENABLE", "PLACE_HOLDER_SQE"): "task",
        ("something new", "NEW_SQE"): "task",
    }
    events = [task(name, at(n), kind=kind) for n, (name, kind) in enumerate(expected)]
    model = read_directory(write(tmp_path, [*events, *LAYERS]))
    assert column(model, "device", "kind") == list(expected.values())
    cores = [kind for (_, kind), what in expected.items() if what == "kernel"]
    assert column(model, "npu_kernels", "accelerator_core") == cores


@pytest.mark.parametrize("big", [2**62, 2**64 + 1, 40055015090128158719])
def test_ids_of_any_size_connect(tmp_path: Path, big: int) -> None:
    events = [
        *step(),
        slice_("Node@launch", CANN, 1, at(1), args={"level": "node"}),
        slice_("Node@launch", CANN, 1, at(3), args={"level": "node"}),
        task("mm", at(10)),
        task("add", at(20)),
        *arrow("HostToDevice", str(big), (CANN, 1, at(1)), (NPU, 2, at(10))),
        *arrow("HostToDevice", str(big + 2**64), (CANN, 1, at(3)), (NPU, 2, at(20))),
        *LAYERS,
    ]
    model = read_directory(write(tmp_path, events))
    starts = model.column("host", "start_ns")[model.links.launch]
    assert starts.tolist() == [1000, 3000]


def test_times_as_numbers_keep_their_digits(tmp_path: Path) -> None:
    """The newest versions write host times as numbers, and round ends of arrows with them."""
    text = f"""[
      {{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": {HOST}, "tid": 1,
        "ts": {BASE}.5, "dur": 3.125}},
      {{"ph": "X", "name": "mm", "pid": {NPU}, "tid": 2, "ts": "{BASE}.777", "dur": 1,
        "args": {{"Task Type": "AI_CORE"}}}},
      {{"ph": "s", "cat": "async_npu", "id": 1, "pid": {HOST}, "tid": 1, "ts": {BASE}.5}},
      {{"ph": "f", "cat": "async_npu", "id": 1, "pid": {NPU}, "tid": 2, "ts": {BASE}.8}},
      {", ".join(map(str, LAYERS)).replace("'", '"')}]"""
    model = read_directory(write(tmp_path, text))
    assert model.metadata["epoch_ns"] == BASE * 1000 + 500
    assert column(model, "device", "start_ns") == [277]
    assert column(model, "flows", "time_ns") == [0, 277]
    assert model.links.operator.tolist() == [0]
    assert warning_kinds(model) == {}


def test_operators_follow_the_queue_to_their_work(tmp_path: Path) -> None:
    events = [
        *step(operator("aten::mm", at(1), 5.0)),
        slice_("Enqueue", HOST, 1, at(2), cat="enqueue", args={"correlation_id": 4}),
        slice_("Dequeue@mm", HOST, 5, at(8), 4.0, cat="dequeue", args={"correlation_id": 4}),
        slice_("Node@launch", CANN, 5, at(9), args={"connection_id": 77}),
        task("mm", at(20), connection_id=77),
        *arrow("async_task_queue", 4, (HOST, 1, at(2)), (HOST, 5, at(8))),
        *arrow("async_npu", 0, (HOST, 1, at(1)), (NPU, 2, at(20))),
        *LAYERS,
    ]
    model = read_directory(write(tmp_path, events))
    names = column(model, "host", "name")
    assert names[int(model.links.operator[0])] == "aten::mm"
    assert names[int(model.links.launch[0])] == "Node@launch"
    assert model.steps.number.tolist() == [7]


def test_kernels_are_joined_by_start_else_by_order(tmp_path: Path) -> None:
    """Communication starts a nanosecond earlier in one file, and another kernel is cut off."""
    events = [
        task("mm", at("1.500"), 2.0),
        task("mm", at("9.500"), 2.0),
        slice_("hcom_x__1_0", HCCL, 0, at("20.001"), 5.0, args={}),
        slice_("Notify_Wait", HCCL, 1, at("20.001"), 5.0, args={"task type": "Notify_Wait"}),
        task("drifted", at("40.000"), 5.0),
        slice_("Computing", BARS, 0, at("1.500"), 2.0),
        *LAYERS,
    ]
    table = kernel_table(
        kernel_row("mm", at("9.500"), "2.001"),
        kernel_row("mm", at("1.500"), "2.002"),
        kernel_row("hcom_x__1_0", at("20.000"), "5.003", core="HCCL"),
        kernel_row("drifted", at("43.000"), "5.004"),
        kernel_row("cut off", at("50.000"), "5.005"),
    )
    model = read_directory(write(tmp_path, events, kernel_details=table))
    kernels = model.tables["device"].take(column(model, "npu_kernels", "row")).to_pylist()
    assert [(row["name"], row["start_ns"], row["duration_ns"]) for row in kernels] == [
        ("mm", 0, 2002),
        ("mm", 8000, 2001),
        ("hcom_x__1_0", 18501, 5003),
        ("drifted", 38500, 5004),
        ("cut off", 48500, 5005),
    ]
    assert [row["stream"] for row in kernels] == [2, 2, -2, 2, 2]
    assert model.tables["device"].num_rows == 7
    assert warning_kinds(model) == {"kernel not in the trace": 1}


def test_kernels_without_a_trace_have_steps_and_lanes(tmp_path: Path) -> None:
    table = kernel_table(
        kernel_row("mm", at(1), "2.0", step="4"),
        kernel_row("hcom_x__1_0", at(2), "3.0", core="HCCL", step="4"),
        kernel_row("mm", at(9), "2.0", step="5"),
    )
    model = read_directory(write(tmp_path, kernel_details=table))
    assert warnings(model).num_rows == 0
    assert rows(model, "device", "stream", "start_ns") == [(2, 0), (-2, 1000), (2, 8000)]
    assert rows(model, "step_ranges", "step", "start_ns", "end_ns") == [
        (4, 0, 4000),
        (5, 8000, 10000),
    ]
    assert rows(model, "lanes", "place", "stream", "group", "name") == [
        (0, 2, "Ascend Hardware", "Stream 2"),
        (0, -2, "HCCL", "Communication"),
    ]


def test_measured_operators_go_by_name_and_time_where_some_are_lost(tmp_path: Path) -> None:
    calls = [("a", 3.0), ("b", 1.0), ("a", 1.5), ("c", 1.0), ("c", 1.0)]
    lines = [f"{name},,,1.0,{total},0,0,0,0\n" for name, total in calls]
    kept = [operator(name, at(10 * n), total) for n, (name, total) in enumerate(calls) if n != 3]
    model = read_directory(
        write(tmp_path, [*kept, *LAYERS], operator_details=OPERATORS + "".join(lines))
    )
    found = rows(model, "measured_operators", "name", "row")
    # Which of the two calls of c was lost, nothing tells.
    assert found == [("a", 0), ("b", 1), ("a", 2), ("c", -1), ("c", -1)]
    assert warning_kinds(model) == {"operator not in the trace": 2}


def test_python_frames_can_be_left_out(tmp_path: Path) -> None:
    frames = [
        slice_("f.py(1): f", HOST, 1, at(1), cat="python_function", args={"Python id": 1}),
        slice_(
            "nn.Module: Linear_0",
            HOST,
            1,
            at(1),
            cat="python_function",
            args={"Python id": 2, "Python parent id": 1, "Python module id": 0},
        ),
    ]
    output = write(tmp_path, [*step(), *frames, *LAYERS])
    assert column(read_directory(output), "host", "kind") == ["step", "python", "module"]
    options = ReadOptions(without=("python",))
    assert column(read_directory(output, options=options), "host", "kind") == ["step", "module"]


def test_counters_with_ids_are_series_of_their_own(tmp_path: Path) -> None:
    sample = {"ph": "C", "name": "read_bandwidth", "pid": 8, "tid": 0}
    events = [
        {**sample, "ts": at(1), "args": {"value": 5, "acc_id": 0}},
        {**sample, "ts": at(1), "args": {"value": 6, "acc_id": 1}},
        {**sample, "ts": at(2), "name": "HBM 0/Read", "args": {"Read(MB/s)": "7.5", "x": None}},
        {**sample, "ts": at(3), "args": {}},
        *said(8, "Acc PMU", "NPU", 21),
    ]
    model = read_directory(write(tmp_path, [*step(), *events, *LAYERS]))
    found = rows(model, "counters", "name", "series", "time_ns", "value")
    assert found[:3] == [
        ("read_bandwidth", "acc_id 0", 1000, 5.0),
        ("read_bandwidth", "acc_id 1", 1000, 6.0),
        ("HBM 0/Read", "Read(MB/s)", 2000, 7.5),
    ]
    assert found[3][:2] == ("HBM 0/Read", "x")
    assert np.isnan(found[3][3])
    assert model.tables["lanes"].to_pylist()[-1] == {
        "side": "counter",
        "place": 8,
        "stream": -1,
        "group": "Acc PMU",
        "name": "Acc PMU",
    }


def test_kernels_of_the_trace_are_kernels_without_the_csv_file(tmp_path: Path) -> None:
    events = [task("mm", at(1)), slice_("hcom_x__1_0", HCCL, 0, at(2), args={}), *LAYERS]
    model = read_directory(write(tmp_path, events))
    assert model.column("device", "kind").tolist() == [kinds.KERNEL, kinds.KERNEL]
    assert rows(model, "npu_kernels", "row", "accelerator_core") == [(0, "AI_CORE"), (1, "HCCL")]
