"""Steps above the lanes of the timeline: those of the host and of each device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.support.traces import kernel, op, write
from tests.widgets.conftest import Page, write_trace

from .test_timeline import layout_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def page(open_page: Any, logs: Path) -> Page:
    return open_page(logs, nbprof.TimelineView)


def test_steps_are_those_of_the_lanes_below(page: Page) -> None:
    model = page.view.trace.model
    names = model.tables["host"]["name"].cast("string").to_pylist()
    host = model.tables["host"].to_pylist()
    device = model.tables["device"].to_pylist()
    assert layout_of(page)["steps"]
    for step in layout_of(page)["steps"]:
        at = names.index(f"ProfilerStep#{step['step']}")
        start, end = host[at]["start_ns"], host[at]["start_ns"] + host[at]["duration_ns"]
        assert (step["start_ns"], step["end_ns"]) == (start, end)
        launched = [
            row
            for row, launch in zip(device, model.links.launch.tolist(), strict=True)
            if launch >= 0 and start <= host[launch]["start_ns"] < end
        ]
        if not launched:
            assert step["device"] is None
            continue
        ends = [row["start_ns"] + row["duration_ns"] for row in launched]
        extent = {"start_ns": min(row["start_ns"] for row in launched), "end_ns": max(ends)}
        assert step["device"] == extent


def test_no_steps_are_made_up(open_page: Any, tmp_path: Path) -> None:
    path = write_trace(tmp_path / "a.pt.trace.json", steps=(1,))
    path.write_text(path.read_text().replace("ProfilerStep#1", "outer"))
    assert layout_of(open_page(path, nbprof.TimelineView))["steps"] == []


def test_the_device_runs_behind_the_host(open_page: Any, tmp_path: Path) -> None:
    step = {"ph": "X", "cat": "user_annotation", "pid": 1, "tid": 1, "dur": 100}
    launch = {**op("cudaLaunchKernel", 50, 2), "cat": "cuda_runtime", "args": {"correlation": 1}}
    events = [
        {**step, "name": "ProfilerStep#1", "ts": 0},
        {**step, "name": "ProfilerStep#2", "ts": 100},
        op("aten::mm", 40, 20),
        launch,
        kernel("gemm", 80, 90),
    ]
    path = tmp_path / "w0.pt.trace.json"
    write(path, events)
    steps = layout_of(open_page(path, nbprof.TimelineView))["steps"]
    work = {"start_ns": 80_000, "end_ns": 170_000}
    assert steps == [
        {"step": 1, "start_ns": 0, "end_ns": 100_000, "device": work},
        {"step": 2, "start_ns": 100_000, "end_ns": 200_000, "device": None},
    ]
