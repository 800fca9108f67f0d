"""The tree of call stacks: shared frames are one line, and figures add up."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbprof
from nbprof.analysis.operators.frame_tree import frame_tree
from nbprof.model.contract.columns import count, flag, pct, text, time
from nbprof.model.contract.table import make_table
from tests.support.recordings.runs import RUNS

COLUMNS = (
    text("call_stack", "Frames."),
    count("calls", "Calls."),
    time("host_self_us", "Self time."),
    time("device_self_us", "Device time."),
    time("host_max_us", "Longest."),
    time("host_mean_us", "Mean."),
    pct("host_pct", "Share."),
    pct("pct", "Share of the total."),
    flag("eligible", "Flag."),
)
SUMMED = ("calls", "host_self_us", "device_self_us")
SORT = ("host_self_us", "desc")


def table(rows: dict[str, int], device: bool = True) -> pa.Table:
    """Return stacks, each with its nanoseconds."""
    ns = list(rows.values())
    data: dict[str, Any] = {
        "call_stack": list(rows),
        "calls": [n % 7 + 1 for n in ns],
        "host_self_us": [n / 1000 for n in ns],
        "device_self_us": [n * 3 / 1000 for n in ns] if device else None,
        "host_max_us": [n / 1000 for n in ns],
        "host_mean_us": [n / 1000 for n in ns],
        "host_pct": [1.0 for _ in ns],
        "pct": [12.5 for _ in ns],
        "eligible": [True for _ in ns],
    }
    return make_table(COLUMNS, data)


def lines(rows: dict[str, int]) -> list[tuple[int, str, float]]:
    found = frame_tree(table(rows), SORT).to_pylist()
    return [(line["depth"], line["frames"], line["host_self_us"]) for line in found]


def test_shared_frames_are_one_line_and_each_branch_begins_where_it_differs() -> None:
    found = lines({"conv;encode;step;main": 2000, "conv;decode;step;main": 3000})
    assert found == [(0, "main;step", 5.0), (1, "decode;conv", 3.0), (1, "encode;conv", 2.0)]


def test_a_stack_that_ends_where_others_go_on_is_a_line_without_frames() -> None:
    assert lines({"step;main": 1000, "add;step;main": 4000}) == [
        (0, "main;step", 5.0),
        (1, "add", 4.0),
        (1, "", 1.0),
    ]


def test_one_stack_is_one_line_and_none_an_empty_one() -> None:
    assert lines({"a; b ;c": 1}) == [(0, "c;b;a", 0.001)]
    assert lines({"": 1000}) == [(0, "", 1.0)]
    assert lines({}) == []


def test_figures_that_do_not_add_up_are_left_out_of_shared_lines() -> None:
    first, *others = frame_tree(table({"a;m": 2000, "b;m": 5000}), SORT).to_pylist()
    assert (first["host_max_us"], first["host_mean_us"]) == (5.0, (6 * 2.0 + 3 * 5.0) / 9)
    assert (first["host_pct"], first["pct"], first["eligible"]) == (None, 25.0, None)
    assert [line["host_mean_us"] for line in others] == [5.0, 2.0]
    assert all(line["eligible"] for line in others)


def test_lines_are_ordered_by_a_figure_that_exists_and_nulls_stay_null() -> None:
    found = frame_tree(table({"a;m": 2000, "b;m": 5000}, device=False), ("calls", "asc"))
    assert found["device_self_us"].null_count == 3
    assert found["frames"].to_pylist() == ["m", "b", "a"]


def adds_up(tree: list[dict[str, Any]], whole: dict[str, Any], columns: tuple[str, ...]) -> None:
    """Every line equals the sum of the lines below it, to the nanosecond, and the top the whole."""
    below: dict[int, list[dict[str, Any]]] = {-1: []}
    path: list[int] = []
    for at, line in enumerate(tree):
        del path[line["depth"] :]
        below.setdefault(path[-1] if path else -1, []).append(line)
        path.append(at)
    for parent, own in below.items():
        total = whole if parent < 0 else tree[parent]
        for name in columns:
            if total[name] is not None:
                scale = 1 if name == "calls" else 1000
                found = sum(round(line[name] * scale) for line in own)
                assert found / scale == total[name], (parent, name)


FRAMES = st.lists(st.sampled_from("abcde"), min_size=0, max_size=6).map(";".join)


@given(st.dictionaries(FRAMES, st.integers(0, 10**10), min_size=1, max_size=12))
def test_every_line_is_the_sum_of_those_below(rows: dict[str, int]) -> None:
    stacks = table(rows)
    whole = {
        "calls": sum(stacks["calls"].to_pylist()),
        "host_self_us": sum(rows.values()) / 1000,
        "device_self_us": sum(rows.values()) * 3 / 1000,
    }
    tree = frame_tree(stacks, SORT).to_pylist()
    adds_up(tree, whole, SUMMED)
    # Every stack is the frames from the top down to a line without lines below it.
    ends, path = [], []
    for line, after in pairwise([*tree, {"depth": 0}]):
        del path[line["depth"] :]
        path.append([frame for frame in line["frames"].split(";") if frame])
        if after["depth"] <= line["depth"]:
            ends.append(";".join(reversed([*chain.from_iterable(path)])))
    assert sorted(ends) == sorted(rows)


@pytest.mark.parametrize("sample", ["gpu_resnet_synthetic", "torch_cpu_convnet"])
def test_the_lines_of_an_operator_sum_to_its_row(sample: str) -> None:
    trace = nbprof.load(RUNS / sample).trace()
    stacks = trace.operators(group_by="name+stack")
    columns = ("calls", "host_self_us", "host_total_us", "device_self_us", "device_total_us")
    for row in trace.operators().to_pylist():
        own = stacks.filter(pc.equal(stacks["name"], row["name"]))
        tree = frame_tree(own, None).to_pylist()
        adds_up(tree, row, columns)
        for line in tree:
            assert line["host_mean_us"] == pytest.approx(line["host_total_us"] / line["calls"])


def test_branches_of_a_kernel_have_its_share_and_mean() -> None:
    trace = nbprof.load(RUNS / "gpu_resnet_synthetic").trace()
    stacks = trace.kernels(group_by="name+stack")
    several = 0
    for row in trace.kernels().to_pylist():
        own = stacks.filter(pc.equal(stacks["name"], row["name"]))
        tree = frame_tree(own, None).to_pylist()
        several += len(tree) > 1
        assert sum(line["pct"] for line in tree if not line["depth"]) == pytest.approx(row["pct"])
        for line in tree:
            assert line["mean_us"] == pytest.approx(line["total_us"] / line["calls"])
    assert several
