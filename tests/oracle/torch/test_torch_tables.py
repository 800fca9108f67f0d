"""`key_averages` equals the live profiler of PyTorch 2.13, row for row and printed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.oracle.torch.torch_tables import FIGURES, TRACES, oracle_of, path_of

if TYPE_CHECKING:
    from pathlib import Path

#: How the printed tables of the oracle were made.
PRINTED = {
    "self_cpu": ({}, {"sort_by": "self_cpu_time_total", "row_limit": 15}),
    "cpu_total": (
        {},
        {
            "sort_by": "cpu_time_total",
            "row_limit": 10,
            "header": "HDR",
            "max_name_column_width": 30,
        },
    ),
    "time_unit_ms": ({}, {"sort_by": "count", "row_limit": 5, "time_unit": "ms"}),
    "shapes": (
        {"group_by_input_shape": True},
        {"sort_by": "self_cpu_time_total", "row_limit": 10},
    ),
    "mem": ({}, {"sort_by": "self_cpu_memory_usage", "row_limit": 10}),
}

#: Cases whose stacks were recorded as text. PyTorch has no stacks in the others.
VERBOSE = ("verbose_stack", "verbose_torchscript")


@pytest.fixture(params=list(TRACES))
def case(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@lru_cache
def read(path: Path) -> nbprof.Trace:
    return nbprof.load(path, progress=False).trace()


@pytest.fixture
def trace(case: str, shared_data: Path) -> nbprof.Trace:
    return read(path_of(case, shared_data))


@pytest.fixture
def oracle(case: str, shared_oracle: Path) -> dict[str, Any]:
    return oracle_of(case, shared_oracle)


def figures_of(row: dict[str, Any], *, flops: bool) -> dict[str, float]:
    """Return our figures by PyTorch's names; without a source they are 0 there."""
    wanted = {name: row[column] or 0 for name, column in FIGURES.items()}
    return {name: value for name, value in wanted.items() if flops or name != "flops"}


def check(rows: list[dict[str, Any]], theirs: list[dict[str, Any]], *, flops: bool) -> None:
    assert [row["name"] for row in rows] == [row["name"] for row in theirs]
    for ours, other in zip(rows, theirs, strict=True):
        figures = figures_of(ours, flops=flops)
        assert figures == pytest.approx({name: other[name] for name in figures}, abs=1e-6)
        assert ours["asynchronous"] == other["is_async"]
        assert ours["user_annotation"] == other["is_user_annotation"]
        assert ours["device_type"] == other["device_type"].lower()


def test_rows_by_name(trace: nbprof.Trace, oracle: dict[str, Any]) -> None:
    # FLOPs are computed wherever there are shapes; PyTorch has them only on request.
    flops = bool(oracle["config"].get("with_flops"))
    rows = trace.key_averages()
    check(rows.to_pylist(), oracle["by_name"], flops=flops)
    total = sum(rows["host_self_us"].to_pylist())
    assert total == pytest.approx(oracle["sum_self_cpu_us"], abs=1e-5)
    shares = [value or 0 for value in rows["host_self_pct"].to_pylist()]
    assert sum(shares) == pytest.approx(100)


def test_rows_by_shape(trace: nbprof.Trace, oracle: dict[str, Any]) -> None:
    if "by_name_shape" not in oracle:
        assert set(trace.key_averages(group_by_input_shape=True)["input_shapes"].to_pylist()) == {
            "[]"
        }
        return
    rows = trace.key_averages(group_by_input_shape=True).to_pylist()
    check(rows, oracle["by_name_shape"], flops=bool(oracle["config"].get("with_flops")))
    shapes = [row["input_shapes"] for row in rows]
    assert shapes == [str(row["input_shapes"]) for row in oracle["by_name_shape"]]
    assert trace.key_averages(group_by="name+shape").to_pylist() == rows


def test_rows_by_stack(trace: nbprof.Trace, oracle: dict[str, Any], case: str) -> None:
    if "by_name_stack" not in oracle:
        return
    depth, theirs = oracle["by_name_stack"]["stack_n"], oracle["by_name_stack"]["rows"]
    rows = trace.key_averages(group_by_stack_n=depth).to_pylist()
    stacks = [row["call_stack"] for row in rows]
    if case in VERBOSE:
        check(rows, theirs, flops=bool(oracle["config"].get("with_flops")))
        assert stacks == [";".join(row["stack"]) for row in theirs]
        return
    # PyTorch leaves stacks empty; ours are rebuilt from frames, and merge to the same rows.
    assert not any(row["stack"] for row in theirs)
    assert len(set(stacks)) > len(rows) / 10
    merged: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in rows:
        sums = merged.setdefault((row["name"], row["user_annotation"]), dict.fromkeys(FIGURES, 0))
        for name, value in figures_of(row, flops=True).items():
            sums[name] += value
    by_name = {(row["name"], row["is_user_annotation"]): row for row in theirs}
    assert list(merged) == list(by_name)
    for key, sums in merged.items():
        if not oracle["config"].get("with_flops"):
            del sums["flops"]
        assert sums == pytest.approx({name: by_name[key][name] for name in sums}, abs=1e-5)


def test_printed_tables(trace: nbprof.Trace, oracle: dict[str, Any]) -> None:
    printed = {name: how for name, how in PRINTED.items() if name in oracle["tables"]}
    assert len(printed) >= 3
    for name, (grouping, layout) in printed.items():
        averages = nbprof.key_averages(trace, **grouping)
        assert averages.text(**layout) == oracle["tables"][name], name


def test_printed_events(trace: nbprof.Trace, oracle: dict[str, Any], case: str) -> None:
    """The table of single events."""
    made = nbprof.key_averages(trace, single_events=True)
    ours = made.text(sort_by="cpu_time_total", row_limit=10, top_level_events_only=True)
    theirs = oracle["tables"]["top_level_only"]
    if case == "legacy_autograd":  # PyTorch fails at records of memory outside of calls, with FLOPs
        assert theirs.startswith("RAISES TypeError")
        assert "[memory]" in made.text(row_limit=-1)
    elif case == "verbose_stack":  # it has the columns of stacks and FLOPs under each other's title
        assert sorted(ours.split()) == sorted(theirs.split())
    else:
        assert ours == theirs


def test_printed_without_stacks(trace: nbprof.Trace, oracle: dict[str, Any], case: str) -> None:
    if case in VERBOSE or "stack" not in oracle["tables"]:
        return
    depth = oracle["by_name_stack"]["stack_n"]
    made = nbprof.key_averages(trace, group_by_stack_n=depth, rebuild_stacks=False)
    assert made.text(sort_by="self_cpu_time_total", row_limit=5) == oracle["tables"]["stack"]


@pytest.mark.parametrize("case", VERBOSE, indirect=True)
def test_printed_stacks(trace: nbprof.Trace, oracle: dict[str, Any], case: str) -> None:
    depth = oracle["by_name_stack"]["stack_n"]
    averages = nbprof.key_averages(trace, group_by_stack_n=depth)
    ours = averages.text(sort_by="self_cpu_time_total", row_limit=5)
    theirs = oracle["tables"]["stack"]
    if "FLOPs" not in theirs:
        # The folder of the installation was renamed in the trace, not in the printed table.
        folders = re.compile(r"\.\.\.\S*/lib/python")
        assert folders.sub("…", ours) == folders.sub("…", theirs)
        return
    # PyTorch prints stacks under "Total KFLOPs", and FLOPs under "Source Location".
    assert ours != theirs
    head = ours.splitlines()[1]
    at, flops_at = head.index("Source Location"), head.index("Total") - 1
    first = ours.splitlines()[3]
    assert first[at:].startswith("<built-in function linear>")
    assert first[flops_at:].strip() == "524.288"
    assert re.sub(r"\s+", " ", theirs.splitlines()[3]).endswith(
        "524.288 <built-in function linear> "
    )


def test_both_exporters_give_one_table(shared_data: Path) -> None:
    folder = shared_data / "torchcpu/labels_noschedule"
    tables = [
        nbprof.load(folder / f"pyexport_{name}.json", progress=False).trace().key_averages()
        for name in ("python", "cpp")
    ]
    assert tables[0].to_pylist() == tables[1].to_pylist()
