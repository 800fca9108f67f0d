"""Figures of the TensorBoard plugin beside those of nbprof, table by table.

A figure that the plugin prints as 0 where nothing can be divided is null in our tables, and both
are taken as equal here: the contract says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nbprof.analysis.advice.recommendations import recommendations as recommendations_table
from nbprof.analysis.advice.rules_kernels import kernels_of_eligible_operators
from nbprof.analysis.devices.device_summary import device_summary as device_summary_table
from nbprof.analysis.grouping import share as share_of
from nbprof.analysis.kernels.kernels import kernels
from nbprof.analysis.steps.overview import overview as overview_table
from nbprof.analysis.steps.steps import steps as steps_table
from nbprof.model.filters.filter import NO_FILTER
from tests.oracle.figures import Figure, get
from tests.oracle.plugin import modules as plugin_modules
from tests.oracle.plugin import tables as plugin_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.traces import Oracle


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


def plugin_figures(oracle: Oracle) -> Iterator[Figure]:
    """Yield every figure of the tables that exist on both sides."""
    yield from steps(oracle)
    yield from overview(oracle)
    yield from device_summary(oracle)
    yield from plugin_tables.operator_tables(oracle)
    yield from plugin_tables.operator_totals(oracle)
    yield from plugin_tables.call_stacks(oracle)
    yield from plugin_tables.kernels_by_name(oracle)
    yield from plugin_tables.kernels_by_properties(oracle)
    yield from plugin_modules.modules(oracle)
    yield from tensor_cores(oracle)
    yield from recommendations(oracle)


def steps(oracle: Oracle) -> Iterator[Figure]:
    """Ranges and costs of every step that the plugin keeps."""
    theirs = oracle.figures["overview"]
    ours = {row["step"]: row for row in steps_table(oracle.model).to_pylist() if row["complete"]}
    slack = _step_slack(oracle)
    # Clocks start elsewhere: times are compared from the start of the first step.
    shift = steps_table(oracle.model)["start_us"][0].as_py() - theirs["steps"]["ranges"][0][0]
    seen = set()
    for cost, (start, end) in zip(theirs["step_costs_us"], theirs["steps"]["ranges"], strict=True):
        number = int(cost["step"])
        row = ours.get(number) if number not in seen else None
        seen.add(number)
        range_of = {"start_us": start + shift, "end_us": end + shift}
        costs = {column: cost[name] for name, column in CATEGORIES.items()}
        for column, value in {**range_of, **costs}.items():
            yield Figure("steps", str(number), column, get(row, column), value, slack=slack[column])
    for number in sorted(set(ours) - seen):
        yield Figure("steps", str(number), "total_us", ours[number]["total_us"], None)


def overview(oracle: Oracle) -> Iterator[Figure]:
    """Average costs and their shares, exact and as shown."""
    theirs = oracle.figures["overview"]
    ours = {row["category"]: row for row in overview_table(oracle.model).to_pylist()}
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
    ours = {str(row["device"]): row for row in device_summary_table(oracle.model).to_pylist()}
    window = steps_table(oracle.model)
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


def tensor_cores(oracle: Oracle) -> Iterator[Figure]:
    """Shares of kernel time, of kernels and of operators that could use tensor cores."""
    theirs = oracle.figures["tensor_cores"]
    rows = kernels(oracle.model).to_pylist()
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
    ours = {r["rule"]: r["message"] for r in recommendations_table(oracle.model).to_pylist()}
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
            got = re.search(r"([\d.]+) %", said)
            yield Figure("recommendations", rule, "number", got and got.group(1), number.group(1))


def _eligible_share(oracle: Oracle) -> float | None:
    owned, lowest = kernels_of_eligible_operators(oracle.model, NO_FILTER)
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


def _percent(value: float) -> str:
    return f"{round(value, 2)} %"
