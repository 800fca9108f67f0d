"""The NPU reference profiles, file by file, compared with the standard library."""

from __future__ import annotations

import csv
import json
import math
from collections import defaultdict
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from nbprof.model.trace.kinds import NPU_TYPE
from nbprof.sources import TraceFile, discover, read
from nbprof.sources.ascend.csv import kernels as csv_kernels
from nbprof.sources.ascend.csv import operators as csv_operators
from nbprof.sources.ascend.csv.table import read_csv
from nbprof.sources.defects import DefectLog
from tests.support.recordings.ascend import warning_kinds
from tests.support.traces import to_ns

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: Workers by data set.
WORKERS = [
    ("level1", 0),
    ("level1", 1),
    *(("st", rank) for rank in range(4)),
    ("unit", 0),
    ("unit", 1),
]

#: Those that have all but step_trace_time.csv and communication.json, and operator_details.csv.
FULL = [worker for worker in WORKERS if worker not in {("st", 1), ("st", 3)}]
WITH_OPERATORS = [worker for worker in WORKERS if worker[0] != "st"]

#: What is odd in these files, which people have put together.
ODD = {
    ("unit", 0): {"rows of the wrong length": 1, "bad numbers": 1, "times of another clock": 78},
    ("unit", 1): {"times of another clock": 70},
}

Row = dict[str, Any]


@cache
def files_in(folder: Path) -> dict[tuple[str, int], TraceFile]:
    return {(file.run.rpartition("_")[2], file.rank): file for file in discover(folder).files}


@cache
def model_of(file: TraceFile) -> TraceModel:
    return read(file, progress=False)


@pytest.fixture(params=WORKERS, ids=lambda worker: f"{worker[0]}-{worker[1]}")
def worker(request: pytest.FixtureRequest) -> tuple[str, int]:
    found: tuple[str, int] = request.param
    return found


@pytest.fixture
def file(worker: tuple[str, int], shared_data: Path) -> TraceFile:
    return files_in(shared_data / "ascend")[worker]


def part(file: TraceFile, name: str) -> Path:
    (found,) = (path for path in file.parts if path.name == name)
    assert isinstance(found, Path)
    return found


def rows(file: TraceFile, name: str) -> list[Row]:
    with part(file, name).open(newline="", encoding="utf-8-sig") as text:
        return [
            {key: None if cell is None else cell.strip() for key, cell in row.items()}
            for row in csv.DictReader(text)
        ]


def number(cell: str | None) -> float:
    try:
        return float(cell or "nan")
    except ValueError:
        return math.nan


def whole(cell: str | None) -> int:
    found = number(cell)
    return int(found) if found.is_integer() else -1


def text(cell: str | None) -> str | None:
    return None if cell in {"", "N/A"} else cell


def bytes_of(cell: str | None, unit: int = 1 << 20) -> int:
    return round(Decimal(cell) * unit) if cell else -1


def test_all_are_found_and_nothing_is_said_of_the_rest(shared_data: Path) -> None:
    assert sorted(files_in(shared_data / "ascend")) == sorted(WORKERS)
    assert discover(shared_data / "ascend").skipped == []


def test_every_file_is_read(file: TraceFile, worker: tuple[str, int]) -> None:
    model = model_of(file)
    read_ones = set(model.metadata["files"])
    beside = {path.name for path in file.parts} - read_ones
    assert beside <= {f"profiler_info_{file.rank}.json", "profiler_metadata.json"}
    assert warning_kinds(model) == ODD.get(worker, {})
    assert model.metadata["rank"] == worker[1]
    assert "ENV" not in repr(model.metadata)


@pytest.mark.parametrize("worker", FULL, indirect=True)
def test_kernels(file: TraceFile) -> None:
    expected = rows(file, "kernel_details.csv")
    path = part(file, "kernel_details.csv")
    table = csv_kernels.kernels(read_csv(path, DefectLog(str(path)), lambda _: None), DefectLog(""))
    assert table.num_rows == len(expected)
    assert table["start_ns"].to_pylist() == [to_ns(row["Start Time(us)"]) for row in expected]
    assert table["duration_ns"].to_pylist() == [to_ns(row["Duration(us)"]) for row in expected]
    np.testing.assert_array_equal(table["wait_us"], [number(r["Wait Time(us)"]) for r in expected])
    known = {name for names in csv_kernels.HEADERS.values() for name in names}
    for column, names in csv_kernels.HEADERS.items():
        name = next((name for name in names if name in expected[0]), "")
        cells = [row.get(name) for row in expected]
        kind = str(table.schema.field(column).type)
        if kind.startswith("dictionary"):
            assert table[column].to_pylist() == list(map(text, cells)), column
        elif column not in {"start_ns", "duration_ns", "wait_us"}:
            assert table[column].to_pylist() == list(map(whole, cells)), column
    metrics = [name for name in expected[0] if name and name not in known]
    assert table.column_names[len(csv_kernels.COLUMNS) :] == metrics
    for name in metrics:
        cells = [text(row[name]) for row in expected]
        if any(cell is not None and math.isnan(number(cell)) for cell in cells):
            assert table[name].to_pylist() == cells
        else:
            np.testing.assert_array_equal(table[name], list(map(number, cells)))


@pytest.mark.parametrize("worker", WITH_OPERATORS, indirect=True)
def test_operators(file: TraceFile) -> None:
    expected = rows(file, "operator_details.csv")
    path = part(file, "operator_details.csv")
    table = csv_operators.operators(
        read_csv(path, DefectLog(str(path)), lambda _: None), DefectLog("")
    )
    assert table["name"].to_pylist() == [row["Name"] for row in expected]
    for column, name in csv_operators.TIMES.items():
        assert table[column].to_pylist() == [float(row[name]) for row in expected]
    frames = [[f.strip() for f in row["Call Stack"].split(";") if f.strip()] for row in expected]
    assert [(s or "").split(";") if s else [] for s in table["call_stack"].to_pylist()] == frames
    with path.open(newline="", encoding="utf-8-sig") as raw:
        cells = [row["Input Shapes"] for row in csv.DictReader(raw)]
    # As the plugin has it: split at ends of lines, each in brackets.
    shapes = [
        [list(map(int, filter(None, p.strip(";").split(",")))) for p in c.split("\n")]
        for c in cells
    ]
    assert [json.loads(shape) for shape in table["input_shapes"].to_pylist()] == shapes


@pytest.mark.parametrize("worker", FULL, indirect=True)
def test_blocks(file: TraceFile) -> None:
    records = []
    for at, row in enumerate(rows(file, "operator_memory.csv")):
        size = abs(bytes_of(row["Size(KB)"], 1 << 10))
        for side, sign in (("Allocation", 1), ("Release", -1)):
            if time := row[f"{side} Time(us)"]:
                held, reserved = (row[f"{side} Total {w}(MB)"] for w in ("Allocated", "Reserved"))
                record = (to_ns(time), at, sign * size, bytes_of(held), bytes_of(reserved))
                records.append((*record, row["Name"], int(row["Device Type"].partition(":")[2])))
    model = model_of(file)
    memory = model.tables["memory"]
    names = dict(zip(*(c.to_pylist() for c in model.tables["memory_names"].columns), strict=True))
    found = [
        (
            one["time_ns"] + model.metadata["epoch_ns"],
            *(one[n] for n in ("address", "bytes", "total_allocated", "total_reserved")),
            names.get(at),
            one["device"],
        )
        for at, one in enumerate(memory.to_pylist())
    ]
    assert sorted(found) == sorted(records)
    assert memory["time_ns"].to_pylist() == sorted(memory["time_ns"].to_pylist())
    assert set(memory["device_type"].to_pylist()) == {NPU_TYPE}


@pytest.mark.parametrize("worker", FULL, indirect=True)
def test_components(file: TraceFile) -> None:
    expected = defaultdict(list)
    known = {path.name for path in file.parts}
    for name, device in (("memory_record.csv", "Device Type"), ("npu_module_mem.csv", "Device")):
        for row in rows(file, name) if name in known else []:
            key = (int(row[device].partition(":")[2]), row["Component"], name.startswith("npu"))
            held = bytes_of(row.get("Total Allocated(MB)"))
            record = (to_ns(row["Timestamp(us)"]), held, bytes_of(row["Total Reserved(MB)"]))
            expected[key].append(record)
    model = model_of(file)
    found = defaultdict(list)
    order = []
    for one in model.tables["memory_components"].to_pylist():
        key = (one["device"], one["component"], one["is_module"])
        time = one["time_ns"] + model.metadata["epoch_ns"]
        found[key].append((time, one["allocated"], one["reserved"]))
        order.append((one["device"], one["component"], one["time_ns"]))
    assert order == sorted(order)
    assert {key: sorted(records) for key, records in expected.items()} == {
        key: sorted(records) for key, records in found.items()
    }


def test_steps(file: TraceFile) -> None:
    (expected,) = rows(file, "step_trace_time.csv")
    (found,) = model_of(file).tables["npu_steps"].to_pylist()
    assert found["step"] == int(expected["Step"])
    assert found["computing_us"] == float(expected["Computing"])
    assert found["free_us"] == float(expected["Free"])
    parts = found["communication_not_overlapped_us"] + found["overlapped_us"]
    assert parts == pytest.approx(found["communication_us"])
    stage = parts + found["computing_us"] - found["overlapped_us"] + found["free_us"]
    assert stage == pytest.approx(found["stage_us"] + found["bubble_us"], abs=1)
    np.testing.assert_equal(found["preparing_us"], number(expected.get("Preparing")))


def test_communication(file: TraceFile) -> None:
    content = json.loads(part(file, "communication.json").read_text(), parse_float=Decimal)
    expected, links = [], []
    for step, kinds in content.items():
        for kind, operators in kinds.items():
            for label, told in operators.items():
                times = told["Communication Time Info"]
                start = times.get("Start Timestamp(us)")
                row = (int(step.removeprefix("step")), kind, *f"{label}@".split("@")[:2])
                elapse = float(times["Elapse Time(ms)"] * 1000)
                expected.append((*row, None if start is None else to_ns(start), elapse))
                links += [
                    (len(expected) - 1, name, round(link["Transit Size(MB)"] * 10**6))
                    for name, link in told["Communication Bandwidth Info"].items()
                    if link["Transit Size(MB)"] or link["Transit Time(ms)"]
                ]
    model = model_of(file)
    epoch = model.metadata["epoch_ns"]
    found = [
        (
            *(one["step"], one["type"], one["name"], one["group"] or ""),
            *(None if one["start_ns"] < 0 else one["start_ns"] + epoch, one["elapse_us"]),
        )
        for one in model.tables["communication"].to_pylist()
    ]
    assert found == expected
    told_links = model.tables["communication_links"].select(["row", "link", "bytes"]).to_pylist()
    assert [tuple(one.values()) for one in told_links] == links


def test_payload_of_level_1_is_counted_in_decimal_megabytes(shared_data: Path) -> None:
    model = model_of(files_in(shared_data / "ascend")["level1", 0])
    totals = model.tables["communication"]["is_total"].to_pylist()
    sent = [
        one["bytes"]
        for one in model.tables["communication_links"].to_pylist()
        if totals[one["row"]] and one["link"] == "HCCS"
    ]
    # The plugin says 896,734,008: both links, which are the same bytes, and units of 1024² bytes.
    assert sent == [427_596_096]
