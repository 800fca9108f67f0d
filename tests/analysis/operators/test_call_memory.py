"""The memory that operators keep, compared with plain loops and with `memory_operators`."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbprof
from nbprof.analysis.memory.operators import memory_operators
from nbprof.analysis.operators.calls import operator_calls
from nbprof.analysis.operators.operators import operators
from nbprof.model.filters import selection
from tests.analysis.generated import filters, traces
from tests.analysis.memory.generated import Truth, recorded
from tests.analysis.memory.slow_owners import innermost_call
from tests.conftest import ROOT
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

CPU = 0
PARTS = [f"{side}_memory_{part}_bytes" for side in ("host", "device") for part in ("self", "total")]
KEYS = {"name": ["name"], "name+shape": ["name", "input_shapes"]}


@given(recorded(), filters(), st.sampled_from(sorted(KEYS)))
def test_records_add_up(case: tuple[TraceModel, Truth], filter_: Filter, group_by: str) -> None:
    model, _ = case
    calls = operator_calls(model)
    host = model.tables["host"].to_pylist()
    kept = selection.host_rows(model, filter_.replace(devices=None, streams=None))[calls.row]
    wanted: dict[Any, dict[str, int]] = defaultdict(lambda: dict.fromkeys(PARTS, 0))
    sides = set()
    for record in model.tables["memory"].to_pylist():
        side = "host" if record["device_type"] == CPU else "device"
        sides.add(side)
        number = None if side == "host" else record["device"]
        if filter_.devices is not None and number not in filter_.devices:
            continue
        call, part = innermost_call(model, record), "self"
        while call >= 0:
            if kept[call]:
                key = tuple(host[calls.row[call]][name] for name in KEYS[group_by])
                wanted[key][f"{side}_memory_total_bytes"] += record["bytes"]
                if part == "self":
                    wanted[key][f"{side}_memory_self_bytes"] += record["bytes"]
            call, part = int(calls.forest.parent[call]), "total"
    for row in operators(model, filter_, group_by=group_by).to_pylist():
        plain = wanted[tuple(row[name] for name in KEYS[group_by])]
        for name in PARTS:
            there = name.partition("_")[0] in sides
            assert row[name] == (plain[name] if there else None), name


@given(traces())
def test_without_memory_it_is_unknown(model: TraceModel) -> None:
    table = operators(model)
    assert all(table[name].null_count == table.num_rows for name in PARTS)


@pytest.mark.parametrize("run", ["gpu_resnet_synthetic", "torch_cpu_convnet"])
def test_same_as_the_table_of_memory(run: str) -> None:
    """Both tables count the same records, so that the sums of what operators kept are equal."""
    trace = nbprof.load(RUNS / run).trace()
    by_name = {row["name"]: row for row in trace.operators().to_pylist()}
    seen = 0
    for row in memory_operators(trace.model).to_pylist():
        side = "host" if row["device_type"] == "cpu" else "device"
        own, total = (by_name[row["name"]][f"{side}_memory_{part}_bytes"] for part in PARTS_OF)
        assert (own, total) == (row["self_size_increase_bytes"], row["size_increase_bytes"])
        seen += 1
    assert seen > 10


PARTS_OF = ("self", "total")


def test_paddle_counts_memory_in_use_alone() -> None:
    """What the allocator reserves is not what operators keep; ranges inside them are theirs."""
    trace = nbprof.load(ROOT / "samples" / "paddle_cpu_convnet").trace()
    table = trace.operators()
    assert pc.sum(pc.abs(table["host_memory_self_bytes"])).as_py() > 0
    used = {
        row["name"]: row["size_increase_bytes"]
        for row in trace.memory_operators().to_pylist()
        if row["memory_type"] == "allocated"
    }
    for row in table.to_pylist():
        assert row["host_memory_total_bytes"] == used.get(row["name"], 0), row["name"]
