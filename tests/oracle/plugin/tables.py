"""The plugin's tables of operators and kernels beside nbprof's, row by row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.analysis.kernels.kernels import kernels
from nbprof.analysis.operators.operators import operators
from tests.oracle.figures import Figure, Row, get

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.traces import Oracle

OPERATOR_COLUMNS = {
    "calls": "calls",
    "device_self_duration": "device_self_us",
    "device_total_duration": "device_total_us",
    "host_self_duration": "host_self_us",
    "host_total_duration": "host_total_us",
    "tc_eligible": "tensor_core_eligible",
    "tc_self_ratio": "tensor_core_self_pct",
    "tc_total_ratio": "tensor_core_total_pct",
}
KERNEL_COLUMNS = {
    "Tensor Cores Used": "tensor_core_used",
    "Kernel Uses Tensor Cores": "tensor_core_used",
    "Calls": "calls",
    "Total Duration (us)": "total_us",
    "Mean Duration (us)": "mean_us",
    "Max Duration (us)": "max_us",
    "Min Duration (us)": "min_us",
    "Mean Blocks Per SM": "mean_blocks_per_sm",
    "Mean Est. Achieved Occupancy (%)": "mean_occupancy_pct",
}
YES = {"Yes": True, "No": False}
_SHAPE_KEY = ("name", "input_shapes")


def operator_tables(oracle: Oracle) -> Iterator[Figure]:
    """Rows by name and by shape as shown, and unrounded sums by name."""
    by_name = _rows(operators(oracle.model), "name")
    by_shape = _rows(operators(oracle.model, group_by="name+shape"), *_SHAPE_KEY)
    theirs = oracle.figures
    for row in theirs["operator_table"]["rows"]:
        yield from _operator(oracle, "operators", row["name"], by_name.get((row["name"],)), row)
    for row in theirs["operator_shape_table"]["rows"]:
        key = (row["name"], _spaced(row["input_shape"]))
        label = f"{key[0]} {key[1]}"
        yield from _operator(oracle, "operators by shape", label, by_shape.get(key), row)
    unrounded = {
        "calls": "calls",
        "host": "host_total_us",
        "host_self": "host_self_us",
        "device": "device_total_us",
        "device_self": "device_self_us",
    }
    for row in theirs["operator_raw_by_device_total"]:
        ours = by_name.get((row["name"],))
        slack = 2 * row["calls"] * oracle.step_us
        for name, column in unrounded.items():
            value = get(ours, column)
            if value is None and ours is not None and row[name] == 0:
                continue  # no device in the trace: null here, 0 there
            yield Figure("operators unrounded", row["name"], column, value, row[name], slack=slack)
        for share, whole in (("tc_self_us", "device_self_us"), ("tc_total_us", "device_total_us")):
            column = whole.replace("device", "tensor_core").replace("_us", "_pct")
            time = (get(ours, column) or 0.0) * (get(ours, whole) or 0.0) / 100.0
            got = None if ours is None else time
            yield Figure("operators unrounded", row["name"], share, got, row[share], slack=slack)


def operator_totals(oracle: Oracle) -> Iterator[Figure]:
    """Sums over all operators, and the largest groups of each pie."""
    table = operators(oracle.model)
    theirs = oracle.figures["operator_totals"]
    by_shape = operators(oracle.model, group_by="name+shape").num_rows
    calls = int(np.sum(table["calls"].to_numpy()))
    slack = 2 * calls * oracle.step_us
    yield Figure("operators", "all", "rows", table.num_rows, theirs["groups_by_name"])
    yield Figure("operators by shape", "all", "rows", by_shape, theirs["groups_by_name_shape"])
    yield Figure("operators", "all", "calls", calls, theirs["calls"])
    for name, column in (("host_self_sum", "host_self_us"), ("device_self_sum", "device_self_us")):
        total = float(np.nansum(table[column].to_numpy()))
        yield Figure("operators", "all", column, total, theirs[name], slack=slack)
    ours = _rows(table, "name")
    for pie, slices in oracle.figures["operator_pie_top10"].items():
        if slices is None:
            continue  # no device in the trace
        column = pie.replace("_time", "_us")
        for name, value in slices:
            row = ours.get((name,))
            slack = 2 * (row["calls"] if row else 1) * oracle.step_us
            got = get(row, column)
            yield Figure("operators pie", name, column, got, value, digits=0, slack=slack)


def call_stacks(oracle: Oracle) -> Iterator[Figure]:
    """How many operators have stacks, and the rows of some."""
    table = operators(oracle.model, group_by="name+stack").to_pylist()
    theirs = oracle.figures["call_stacks"]
    named = {row["name"] for row in table if row["call_stack"]}
    yield Figure("operators by stack", "all", "rows", len(named), theirs["ops_with_stacks"])
    ours = {(row["name"], row["call_stack"]): row for row in table}
    for rows in (theirs.get("example") or {}).values():
        for row in rows:
            key = (row["name"], row["call_stack"])
            label = f"{key[0]} {key[1]}"
            yield from _operator(oracle, "operators by stack", label, ours.get(key), row)


def kernels_by_name(oracle: Oracle) -> Iterator[Figure]:
    """All rows of the kernel table."""
    if "kernel_table" not in oracle.figures:
        return
    ours = {(_recorded(row),): row for row in kernels(oracle.model).to_pylist()}
    names = set()
    for row in _records(oracle.figures["kernel_table"]):
        names.add(row["Name"])
        yield from _kernel(oracle, "kernels", row["Name"], ours.get((row["Name"],)), row)
    for (name,), row in ours.items():
        if name not in names:
            yield Figure("kernels", name, "calls", row["calls"], None)


def kernels_by_properties(oracle: Oracle) -> Iterator[Figure]:
    """All rows of the kernel table by operator and launch configuration."""
    if "kernel_op_table" not in oracle.figures:
        return
    model = oracle.model
    ours: dict[tuple[Any, ...], Row] = {}
    for row in kernels(model, group_by="properties").to_pylist():
        owner = row["operator"] or row["launched_by"] or "CallTreeRoot"
        key = (_recorded(row), owner, row["grid"], row["block"])
        ours[(*key, row["registers"] or 0, row["shared_memory_bytes"] or 0)] = row
    found = set()
    for row in _records(oracle.figures["kernel_op_table"]):
        key = (row["Name"], row["Operator"], _spaced(row["Grid"]), _spaced(row["Block"]))
        key += (int(row["Register Per Thread"]), int(row["Shared Memory"]))
        found.add(key)
        label = " ".join(map(str, key))
        yield from _kernel(oracle, "kernels by properties", label, ours.get(key), row)
    for key, row in ours.items():
        if key not in found:
            label = " ".join(map(str, key))
            yield Figure("kernels by properties", label, "calls", row["calls"], None)


def _operator(
    oracle: Oracle, table: str, key: str, ours: Row | None, theirs: Row
) -> Iterator[Figure]:
    slack = 2 * theirs["calls"] * oracle.step_us
    for name, column in OPERATOR_COLUMNS.items():
        if name not in theirs:
            continue  # no device in the trace
        value = theirs[name]
        got = get(ours, column)
        if ours is not None and got is None and value in (0, "No", "Yes"):
            continue  # null here, 0 there: nothing to divide, or no device in the trace
        if name == "tc_eligible":
            yield Figure(table, key, column, got, YES[value])
        elif name.endswith("ratio"):
            yield Figure(table, key, column, got, value, digits=2, slack=slack and 0.01)
        elif name == "calls":
            yield Figure(table, key, column, got, value)
        else:
            yield Figure(table, key, column, got, value, digits=0, slack=slack)


def _kernel(
    oracle: Oracle, table: str, key: str, ours: Row | None, theirs: Row
) -> Iterator[Figure]:
    rounded = {"Mean Duration (us)": 0, "Mean Blocks Per SM": 2}
    rounded["Mean Est. Achieved Occupancy (%)"] = 2
    if table == "kernels":
        rounded.update(dict.fromkeys(("Total Duration (us)", "Max Duration (us)"), 0))
        rounded["Min Duration (us)"] = 0
    slack = 2 * theirs["Calls"] * oracle.step_us
    for name, column in KERNEL_COLUMNS.items():
        if name not in theirs:
            continue
        value = YES.get(theirs[name], theirs[name])
        got = get(ours, column)
        if ours is not None and got is None and value == 0:
            continue  # nothing to weigh by: null here, 0 there
        digits = rounded.get(name)
        allowed = slack if name.endswith("(us)") else (0.01 if slack else 0.0)
        if name == "Calls":
            allowed = 0.0
        yield Figure(table, key, column, got, value, digits=digits, slack=allowed)


def _rows(table: Any, *keys: str) -> dict[tuple[Any, ...], Row]:
    return {
        tuple("[]" if row[k] is None else row[k] for k in keys): row for row in table.to_pylist()
    }


def _recorded(kernel: Row) -> str:
    """Return a kernel's name as in the file: the plugin reads no mangled ones."""
    name: str = kernel["recorded_name"] or kernel["name"]
    return name


def _records(table: dict[str, Any]) -> list[Row]:
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def _spaced(shapes: str) -> str | None:
    """Return the text of a Python list as the JSON text that our tables hold."""
    return None if shapes == "None" else json.dumps(json.loads(shapes))
