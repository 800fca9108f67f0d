"""The overview of very many steps draws and lists the slowest, and speaks of all of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from nbprof.charts.marks import BarMark
from nbprof.charts.steps.breakdown import step_breakdown
from nbprof.charts.steps.columns import MOST_STEPS
from tests.widgets.conftest import table_of

if TYPE_CHECKING:
    from pathlib import Path

MANY = MOST_STEPS + 1001


@pytest.fixture(scope="module")
def many_steps(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[float]]:
    """Return a trace, and the times of its steps in µs."""
    times = np.random.default_rng(0).integers(100, 900, MANY).astype(float).tolist()
    events, at = [], 0.0
    for number, taken in enumerate(times):
        lane = {"ph": "X", "pid": 1, "tid": 1}
        name = f"ProfilerStep#{number}"
        events.append({**lane, "cat": "user_annotation", "name": name, "ts": at, "dur": taken})
        events.append({**lane, "cat": "cpu_op", "name": "aten::mm", "ts": at + 1, "dur": 20})
        at += taken + 1
    path = tmp_path_factory.mktemp("many") / "worker0.1700000000001.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return path, times


def test_the_slowest_are_drawn_and_listed(
    open_page: Any, many_steps: tuple[Path, list[float]]
) -> None:
    path, times = many_steps
    page = open_page(path)
    reply, buffers = page.ask("overview", state=page.state(), width={"steps": 700})
    result = reply["result"]
    facts = result["many_steps"]
    assert (facts["count"], facts["complete"]) == (MANY, MANY)
    assert facts["range_us"] == pytest.approx([min(times), max(times)])
    assert facts["shown"] == f"the slowest 1,000 of {MANY:,}"
    listed = table_of(buffers[result["tables"]["steps"]])
    assert listed.num_rows == 1000
    assert listed["step"].to_pylist() == sorted(listed["step"].to_pylist())
    assert sorted(listed["total_us"].to_pylist()) == pytest.approx(sorted(times)[-1000:])
    means = table_of(buffers[result["tables"]["overview"]])
    assert means["avg_us"][0].as_py() == pytest.approx(np.mean(times))
    assert page.view.trace.steps().num_rows == MANY

    chart = step_breakdown(page.view.trace.steps(), width=700)
    [bars] = [mark.source.columns for mark in chart.marks if isinstance(mark, BarMark)]
    numbers = np.asarray(bars["step"])
    group = -(-MANY // len(numbers))
    groups = [times[start : start + group] for start in range(0, MANY, group)]
    slowest = [start * group + int(np.argmax(one)) for start, one in enumerate(groups)]
    assert numbers.tolist() == slowest
    assert np.asarray(bars["index"]).tolist() == list(range(len(slowest)))


def test_a_few_are_drawn_and_listed_in_full(
    open_page: Any, many_steps: tuple[Path, list[float]]
) -> None:
    page = open_page(many_steps[0])
    state = page.state(steps=[10, 40])
    reply, buffers = page.ask("overview", state=state, width={"steps": 700})
    assert "many_steps" not in reply["result"]
    listed = table_of(buffers[reply["result"]["tables"]["steps"]])
    assert listed["step"].to_pylist() == list(range(10, 41))
