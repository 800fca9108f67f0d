"""The figures of the TensorBoard plugin beside ours, table by table.

A figure that the plugin prints as 0 where nothing can be divided is null in our tables, and both
are taken as equal here: the contract says so.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof import analysis
from nbprof.analysis.grouping import share as share_of
from nbprof.analysis.rules_kernels import of_eligible_operators
from nbprof.model.filter import NO_FILTER
from tests.oracle.figures import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.traces import Oracle

Row = dict[str, Any]

CATEGORIES = {
    "Kernel": "kernel_us",
    "Memcpy": "memcpy_us",
    "Memset": "memset_us",
    "Communication": "communication_us",
    "Runtime": "runtime_us",
    "DataLoader": "dataloader_us",
    "CpuOp": "cpu_exec_us",
    "Other": "other_us",
    "Total": "total_us",
}
TITLES = {
    "Kernel": "Kernel",
    "Memcpy": "Memcpy",
    "Memset": "Memset",
    "Communication": "Communication",
    "Runtime": "Runtime",
    "DataLoader": "DataLoader",
    "CpuOp": "CPU Exec",
    "Other": "Other",
    "Total": "Average Step Time",
}
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


def plugin_figures(oracle: Oracle) -> Iterator[Figure]:
    """Yield every figure of the tables that exist on both sides."""
    yield from steps(oracle)
    yield from overview(oracle)
    yield from device_summary(oracle)
    yield from operator_tables(oracle)
    yield from operator_totals(oracle)
    yield from call_stacks(oracle)
    yield from kernels_by_name(oracle)
    yield from kernels_by_properties(oracle)
    yield from tensor_cores(oracle)
    yield from recommendations(oracle)


def steps(oracle: Oracle) -> Iterator[Figure]:
    """Ranges and costs of every step that the plugin keeps."""
    theirs = oracle.figures["overview"]
    ours = {row["step"]: row for row in analysis.steps(oracle.model).to_pylist() if row["complete"]}
    slack = _step_slack(oracle)
    # Clocks start elsewhere: times are compared from the start of the first step.
    shift = analysis.steps(oracle.model)["start_us"][0].as_py() - theirs["steps"]["ranges"][0][0]
    seen = set()
    for cost, (start, end) in zip(theirs["step_costs_us"], theirs["steps"]["ranges"], strict=True):
        number = int(cost["step"])
        row = ours.get(number) if number not in seen else None
        seen.add(number)
        range_of = {"start_us": start + shift, "end_us": end + shift}
        costs = {column: cost[name] for name, column in CATEGORIES.items()}
        for column, value in {**range_of, **costs}.items():
            yield Figure(
                "steps", str(number), column, _get(row, column), value, slack=slack[column]
            )
    for number in sorted(set(ours) - seen):
        yield Figure("steps", str(number), "total_us", ours[number]["total_us"], None)


def overview(oracle: Oracle) -> Iterator[Figure]:
    """Average costs and their shares, exact and as shown."""
    theirs = oracle.figures["overview"]
    ours = {row["category"]: row for row in analysis.overview(oracle.model).to_pylist()}
    slack = _step_slack(oracle)
    total = ours["Average Step Time"]["avg_us"]
    for name, title in TITLES.items():
        row, allowed = ours[title], slack[CATEGORIES[name]]
        share = 200.0 * allowed / total
        average, percent = theirs["avg_costs_us"][name], theirs["avg_percent"][name]
        yield Figure("overview", title, "avg_us", row["avg_us"], average, slack=allowed)
        yield Figure("overview", title, "pct", row["pct"], percent, digits=2, slack=share)
    (shown,) = theirs["performance"]
    for entry in (shown, *shown["children"]):
        row = ours[entry["name"]]
        allowed = slack[next(CATEGORIES[n] for n, t in TITLES.items() if t == entry["name"])]
        yield Figure(
            "overview",
            entry["name"],
            "avg_us shown",
            row["avg_us"],
            entry["value"],
            digits=0,
            slack=allowed,
        )
        yield Figure(
            "overview",
            entry["name"],
            "pct shown",
            row["pct"],
            entry["extra"],
            digits=2,
            slack=200.0 * allowed / total,
        )


def device_summary(oracle: Oracle) -> Iterator[Figure]:
    """Exact metrics of each device, and the lines that the plugin shows."""
    ours = {str(row["device"]): row for row in analysis.device_summary(oracle.model).to_pylist()}
    window = analysis.steps(oracle.model)
    span = window["end_us"][-1].as_py() - window["start_us"][0].as_py()
    slack = 100.0 * 2 * oracle.model.tables["device"].num_rows * oracle.step_us / span
    metrics = {
        "gpu_utilization": ("utilization_pct", 100.0),
        "est_sm_efficiency": ("sm_efficiency_pct", 100.0),
        "est_achieved_occupancy_pct": ("occupancy_pct", 1.0),
        "tensor_core_kernel_time_ratio": ("tensor_core_pct", 100.0),
    }
    for device, theirs in oracle.figures["gpu_metrics"].items():
        for name, (column, scale) in metrics.items():
            value = theirs[name]
            value = None if value is None else value * scale
            got = ours.get(device, {}).get(column)
            yield Figure("device_summary", device, column, got, value, slack=slack)
    device = ""
    lines = {
        "Name": ("name", str),
        "Memory": ("memory_gb", lambda v: f"{round(v, 2)} GB"),
        "Compute Capability": ("compute_capability", str),
        "GPU Utilization": ("utilization_pct", _percent),
        "Est. SM Efficiency": ("sm_efficiency_pct", _percent),
        "Est. Achieved Occupancy": ("occupancy_pct", _percent),
        "Kernel Time using Tensor Cores": ("tensor_core_pct", _percent),
    }
    for line in oracle.figures["gpu_summary"] or ():
        if line["title"].startswith("GPU ") and line["title"].endswith(":"):
            device = line["title"][4:-1]
        elif line["title"] in lines:
            column, show = lines[line["title"]]
            value = ours.get(device, {}).get(column)
            shown = None if value is None else show(value)
            theirs_shown = line["value"]
            if slack and shown is not None and show is _percent:
                # Digits agree or not by luck where times are inexact: compare as numbers.
                shown, theirs_shown = value, float(theirs_shown.rstrip(" %"))
            column = f"{column} shown"
            yield Figure(
                "device_summary",
                device,
                column,
                shown,
                theirs_shown,
                digits=2 if slack else None,
                slack=slack,
            )


def operator_tables(oracle: Oracle) -> Iterator[Figure]:
    """Rows by name and by shape as shown, and unrounded sums by name."""
    by_name = _rows(analysis.operators(oracle.model), "name")
    by_shape = _rows(analysis.operators(oracle.model, group_by="name+shape"), *_SHAPE_KEY)
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
            value = _get(ours, column)
            if value is None and ours is not None and row[name] == 0:
                continue  # no device in the trace: null here, 0 there
            yield Figure("operators unrounded", row["name"], column, value, row[name], slack=slack)
        for share, whole in (("tc_self_us", "device_self_us"), ("tc_total_us", "device_total_us")):
            column = whole.replace("device", "tensor_core").replace("_us", "_pct")
            time = (_get(ours, column) or 0.0) * (_get(ours, whole) or 0.0) / 100.0
            got = None if ours is None else time
            yield Figure("operators unrounded", row["name"], share, got, row[share], slack=slack)


def operator_totals(oracle: Oracle) -> Iterator[Figure]:
    """Sums over all operators, and the largest groups of each pie."""
    table = analysis.operators(oracle.model)
    theirs = oracle.figures["operator_totals"]
    by_shape = analysis.operators(oracle.model, group_by="name+shape").num_rows
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
            got = _get(row, column)
            yield Figure("operators pie", name, column, got, value, digits=0, slack=slack)


def call_stacks(oracle: Oracle) -> Iterator[Figure]:
    """How many operators have stacks, and the rows of some."""
    table = analysis.operators(oracle.model, group_by="name+stack").to_pylist()
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
    ours = _rows(analysis.kernels(oracle.model), "name")
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
    for row in analysis.kernels(model, group_by="properties").to_pylist():
        owner = row["operator"] or row["launched_by"] or "CallTreeRoot"
        key = (row["name"], owner, row["grid"], row["block"])
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


def tensor_cores(oracle: Oracle) -> Iterator[Figure]:
    """Shares of kernel time, of kernels and of operators that could use tensor cores."""
    theirs = oracle.figures["tensor_cores"]
    rows = analysis.kernels(oracle.model).to_pylist()
    total = sum(row["total_us"] for row in rows)
    used = sum(row["total_us"] for row in rows if row["tensor_core_used"])
    share = used / total if total else None
    slack = 1e-5 if oracle.step_us else 0.0
    yield Figure(
        "tensor cores", "kernels", "share", share, theirs["tc_used_ratio_all_kernels"], slack=slack
    )
    for name, value in oracle.figures.get("tc_pie") or ():
        part = share if name == "Using Tensor Cores" or share is None else 1.0 - share
        yield Figure("tensor cores", name, "share", part, value, slack=slack)
    eligible = _eligible_share(oracle) or 0.0
    value = theirs["tc_eligible_ops_kernel_ratio"]
    yield Figure("tensor cores", "operators", "share", eligible, value, slack=slack)


def recommendations(oracle: Oracle) -> Iterator[Figure]:
    """Which rules speak, and with which number."""
    ours = {r["rule"]: r["message"] for r in analysis.recommendations(oracle.model).to_pylist()}
    theirs = {}
    for text in oracle.figures["overview"]["recommendations"]:
        plain = re.sub(r"<[^>]*>", "", text)
        rule = next(rule for rule, words in RULES.items() if words in plain)
        theirs[rule] = plain
    for rule in RULES:
        said, wanted = ours.get(rule), theirs.get(rule)
        yield Figure("recommendations", rule, "given", said is not None, wanted is not None)
        number = re.search(r"([\d.]+)%", wanted or "")
        if number and said:
            got = re.search(r"([\d.]+)%", said)
            yield Figure("recommendations", rule, "number", got and got.group(1), number.group(1))


def _eligible_share(oracle: Oracle) -> float | None:
    owned, lowest = of_eligible_operators(oracle.model, NO_FILTER)
    duration = oracle.model.column("device", "duration_ns")
    percent = share_of(int(duration[lowest].sum()), int(duration[owned].sum()))
    return None if percent is None else percent / 100.0


RULES = {
    "data_loading": "input data loading",
    "data_parallel": "DataParallel",
    "ddp_backend": "NCCL",
    "communication": "communication",
    "low_utilization": "low utilization",
    "mixed_precision": "Automatic Mixed Precision",
    "memory_limit": "memory",
}
_SHAPE_KEY = ("name", "input_shapes")


def _operator(
    oracle: Oracle, table: str, key: str, ours: Row | None, theirs: Row
) -> Iterator[Figure]:
    slack = 2 * theirs["calls"] * oracle.step_us
    for name, column in OPERATOR_COLUMNS.items():
        if name not in theirs:
            continue  # no device in the trace
        value = theirs[name]
        got = _get(ours, column)
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
        got = _get(ours, column)
        if ours is not None and got is None and value == 0:
            continue  # nothing to weigh by: null here, 0 there
        digits = rounded.get(name)
        allowed = slack if name.endswith("(us)") else (0.01 if slack else 0.0)
        if name == "Calls":
            allowed = 0.0
        yield Figure(table, key, column, got, value, digits=digits, slack=allowed)


def _step_slack(oracle: Oracle) -> dict[str, float]:
    """Return how exact each column of the steps can be: 2 · events of a step · float step."""
    if not oracle.step_us:
        return dict.fromkeys((*CATEGORIES.values(), "start_us", "end_us"), 0.0)
    model = oracle.model
    steps = max(1, len(model.steps.number))
    device, host = (model.tables[t].num_rows / steps for t in ("device", "host"))
    small = 2 * oracle.step_us
    of = {"start_us": small, "end_us": small, "total_us": 2 * small}
    of |= dict.fromkeys(("kernel_us", "memcpy_us", "memset_us", "communication_us"), device * small)
    rest = dict.fromkeys(("runtime_us", "dataloader_us", "cpu_exec_us", "other_us"), host * small)
    return {**of, **rest}


def _rows(table: Any, *keys: str) -> dict[tuple[Any, ...], Row]:
    return {
        tuple("[]" if row[k] is None else row[k] for k in keys): row for row in table.to_pylist()
    }


def _records(table: dict[str, Any]) -> list[Row]:
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def _spaced(shapes: str) -> str | None:
    """Return the text of a Python list as the JSON text that our tables hold."""
    return None if shapes == "None" else json.dumps(json.loads(shapes))


def _percent(value: float) -> str:
    return f"{round(value, 2)} %"


def _get(row: Row | None, column: str) -> Any:
    return None if row is None else row[column]
