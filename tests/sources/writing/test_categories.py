"""Slices that were recorded without a category are written without one, and read as the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nbprof
from tests.sources.other_chrome import programs
from tests.sources.writing.round_trip import assert_same_model, differences, problem
from tests.support.traces import kernel, op, read_trace

if TYPE_CHECKING:
    from pathlib import Path

Event = dict[str, Any]

NAMES = st.sampled_from(
    ["aten::a", "$x.py:1 f", "ProfilerStep#1", "[pl][module]torch.nn.Linear: a", "MemcpyH2D",
     "[pl][profile]run", "cudaLaunchKernel", "event_wait"]
)  # fmt: skip
#: Processes of a host, of the EventList export, and of XLA's traces (7 and 8 are devices).
PIDS = st.sampled_from([1, "CPU functions", "CUDA functions", 7, 8])


@st.composite
def _event(draw: Any, at: int) -> Event:
    event = {"name": draw(NAMES), "pid": draw(PIDS), "tid": draw(st.integers(0, 4)), "ts": at}
    if draw(st.booleans()):
        event["cat"] = "cpu_op" if event["pid"] in (1, "CPU functions") else "kernel"
    if draw(st.booleans()):
        event["args"] = {"correlation_id": str(at)} if "cat" not in event else {"correlation": at}
    if draw(st.integers(0, 4)) == 0 and event["pid"] == 1:
        return event | {"ph": "B"}
    return event | {"ph": "X", "dur": draw(st.integers(0, 30))}


@st.composite
def _events(draw: Any) -> list[Event]:
    names = [None, "Stream #16(Compute)", "Stream #3", "XLA Ops", "Steps"]
    found: list[Event] = []
    for pid, process in (7, "/device:GPU:0"), (8, "/job:a/device:TPU:1"):
        lines = {tid: draw(st.sampled_from(names)) for tid in range(5)}
        found += programs.named(pid, process, {tid: one for tid, one in lines.items() if one})
    found.append(op("last", 99))
    return found + [draw(_event(at)) for at in range(1, draw(st.integers(2, 12)))]


def _twice(path: Path, folder: Path) -> tuple[Any, Any, list[str]]:
    """Write what a file holds, and again what that holds; return both traces and texts."""
    first = nbprof.load(path, progress=False).trace()
    texts, traces = [], [first]
    for name in ("b.json", "c.json"):
        traces[-1].to_chrome_trace(folder / name)
        texts.append((folder / name).read_text())
        traces.append(nbprof.load(folder / name, progress=False).trace())
    return traces[0], traces[1], texts


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_events())
def test_what_is_read_without_categories_comes_back(tmp_path: Path, events: list[Event]) -> None:
    first, again, texts = _twice(programs.write(tmp_path / "a.json", events), tmp_path)
    for name, table in first.model.tables.items():
        problem(name, differences(table, again.model.tables[name]))
    counts = [[(one.kind, one.count) for one in trace.model.warnings] for trace in (first, again)]
    assert counts[0] == counts[1]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("make", [programs.jax, programs.tpu])
def test_no_category_is_made_up(tmp_path: Path, make: Any) -> None:
    first, again, texts = _twice(programs.write(tmp_path / "a.json", make()), tmp_path)
    for name, table in first.model.tables.items():
        problem(name, differences(table, again.model.tables[name]))
    assert texts[0] == texts[1]
    assert '"cat"' not in texts[0]


def test_only_what_had_a_category_has_one(tmp_path: Path) -> None:
    events = [op("a", 1, 90), kernel("k", 5), op("b", 3), op("$f", 10), op("c", 20)]
    for event in events[2:4]:
        del event["cat"]
    path = programs.write(tmp_path / "a.pt.trace.json", events)
    first, again, texts = _twice(path, tmp_path)
    assert_same_model(first.model, again.model)
    slices = [one for one in json.loads(texts[0])["traceEvents"] if one["ph"] == "X"]
    found = {one["name"]: one.get("cat") for one in slices}
    assert found == {"a": "cpu_op", "b": None, "$f": None, "c": "cpu_op", "k": "kernel"}
    assert first.model.column("host_categories", "is_missing").tolist() == [
        row["name"] in {"b", "$f"} for row in first.model.tables["host"].to_pylist()
    ]


def test_the_event_list_keeps_its_processes(tmp_path: Path) -> None:
    common = {"ph": "X", "dur": 5, "args": {}}
    events = [
        {**common, "name": "aten::a", "ts": 1, "tid": 1, "pid": "CPU functions"},
        {**common, "name": "k", "ts": 2, "tid": 0, "pid": "CUDA functions"},
    ]
    first, again, texts = _twice(programs.write(tmp_path / "a.json", events, bare=True), tmp_path)
    assert_same_model(first.model, again.model)
    assert texts[0] == texts[1]
    assert '"cat"' not in texts[0]
    assert again.kernels()["name"].to_pylist() == ["k"]


def test_a_part_has_no_category_either(tmp_path: Path) -> None:
    path = programs.write(tmp_path / "a.json", programs.jax())
    trace = nbprof.load(path, progress=False, time_us=(0.0, 500.0)).trace()
    assert 0 < trace.model.tables["device"].num_rows < 12
    trace.to_chrome_trace(tmp_path / "b.json")
    assert '"cat"' not in (tmp_path / "b.json").read_text()


def test_several_processes_read_the_same(tmp_path: Path) -> None:
    events = [op(f"a{at}", at, 1) for at in range(1000)]
    for event in events[::3]:
        del event["cat"]
    path = programs.write(tmp_path / "a.pt.trace.json", events)
    missing = [
        read_trace(path, window=4096, processes=count).column("host_categories", "is_missing")
        for count in (1, 3)
    ]
    assert missing[0].tolist() == missing[1].tolist() == [at % 3 == 0 for at in range(1000)]
