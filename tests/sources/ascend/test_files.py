"""The result of each file of an Ascend directory, for all versions of its header."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from nbprof.model.trace.kinds import NPU_TYPE
from tests.sources.ascend.directories import STEPS, model_of, output_folder, table
from tests.support.recordings.ascend import column, kernel_row, kernel_table, warning_kinds

if TYPE_CHECKING:
    from pathlib import Path

METRICS = "aicore_time(us),aic_mac_ratio,aiv_time(us)"

#: Headers of kernel_details.csv in the order of their history, each with a row.
KERNELS = {
    "level 0": (
        "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim",
        "k,N/A,N/A,1736405443881410.320\t,2.5,0,8",
    ),
    "2023": (
        (
            "Step Id,Model ID,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),"
            "Duration(us),Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,"
            f"{METRICS}"
        ),
        '2,4294967295,7,16,k,T,AI_CORE,1736405443881410.320,2.5,1.25,8,4,NO,"""2,3;4""",1.5,0.5,N/A',
    ),
    "2025": (
        (
            "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,"
            f"Start Time(us),Duration(us),Wait Time(us),Block Dim,Mix Block Dim,{METRICS}"
        ),
        "2,5,4294967295,7,16,k,T,dynamic,AI_CORE,1736405443881410.320\t,2.5,1.25,8,4,1.5,0.5,N/A",
    ),
    "newest": (
        (
            "Device_id,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),"
            "Wait Time(us),Block Num,Mix Block Num,Step Id,Stream ID"
        ),
        "5,k,T,dynamic,AI_CORE,1736405443881410.320\t,2.5,1.25,8,4,2,16",
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return output_folder(tmp_path)


@pytest.mark.parametrize("version", KERNELS)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_kernels_of_all_versions(folder: Path, version: str, ending: str, mark: bytes) -> None:
    header, row = KERNELS[version]
    text = table(header, row).replace("\n", ending)
    model = model_of(folder, kernel_details=mark + text.encode())
    assert model.metadata["epoch_ns"] == 1736405443881410320
    assert column(model, "device", "duration_ns") == [2500]
    assert column(model, "device", "name") == ["k"]
    (found,) = model.tables["npu_kernels"].to_pylist()
    assert found["block_dim"] == 8
    old = version == "level 0"
    assert found["accelerator_core"] == (None if old else "AI_CORE")
    assert (found["wait_us"], found["mix_block_dim"]) == ((0, -1) if old else (1.25, 4))
    assert found["step"] == (-1 if old else 2)
    assert column(model, "device", "stream") == ([-1] if old else [16]) or old
    if version in {"2025", "newest"}:
        assert column(model, "device", "device") == [5]
        assert found["op_state"] == "dynamic"
    if METRICS in header:
        assert (found["aicore_time(us)"], found["aic_mac_ratio"]) == (1.5, 0.5)
        assert math.isnan(found["aiv_time(us)"])
    if version == "2023":
        assert found["HF32 Eligible"] == "NO"
        assert found["input_shapes"] == '"2,3;4"'
    assert model.warnings == []


def test_metrics_are_numbers_but_for_those_known_as_words(folder: Path) -> None:
    columns = "number,HF32 Eligible,mixed,words,step,cube_utilization(%)"
    header = f"Name,Start Time(us),Duration(us),{columns}"
    rows = ["a,1,1,N/A,x,x,u,7,50", "b,2,1,3.5,1,1,v,8,", "c,x,1,oops,1,1,w,8,"]
    model = model_of(folder, kernel_details=table(header, *rows))
    assert [(one.kind, one.count) for one in model.warnings] == [
        ("rows without a time", 1), ("bad numbers", 1), ("unknown columns of words", 1),
    ]  # fmt: skip
    kernels = model.tables["npu_kernels"]
    np.testing.assert_array_equal(kernels["number"], [math.nan, 3.5])
    assert kernels["HF32 Eligible"].to_pylist() == ["x", "1"]
    np.testing.assert_array_equal(kernels["mixed"], [math.nan, 1])
    assert "words" not in kernels.column_names, "it may name users and files"
    assert kernels["step (recorded)"].to_pylist() == [7, 8]
    assert kernels["step"].to_pylist() == [-1, -1]
    np.testing.assert_array_equal(kernels["cube_utilization(%)"], [50, math.nan])


def test_kernels_that_cannot_be_placed_are_left_out(folder: Path) -> None:
    good = kernel_row("good", "1736405443881410.320", "1.5")
    bad = [
        kernel_row("no start", "N/A", "1"),
        kernel_row("no duration", "1736405443881410.320", "x"),
        kernel_row("negative", "1736405443881410.320", "-1"),
        kernel_row("in 1970", "12", "1"),
    ]
    odd = kernel_row("odd", "1736405443881411", "1").replace(",7,2,", ",seven,2,")
    model = model_of(folder, kernel_details=kernel_table(good, good, good, *bad, odd))
    assert column(model, "device", "name") == ["good"] * 3 + ["odd"]
    assert column(model, "npu_kernels", "task") == [7, 7, 7, -1]
    assert warning_kinds(model) == {"rows without a time": 4, "bad numbers": 1}


OPERATORS = (
    "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),"
    "Device Self Duration(us),Device Total Duration(us),Device Self Duration With AICore(us),"
    "Device Total Duration With AICore(us)"
)


def test_operators(folder: Path) -> None:
    rows = [
        'aten::add,"2,3;\n;\n","a.py(1): f;\nb.py(2): g",1,2.5,3,4,5,6',
        "aten::empty,,,1,1,0,0,0,0",
        "broken,,,1,x,0,0,0,0",
        "missing,,,1,,0,0,0,0",
    ]
    model = model_of(folder, operator_details=table(OPERATORS, *rows))
    assert model.tables["measured_operators"].to_pylist() == [
        {
            "row": -1,
            "name": "aten::add",
            "input_shapes": "[[2, 3], [], []]",
            "call_stack": "a.py(1): f;b.py(2): g",
            "host_self_us": 1,
            "host_total_us": 2.5,
            "device_self_us": 3,
            "device_total_us": 4,
            "ai_core_self_us": 5,
            "ai_core_total_us": 6,
        },
        {
            "row": -1,
            "name": "aten::empty",
            "input_shapes": "[[]]",
            "call_stack": None,
            "host_self_us": 1,
            "host_total_us": 1,
            "device_self_us": 0,
            "device_total_us": 0,
            "ai_core_self_us": 0,
            "ai_core_total_us": 0,
        },
    ]
    assert warning_kinds(model) == {"rows without a time": 2}


def test_operators_without_shapes_have_none(folder: Path) -> None:
    model = model_of(folder, operator_details=table(OPERATORS, "a,,,1,1,0,0,0,0"))
    assert column(model, "measured_operators", "input_shapes") == [None]


BLOCKS_OLD = (
    "Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),"
    "Allocation Total Allocated(MB),Allocation Total Reserved(MB),Release Total Allocated(MB),"
    "Release Total Reserved(MB),Device Type"
)
BLOCKS_NEW = (
    "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),"
    "Active Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),"
    "Allocation Total Active(MB),Release Total Allocated(MB),Release Total Reserved(MB),"
    "Release Total Active(MB),Stream Ptr,Device Type"
)


@pytest.mark.parametrize(
    ("header", "row"),
    [
        (BLOCKS_OLD, "aten::x,0.5,10.001\t,12\t,1.999,1,2,0.5,2,NPU:3"),
        (BLOCKS_NEW, "aten::x,0.5,10.001\t,12\t,11,1.999,1,1,2,1,0.5,2,0,123,NPU:3"),
    ],
)
def test_blocks_are_two_records_each(folder: Path, header: str, row: str) -> None:
    fields = row.count(",")
    held = "cann::y,-1,11,," + "," * (fields - 4) + "NPU:3"
    freed = ",2,,10.5," + "," * (fields - 4) + "CPU"
    unknown = "z,x,1,2," + "," * (fields - 4) + "NPU:3"
    model = model_of(folder, operator_memory=table(header, row, held, freed, unknown))
    assert model.metadata["epoch_ns"] == 10001
    rows = model.tables["memory"].drop_columns("thread").to_pylist()
    mega = 1 << 20
    assert [tuple(one.values()) for one in rows] == [
        (0, 512, 0, NPU_TYPE, 3, mega, 2 * mega),
        (499, -2048, 2, 0, -1, -1, -1),
        (999, 1024, 1, NPU_TYPE, 3, -1, -1),
        (1999, -512, 0, NPU_TYPE, 3, mega // 2, 2 * mega),
    ]
    assert model.tables["memory_names"].to_pylist() == [
        {"record": 0, "operator": "aten::x"},
        {"record": 2, "operator": "cann::y"},
        {"record": 3, "operator": "aten::x"},
    ]
    assert warning_kinds(model) == {"rows without a size or a time": 1}


def test_components_of_both_files(folder: Path) -> None:
    old = "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type"
    records = table(
        old, "PTA+GE,5,1,2,NPU:0", "APP,4\t,,3.5,NPU:0", "PTA,3,0.5,x,NPU:0", "PTA,,1,1,"
    )
    modules = table(
        "Device_id,Component,Timestamp(us),Total Reserved(MB),Device",
        "0,HCCL,6,92.2,NPU:0",
        "0,HCCL,5,404.0,NPU:0",
    )
    model = model_of(folder, memory_record=records, npu_module_mem=modules)
    kib = 1 << 10
    rows = model.tables["memory_components"].to_pylist()
    assert [tuple(one.values())[2:] for one in rows] == [
        ("APP", 1000, -1, 3584 * kib, False),
        ("HCCL", 2000, -1, 404 * 1024 * kib, True),
        ("HCCL", 3000, -1, round(92.2 * 1024 * kib), True),
        ("PTA", 0, 512 * kib, -1, False),
        ("PTA+GE", 2000, 1024 * kib, 2048 * kib, False),
    ]
    assert warning_kinds(model) == {"rows without a time": 1, "bad numbers": 1}


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        (STEPS, "50,1,2,3,4,5,6,7,8", (50, -1, math.nan)),
        (f"{STEPS},Preparing", "50,1,2,3,4,5,6,7,8,9", (50, -1, 9)),
        (f"Device_id,{STEPS},Preparing", "4,13,1,2,3,4,5,6,7,8,9", (13, 4, 9)),
        (STEPS, ",1,2,3,4,5,6,7,8", (-1, -1, math.nan)),
    ],
)
def test_steps_go_by_their_column(
    folder: Path, header: str, row: str, expected: tuple[int, int, float]
) -> None:
    (found,) = model_of(folder, step_trace_time=table(header, row)).tables["npu_steps"].to_pylist()
    shown = (found["step"], found["device"], found["preparing_us"])
    np.testing.assert_equal(shown, expected)
    times = [value for name, value in found.items() if name.endswith("_us")]
    assert times[:-1] == [1, 2, 3, 4, 5, 6, 7]


def operation(elapse: float, **links: float) -> dict[str, Any]:
    bandwidth = {
        name: {
            "Transit Size(MB)": size,
            "Transit Time(ms)": 0.5,
            "Size Distribution": {"2.0": [1, 2]},
        }
        for name, size in links.items()
    }
    idle = {"Transit Size(MB)": 0, "Transit Time(ms)": 0, "Size Distribution": {}}
    return {
        "Communication Time Info": {
            "Start Timestamp(us)": 1736408883732241.5,
            "Elapse Time(ms)": elapse,
            "Wait Time(ms)": "N/A",
            "Idle Time(ms)": "odd",
        },
        "Communication Bandwidth Info": {**bandwidth, "RDMA": idle},
    }


def test_communication(folder: Path) -> None:
    content = {
        "step12": {
            "p2p": {},
            "collective": {
                "hcom_allReduce__586_0_1@17522": operation(0.1, HCCS=28.647232, SDMA=28.647232),
                "Total Op Info": {"Communication Time Info": {"Transit Time(ms)": 2}},
                "odd": 5,
            },
        },
        "step": {"p2p": {"hcom_send__1_0@2": operation(1)}},
        "other": {},
    }
    model = model_of(folder, communication=content)
    assert model.metadata["epoch_ns"] == 1736408883732241500
    rows = model.tables["communication"].to_pylist()
    assert [(r["step"], r["type"], r["name"], r["group"], r["start_ns"]) for r in rows] == [
        (12, "collective", "hcom_allReduce__586_0_1", "17522", 0),
        (12, "collective", "Total Op Info", None, -1),
        (-1, "p2p", "hcom_send__1_0", "2", 0),
    ]
    assert [row["is_total"] for row in rows] == [False, True, False]
    assert [row["elapse_us"] for row in rows if not row["is_total"]] == [100, 1000]
    assert rows[1]["transit_us"] == 2000
    assert math.isnan(rows[0]["wait_us"])
    assert model.tables["communication_links"].to_pylist() == [
        {"row": 0, "link": name, "bytes": 28647232, "transit_us": 500, "packets": '{"2.0": [1, 2]}'}
        for name in ("HCCS", "SDMA")
    ]
    assert warning_kinds(model) == {"bad numbers": 2, "unknown entries": 2}
