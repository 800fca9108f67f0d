"""Operators and kernels of NPUs compared with the Ascend plugin: every figure of three data sets.

The plugin rounds its sums to two decimals after every addition; ours are not rounded, so that a
sum of n calls may differ by n half units of the second decimal. Nothing else differs.
"""

from __future__ import annotations

import csv
import json
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from nbprof.analysis.kernels.accelerator_cores import accelerator_cores
from nbprof.analysis.kernels.kernels import kernels
from nbprof.analysis.operators.operators import operators
from tests.oracle.ascend.profiles import WORKERS, figures_of, model_of, output_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Row = dict[str, Any]

TIMES = {
    "device_self_duration": "device_self_us",
    "device_total_duration": "device_total_us",
    "host_self_duration": "host_self_us",
    "host_total_duration": "host_total_us",
}
SHARES = {
    "tc_self_ratio": ("ai_core_self_pct", "device_self_us"),
    "tc_total_ratio": ("ai_core_total_pct", "device_total_us"),
}
PIES = {
    "device_self_time": "device_self_us",
    "device_total_time": "device_total_us",
    "host_self_time": "host_self_us",
    "host_total_time": "host_total_us",
}
#: One in the last digit that floats of such sizes have.
NOISE = 1e-6


@pytest.fixture(params=WORKERS, ids="-".join)
def worker(request: pytest.FixtureRequest) -> tuple[str, str]:
    found: tuple[str, str] = request.param
    return found


def near(ours: float, theirs: float, calls: int) -> bool:
    """Whether a sum of some calls is the one that was rounded at every addition."""
    return abs(ours - theirs) <= 0.005 * calls + NOISE


def key_of(row: Row) -> tuple[Any, ...]:
    """Return name and shapes; of two arguments that are no tensors the plugin shows one."""
    text = row.get("input_shapes") or row.get("input_shape")
    found = None if text is None else json.loads(text)
    return row["name"], json.dumps([[]] if found == [[], []] else found)


def check_operator(ours: Row, theirs: Row) -> int:
    """Compare a row; return how many figures that are."""
    calls = theirs["calls"]
    assert ours["calls"] == calls
    for name, column in TIMES.items():
        assert near(ours[column], theirs[name], calls), (theirs["name"], column)
    for name, (column, whole) in SHARES.items():
        if ours[whole]:
            # Both of the sums that this is a quotient of were rounded.
            slack = 0.005 + 100 * 2 * 0.005 * calls / ours[whole] + NOISE
            assert abs(ours[column] - theirs[name]) <= slack, (theirs["name"], column)
        else:
            assert ours[column] is None  # a share of nothing
            assert theirs[name] == 0
    assert ours["ai_core_eligible"] == (theirs["tc_eligible"] == "Yes")
    return 2 + len(TIMES) + len(SHARES)


@pytest.mark.parametrize(
    ("group_by", "stem"), [("name", "by_name"), ("name+shape", "by_name_input")]
)
def test_operators(
    worker: tuple[str, str], group_by: str, stem: str, shared_oracle: Path, shared_data: Path
) -> None:
    theirs = figures_of(shared_oracle, *worker)
    model = model_of(shared_data, *worker)
    ours = operators(model, group_by=group_by).to_pylist()
    if theirs[f"operation_table_{stem}"] is None:
        assert ours == []
        return
    rows = theirs[f"operation_table_{stem}"]["data"]
    found = {key_of(row): row for row in ours}
    assert len(found) == len(ours) == len(rows)
    figures = sum(check_operator(found[key_of(row)], row) for row in rows)
    assert figures == 8 * len(rows)
    for pie, column in PIES.items():
        slices = theirs[f"operation_pie_{stem}"][pie]["rows"]
        assert len(slices) == len(rows)
        for row, (label, value) in zip(rows, slices, strict=True):
            assert label.startswith(row["name"])
            assert near(found[key_of(row)][column], value, row["calls"])


def test_call_stacks(worker: tuple[str, str], shared_oracle: Path, shared_data: Path) -> None:
    theirs = figures_of(shared_oracle, *worker)["operation_stack_by_name"]
    ours = operators(model_of(shared_data, *worker), group_by="name+stack").to_pylist()
    if theirs is None:
        assert ours == []
        return
    by_name: dict[str, list[Row]] = {}
    for row in ours:
        by_name.setdefault(row["name"], []).append(row)
    assert len(by_name) == theirs["n_ops"]
    for name, told in theirs["sample"].items():
        assert len(by_name[name]) == told["n_stacks"]
        first = told["first"]
        start = first["call_stack"].replace(";\n", ";").rstrip("\n")  # the figures hold its start
        fits = [row for row in by_name[name] if (row["call_stack"] or "").startswith(start)]
        assert any(row["calls"] == first["calls"] and check_stack(row, first) for row in fits)


def check_stack(ours: Row, theirs: Row) -> bool:
    return all(near(ours[c], theirs[name], theirs["calls"]) for name, c in TIMES.items())


def test_kernels_by_name(worker: tuple[str, str], shared_oracle: Path, shared_data: Path) -> None:
    theirs = figures_of(shared_oracle, *worker)
    ours = kernels(model_of(shared_data, *worker)).to_pylist()
    if theirs["kernel_op_table"] is None:
        assert ours == []
        return
    found = {row["name"]: row for row in ours}
    rows = theirs["kernel_op_table"]["data"]["rows"]
    assert len(found) == len(ours) == len(rows)
    for name, calls, total, least, mean, most in rows:
        row = found[name]
        assert row["calls"] == calls
        assert near(row["total_us"], total, calls)
        assert near(row["mean_us"], mean, 2)  # of a rounded sum, and rounded
        # Durations with more than three decimals are whole nanoseconds here.
        assert row["min_us"] == pytest.approx(least, abs=0.0005 + NOISE)
        assert row["max_us"] == pytest.approx(most, abs=0.0005 + NOISE)
    for name, total in theirs["kernel_pie"]["total"]["rows"]:
        assert near(found[name]["total_us"], total, found[name]["calls"])


def test_accelerator_cores(worker: tuple[str, str], shared_oracle: Path, shared_data: Path) -> None:
    theirs = figures_of(shared_oracle, *worker)["tc_pie"]
    ours = accelerator_cores(model_of(shared_data, *worker)).to_pylist()
    if theirs is None:
        assert ours == []
        return
    found = {f"Using {row['accelerator_core'].replace('_', ' ')}": row for row in ours}
    rows = dict(theirs["total"]["rows"])
    assert set(found) == set(rows)
    whole = sum(rows.values())
    for core, total in rows.items():
        calls = found[core]["calls"]
        assert found[core]["total_us"] == pytest.approx(total, abs=0.0005 * calls + NOISE)
        assert found[core]["pct"] == pytest.approx(100 * total / whole, abs=0.01)


#: Columns of the file that ours are called otherwise, without those that are compared by hand.
NAMED = {
    "Name": "name",
    "Type": "type",
    "OP State": "op_state",
    "Accelerator Core": "accelerator_core",
    "Input Shapes": "input_shapes",
    "Input Data Types": "input_types",
    "Input Formats": "input_formats",
    "Output Shapes": "output_shapes",
    "Output Data Types": "output_types",
    "Output Formats": "output_formats",
    "Step Id": "step",
    "Device_id": "device",
    "Model ID": "model",
    "Task ID": "task",
    "Wait Time(us)": "wait_us",
    "Block Dim": "block_dim",
    "Mix Block Dim": "mix_block_dim",
}


def test_every_cell_of_every_kernel(worker: tuple[str, str], shared_data: Path) -> None:
    """The plugin shows the file itself: so this is compared with the file."""
    path = output_of(shared_data, *worker) / "kernel_details.csv"
    model = model_of(shared_data, *worker)
    ours = kernels(model, group_by="launch")
    theirs = list(raw_kernels(path)) if path.exists() else []
    assert ours.num_rows == len(theirs)
    epoch = model.metadata["epoch_ns"]
    rows = [(epoch + round(row["start_us"] * 1000), row) for row in ours.to_pylist()]
    rows.sort(key=lambda pair: (pair[1]["name"], pair[0]))
    theirs.sort(key=lambda raw: (raw["Name"], raw["start"]))
    for (start, row), raw in zip(rows, theirs, strict=True):
        assert row["name"] == raw["Name"]
        # The trace has collectives a nanosecond or two beside the file.
        assert abs(start - raw["start"]) <= (2 if row["accelerator_core"] == "HCCL" else 0)
        check_launch(row, raw)


def raw_kernels(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        header = next(reader)
        for cells in reader:
            # One row of the unit data lacks a cell: what follows is in the wrong columns.
            whole = len(cells) == len(header)
            count = len(header) if whole else header.index("Block Dim")
            texts = (cell.strip() for cell in cells[:count])
            row: Row = dict(zip(header[:count], texts, strict=True))
            row["start"] = round(Decimal(row["Start Time(us)"]) * 1000)
            yield row


def check_launch(ours: Row, raw: Row) -> None:
    assert abs(ours["duration_us"] - float(raw["Duration(us)"])) <= 0.0005 + NOISE
    for name, text in raw.items():
        if name in ("start", "Start Time(us)", "Duration(us)", "Stream ID"):
            continue
        column = NAMED.get(name, name)
        value = ours[column]
        if text in ("", "N/A"):
            assert value is None, (name, value)
        elif isinstance(value, str):
            assert value == text, name
        else:
            assert math.isclose(value, float(text), rel_tol=1e-12), name
