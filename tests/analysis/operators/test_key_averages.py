"""`key_averages` by brute force, on generated traces, under filters, and at its edges."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import nbprof
from nbprof.analysis.operators.key_averages.flops import operator_flops
from nbprof.analysis.operators.key_averages.sorting import SORT_COLUMNS, sort_column
from nbprof.model.names.demangling import readable_names
from nbprof.model.visible_text import printable
from tests.analysis.operators.slow_averages import slow_averages
from tests.support.traces import op, write

if TYPE_CHECKING:
    from pathlib import Path

#: Traces of several vendors and recorders, quick enough for slow code.
RECORDED = (
    "b200_eager",
    "a100_triton",
    "a100_two_ranks",
    "dlrm_8ranks",
    "h100_bert",
    "h800_deepseek",
    "mi250_minitoy",
    "mi300_graph_replay",
    "mi300_qwen",
    "mtia_inference",
)
FIGURES = (
    *("calls", "host_self_us", "host_total_us", "host_memory_bytes", "host_self_memory_bytes"),
    *("device_self_us", "device_total_us"),
)


def averages(tmp_path: Path, events: list[Any], /, **options: Any) -> dict[str, dict[str, Any]]:
    """Return the rows of a written trace by name."""
    path = write(tmp_path / "w.pt.trace.json", events)
    return {
        row["name"]: row for row in nbprof.load(path).trace().key_averages(**options).to_pylist()
    }


def in_ns(row: dict[str, Any]) -> list[int]:
    return [round((row[name] or 0) * (1000 if name.endswith("_us") else 1)) for name in FIGURES]


@pytest.mark.parametrize("name", RECORDED)
def test_brute_force(name: str, shared_data: Path) -> None:
    trace = nbprof.load(shared_data / "kineto" / name, progress=False).trace()
    table = trace.key_averages()
    ours = {
        (row["name"], row["device_type"] != "cpu", row["user_annotation"]): in_ns(row)
        for row in table.to_pylist()
    }
    slow = {
        (readable_names([text])[0], *more): figures
        for (text, *more), figures in slow_averages(trace.file.path).items()
    }
    assert ours == slow
    assert list(ours) == list(slow)  # in the order of first calls


@pytest.mark.parametrize("name", RECORDED)
def test_invariants(name: str, shared_data: Path) -> None:
    trace = nbprof.load(shared_data / "kineto" / name, progress=False).trace()
    table = trace.key_averages()
    device = [row for row in table.to_pylist() if row["device_type"] != "cpu"]
    work = [row for row in device if not row["user_annotation"]]
    shares = [row["device_self_pct"] or 0 for row in work]
    assert sum(shares) == pytest.approx(100)
    kernels = trace.kernels()
    counted = {row["name"]: (row["calls"], row["device_self_us"]) for row in work}
    for row in kernels.to_pylist():
        assert counted[row["name"]] == (row["calls"], pytest.approx(row["total_us"]))
    # No operator, label or function counts an event twice: they launch at most what ran. Runtime
    # calls and the profiler's own work may, see `test_work_counts_again_where_ids_are_equal`.
    operators = {(row["name"], False) for row in trace.operators().to_pylist()}
    annotations = set(table.filter(table["user_annotation"])["name"].to_pylist())
    host = [
        row
        for row in table.to_pylist()
        if row["device_type"] == "cpu"
        if (row["name"], row["user_annotation"]) in operators or row["name"] in annotations
    ]
    launched = sum(row["device_self_us"] for row in host)
    assert launched <= sum(row["device_self_us"] for row in work) * (1 + 1e-9)
    by_shape = trace.key_averages(group_by_input_shape=True)
    for column in FIGURES:
        assert sum(v or 0 for v in by_shape[column].to_pylist()) == pytest.approx(
            sum(v or 0 for v in table[column].to_pylist())
        )


def test_calls_of_one_name_are_merged(tmp_path: Path) -> None:
    # The outer two merge; the innermost one has a sibling, so it counts itself.
    rows = averages(
        tmp_path,
        [
            op("aten::f", 0, 100),
            op("aten::f", 10, 80),
            op("aten::f", 20, 10),
            op("aten::g", 40, 10),
        ],
    )
    assert in_ns(rows["aten::f"])[:3] == [2, 90_000, 110_000]
    assert in_ns(rows["aten::g"])[:3] == [1, 10_000, 10_000]


def test_memory_counts_by_time(tmp_path: Path) -> None:
    def record(ts: int, size: int, tid: int, type_: int = 0) -> dict[str, Any]:
        args = {"Bytes": size, "Device Type": type_, "Device Id": -1 if type_ == 0 else 0}
        more = {"ph": "i", "cat": "cpu_instant_event", "args": {**args, "Addr": ts}}
        return op("[memory]", ts, tid=tid, **more)

    rows = averages(
        tmp_path,
        [
            op("aten::f", 0, 100),
            op("aten::g", 20, 30),
            record(20, 5, 1),  # at the start of g
            record(50, 7, 2),  # at its end, on another thread
            record(60, 1, 1),
            record(70, 64, 1, 1),
            record(100, 2, 1),
            record(101, 11, 1),
            record(130, -4, 2),
        ],
    )
    columns = ("host_memory_bytes", "host_self_memory_bytes", "device_memory_bytes")
    figures = {name: [row[column] for column in columns] for name, row in rows.items()}
    assert figures == {
        "aten::f": [15, 3, 64],
        "aten::g": [12, 12, 0],
        "[memory]": [7, 7, 0],
    }
    assert rows["[memory]"]["calls"] == 2
    assert rows["[memory]"]["host_total_us"] == 0


def test_overloads(tmp_path: Path) -> None:
    events = [op("aten::add.Tensor", 0, 5), op("aten::add.out", 10, 5), op("aten::add", 20, 5)]
    assert averages(tmp_path, events)["aten::add"]["calls"] == 3
    path = write(tmp_path / "w.pt.trace.json", events)
    table = nbprof.load(path).trace().key_averages(group_by_overload_name=True)
    assert table["overload_name"].to_pylist() == ["Tensor", "out", ""]
    text = nbprof.key_averages(str(path), group_by_overload_name=True).text()
    assert text.splitlines()[1].split()[:3] == ["Name", "Overload", "Name"]


def test_python_functions(tmp_path: Path) -> None:
    frame = {"cat": "python_function", "args": {"Python id": 1, "Python parent id": None}}
    events = [op("f.py(1): f", 0, 50, **frame), op("aten::mm", 10, 20)]
    rows = averages(tmp_path, events)
    assert list(rows) == ["f.py(1): f", "aten::mm"]
    assert rows["f.py(1): f"]["host_self_us"] == 30
    before = averages(tmp_path, events, python_functions=False)
    assert list(before) == ["aten::mm"]
    assert before["aten::mm"]["host_self_pct"] == 100
    top = averages(tmp_path, events, top_level_events_only=True)
    assert list(top) == ["f.py(1): f"]
    stacked = averages(tmp_path, events, group_by="name+stack1")
    assert stacked["aten::mm"]["call_stack"] == "f.py(1): f"


def test_null_without_a_source(tmp_path: Path) -> None:
    row = averages(tmp_path, [op("aten::mm", 0, 5)])["aten::mm"]
    missing = {name for name, value in row.items() if value is None}
    memory = {f"{side}_{kind}memory_bytes" for side in ("host", "device") for kind in ("", "self_")}
    device = {f"device_{kind}" for kind in ("self_us", "self_pct", "total_us", "mean_us")}
    assert missing == {*memory, *device, "node_id", "flops"}
    with_shapes = averages(tmp_path, [op("aten::relu", 0, 5, args={"Input Dims": [[2, 2]]})])
    assert with_shapes["aten::relu"]["flops"] == 0


def test_filters(samples: Path) -> None:
    trace = nbprof.load(samples / "gpu_resnet_synthetic", progress=False).trace()
    whole = trace.key_averages()
    parts = [trace.filter(steps=step).key_averages() for step in trace.steps()["step"].to_pylist()]
    steps = sum(sum(part["calls"].to_pylist()) for part in parts)
    assert 0 < steps <= sum(whole["calls"].to_pylist())
    named = trace.filter(name="conv").key_averages()
    assert 0 < named.num_rows < whole.num_rows
    assert all("conv" in name.lower() for name in named["name"].to_pylist())
    by_name = {(row["name"], row["device_type"]): row for row in whole.to_pylist()}
    for row in named.to_pylist():
        other = by_name[row["name"], row["device_type"]]
        assert row["host_self_us"] == other["host_self_us"]  # children of others stay children
        assert row["calls"] == other["calls"]
    assert sum(value or 0 for value in named["host_self_pct"].to_pylist()) == pytest.approx(100)
    kernels = trace.filter(kinds=["kernel"]).key_averages()
    assert set(kernels["device_type"].to_pylist()) == {"gpu"}
    within = trace.filter(within="conv").key_averages()
    assert named.num_rows <= within.num_rows < whole.num_rows


def test_every_sort_key_sorts(samples: Path) -> None:
    trace = nbprof.load(samples / "gpu_resnet_synthetic", progress=False).trace()
    first = [(row["name"], row["device_type"]) for row in trace.key_averages().to_pylist()]
    for key, column in SORT_COLUMNS.items():
        for alias in ("device", "cuda", "xpu", "privateuse1"):
            rows = trace.key_averages(sort_by=key.replace("device", alias)).to_pylist()
            values = [row[column] or 0 for row in rows]
            assert values == sorted(values, reverse=True)
            places = [first.index((row["name"], row["device_type"])) for row in rows]
            ranked = sorted(range(len(rows)), key=lambda at: (-values[at], places[at]))
            assert ranked == list(range(len(rows)))  # ties keep their order
    with pytest.raises(nbprof.UnknownNameError, match=r"no sort key 'cpu_tiem'.*cpu_time"):
        sort_column("cpu_tiem")


@pytest.mark.parametrize(
    ("name", "shapes", "values", "expected"),
    [
        ("aten::mm", [[3, 4], [4, 5]], [], 2 * 3 * 4 * 5),
        ("aten::addmm", [[5], [3, 4], [4, 5], [], []], [], 2 * 3 * 4 * 5),
        ("aten::bmm", [[2, 3, 4], [2, 4, 5]], [], 2 * 2 * 3 * 4 * 5),
        ("aten::baddbmm", [[2, 3, 5], [2, 3, 4], [2, 4, 5], [], []], [], 2 * 2 * 3 * 4 * 5),
        ("aten::add", [[7, 3], [7, 3], []], [], 21),
        ("aten::mul", [[], []], [], 1),
        (
            "aten::conv2d",
            [[2, 4, 9, 9], [8, 2, 3, 3], [8], [], [], [], []],
            ["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "2"],
            2 * 2 * 5 * 5 * 3 * 3 * 4 * 8 // 2,
        ),
        ("aten::conv2d", [[2, 4, 9, 9], [8, 2, 3, 3]], [], 0),  # the inputs were not recorded
        ("aten::mm", [[3, 4], [7, 5]], [], 0),
        ("aten::mm", [[3, 4]], [], 0),
        ("aten::add", [[[2, 2], [2, 2]]], [], 0),
        ("aten::linear", [[3, 4], [5, 4]], [], 0),
        ("aten::mul", [["a"]], [], 0),
    ],
)
def test_flops(name: str, shapes: list[Any], values: list[Any], expected: int) -> None:
    assert operator_flops(name, json.dumps(shapes), json.dumps(values)) == expected


def test_forms(samples: Path) -> None:
    averages = nbprof.key_averages(samples / "gpu_resnet_synthetic")
    assert isinstance(averages.table, pa.Table)
    assert averages.to_pandas().shape == averages.table.shape
    html = averages._repr_html_()
    assert html.startswith("<table")
    assert html.count("<tr") == min(averages.table.num_rows, 100) + 1
    assert str(averages) == averages.text() == repr(averages)
    with pytest.raises(nbprof.UnknownNameError, match="no sort key"):
        averages.text(sort_by="speed")


def test_names_are_not_trusted(tmp_path: Path) -> None:
    name = "<script>\x1b[31m"
    path = write(tmp_path / "w.pt.trace.json", [op(name, 0, 5)])
    averages = nbprof.key_averages(path)
    assert printable(name) in averages.text()
    assert "\x1b" not in averages.text()
    assert "<script>" not in averages._repr_html_()


def test_a_trace_without_events_of_the_table(tmp_path: Path) -> None:
    path = write(tmp_path / "w.pt.trace.json", [op("aten::is_leaf", 0, 5)])
    averages = nbprof.key_averages(path)
    assert averages.table.num_rows == 0
    assert averages.text() == ""
    assert "<table" in averages._repr_html_()
