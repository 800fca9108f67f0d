"""Differences between diff_control and diff_test against the trace diff of HTA (hta.md §15).

HTA compares the first iteration of both traces by name and sums counts and durations. Its figures
are those of one step, so they are compared with ours under a filter of that step. Two definitions
differ; each is proven below, row by row:

- Kernels whose launch was not recorded. The candidate's first step runs kernels that were launched
  before the recording began. We count them for the step in which they ran (tables.md, Filter); HTA
  gives them to no iteration. In the baseline there are none, and every kernel agrees.
- Calls of the same name directly inside each other, such as ``aten::sum``. We count the outer one
  only (tables.md, same-name merge); HTA counts and sums both, so that its durations overlap.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import nbprof
from nbprof.model.filters.selection import step_of_device_rows, step_of_host_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.trace import Trace

STEP = 1009
Rows = dict[str, dict[str, Any]]
#: Their columns for our sides.
SIDES = {"baseline": "Control", "candidate": "Test"}
#: Operators that call themselves; all others agree.
MERGED = {"aten::sum", "aten::zeros", "aten::view", "aten::div", "aten::mean", "aten::new_empty"}


@pytest.fixture(scope="module")
def diff(shared_data: Path) -> nbprof.Diff:
    data = shared_data / "kineto"
    return nbprof.diff(data / "diff_control", data / "diff_test").filter(steps=STEP)


@pytest.fixture(scope="module")
def oracle(shared_oracle: Path) -> dict[str, Any]:
    path = shared_oracle / "hta" / "hta_tracediff.json"
    tables: dict[str, Any] = json.loads(path.read_text("utf-8"))["tables"]
    return tables


def theirs(oracle: dict[str, Any], side: str) -> Rows:
    return {row["name"]: row for row in oracle[f"compare_{side}"]["rows"]}


def ours(table: Any) -> Rows:
    return {row["name"]: row for row in table.to_pylist()}


def sums(trace: Trace, table: str, chosen: np.ndarray) -> dict[str, tuple[int, float]]:
    """Return count and µs of the chosen rows of a model by name."""
    model = trace.model
    names = model.values(table, "name")
    counts: Counter[str] = Counter()
    times: Counter[str] = Counter()
    duration = model.column(table, "duration_ns")
    for row in np.flatnonzero(chosen).tolist():
        name = names[model.column(table, "name")[row]]
        counts[name] += 1
        times[name] += int(duration[row])
    return {name: (counts[name], times[name] / 1000) for name in counts}


def test_every_kernel(diff: nbprof.Diff, oracle: dict[str, Any]) -> None:
    mine = ours(diff.kernels(group_by="name"))
    for side, word in SIDES.items():
        trace = getattr(diff, side)
        model = trace.model
        here = step_of_device_rows(model) == int(np.flatnonzero(model.steps.number == STEP)[0])
        unlaunched = here & (model.column("device", "kind") == kinds.KERNEL)
        unlaunched &= model.links.launch < 0
        early = sums(trace, "device", unlaunched)
        assert bool(early) == (side == "candidate")
        kernels = [
            row
            for name, row in theirs(oracle, "GPU").items()
            if not name.startswith(("Memcpy", "Memset"))
        ]
        assert len(kernels) > 190
        for row in kernels:
            count, time = early.get(row["name"], (0, 0.0))
            own = mine[row["name"]]
            assert own[f"{side}_calls"] - count == row[f"{word}_counts"], row["name"]
            expected = pytest.approx(row[f"{word}_total_duration"])
            assert own[f"{side}_total_us"] - time == expected, row["name"]


def test_kernels_of_one_side(diff: nbprof.Diff, oracle: dict[str, Any]) -> None:
    found: dict[str, set[str]] = {}
    for row in diff.kernels(group_by="name").to_pylist():
        found.setdefault(row["change"], set()).add(row["name"])
    groups = oracle["ops_diff_GPU"]
    for word, group in (("added", "added"), ("removed", "deleted")):
        names = {name for name in groups[group]["names"] if not name.startswith("Mem")}
        assert found[word] == names


def test_operators_and_calls(diff: nbprof.Diff, oracle: dict[str, Any]) -> None:
    operators, calls = ours(diff.operators()), ours(diff.launches())
    differing = set()
    compared = 0
    for name, row in theirs(oracle, "CPU").items():
        own = operators.get(name) or calls.get(name)
        if own is None:
            continue  # annotations; the next test has all rows
        figure = "host_total_us" if name in operators else "host_us"
        compared += 1
        for side, word in SIDES.items():
            same = own[f"{side}_calls"] == row[f"{word}_counts"] and own[
                f"{side}_{figure}"
            ] == pytest.approx(row[f"{word}_total_duration"])
            if not same:
                differing.add(name)
    assert compared > 150
    assert differing == MERGED


def test_all_rows_of_the_host(diff: nbprof.Diff, oracle: dict[str, Any]) -> None:
    """Without the merge of calls, the rows that we read are those of HTA."""
    for side, word in SIDES.items():
        trace = getattr(diff, side)
        model = trace.model
        step = int(np.flatnonzero(model.steps.number == STEP)[0])
        mine = sums(trace, "host", step_of_host_rows(model) == step)
        for name, row in theirs(oracle, "CPU").items():
            count, time = mine.get(name, (0, 0.0))
            assert count == row[f"{word}_counts"], name
            assert time == pytest.approx(row[f"{word}_total_duration"]), name


def test_the_waterfall_names_what_torch_compile_changed(diff: nbprof.Diff) -> None:
    names = [row["name"] for row in diff.waterfall(limit=3).to_pylist() if row["kind"] == "change"]
    assert set(names) == {
        "CompiledFunctionBackward",
        "CompiledFunction",
        "Memcpy DtoD (Device -> Device)",
    }
