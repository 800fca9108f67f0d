"""Memory of a baseline: a dashed line on the clock of the trace, its peak, and the difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import nbprof
from nbprof.charts.chart import Chart
from nbprof.charts.marks import StepMark
from nbprof.charts.memory.baseline import change_text, partners_of
from nbprof.widgets.saved.page import page_state
from nbprof.widgets.views.drawing.figures import charts_of
from nbprof.widgets.views.drawing.look import Look
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.memory.memory_selection import Lens
from nbprof.widgets.views.registry import VIEWS
from tests.support.programs.offline import answers
from tests.support.recordings.runs import RUNS
from tests.widgets.saved.test_saved_charts import compare, python_texts

if TYPE_CHECKING:
    from pathlib import Path

RUN = "gpu_resnet_synthetic"
OTHER = {"run": RUN, "worker": "worker1", "span": 1}


@pytest.fixture(scope="module")
def view() -> nbprof.Explorer:
    return nbprof.Explorer(RUNS, run=RUN, worker="worker0", baseline=OTHER)


def chart_of(view: nbprof.Explorer, **options: Any) -> Chart:
    screen = Screen(view._session, view._state())
    chart = charts_of(VIEWS["memory"], screen, Look(**options))["memory"]
    assert isinstance(chart, Chart)
    return chart


def lines_of(chart: Chart) -> dict[str, Any]:
    marks = [mark for mark in chart.layers() if isinstance(mark, StepMark)]
    return {mark.source.name: mark for mark in marks}


def test_devices_go_together_by_name_or_else_in_order() -> None:
    assert partners_of(["GPU 0", "CPU"], ["CPU", "GPU 0"]) == [1, 0]
    assert partners_of(["GPU 1"], ["CPU", "GPU 3"]) == [1], "numbers differ from run to run"
    assert partners_of(["GPU 0", "GPU 1"], ["GPU 1", "GPU 2"]) == [1, 0]
    assert partners_of(["NPU 0", "CPU"], ["GPU 0"]) == [0, None]
    assert partners_of(["CPU"], ["GPU 0"]) == [None]
    assert [change_text(*pair) for pair in ((2048, 1024), (1024, 2048), (7, 7))] == [
        "+1.0 KiB",
        "\N{MINUS SIGN}1.0 KiB",
        "",
    ]


def test_the_line_of_the_baseline_is_its_curve_on_our_clock(
    view: nbprof.Explorer,
) -> None:
    lines = lines_of(chart_of(view))
    [name] = [name for name in lines if name.startswith("baseline ")]
    assert lines[name].dash
    trace = view.profile.trace(**OTHER)  # type: ignore[union-attr, arg-type]
    own = view.trace
    steps = [np.asarray(one.model.steps.host_start_ns) for one in (own, trace)]
    shift_us = (int(steps[0][0]) - int(steps[1][0])) / 1000
    curve = trace.memory_curve()
    gpu = [row for row in curve.to_pylist() if row["device_type"] == "gpu"]
    times = np.array([row["time_us"] for row in gpu]) + shift_us
    values = np.array([row["allocated_bytes"] for row in gpu])
    columns = lines[name].source.columns
    plane = chart_of(view).geometry
    assert plane is not None
    drawn_us = np.asarray(columns["time"]) * 1000  # the axis is in ms
    for at, last in list(zip(drawn_us, columns["last"], strict=True))[5::40]:
        pixel = (plane["end_us"] - plane["start_us"]) / (632 - plane["left"] - plane["right"])
        near = values[
            np.searchsorted(times, at, "right") - 1 : np.searchsorted(times, at + pixel, "right")
            + 1
        ]
        assert np.min(np.abs(near / plane["bytes"] - last)) < 1e-9
    assert drawn_us[-1] <= trace.model.metadata["end_ns"] / 1000 + shift_us + 1e-6
    [peak] = [text for text, _, _ in python_texts(chart_of(view)) if text.startswith("Peak ")]
    assert ", baseline 1.49 GiB (" in peak


def test_without_a_baseline_nothing_changes(view: nbprof.Explorer) -> None:
    alone = nbprof.Explorer(RUNS, run=RUN, worker="worker0")
    chart = chart_of(alone)
    assert not [name for name in lines_of(chart) if name.startswith("baseline")]
    assert not [text for text, _, _ in python_texts(chart) if "aseline" in text]
    assert "aseline" not in alone.static().html
    assert "Long dashes show the baseline" in view.static().html


def test_a_trace_against_itself_has_the_same_curve_and_peak() -> None:
    same = {"run": RUN, "worker": "worker0", "span": 1}
    view = nbprof.Explorer(RUNS, run=RUN, worker="worker0", baseline=same)
    chart = chart_of(view)
    lines = lines_of(chart)
    own, other = lines["allocated GPU 0"].source.columns, lines["baseline GPU 0"].source.columns
    assert np.allclose(own["last"], other["last"])
    assert any("(as before)" in text for text, _, _ in python_texts(chart))


def test_the_reply_has_both_peaks(open_page: Any) -> None:
    page = open_page(RUNS, nbprof.MemoryView, run=RUN, worker="worker0")
    state = {**page.state(), "baseline": OTHER}
    reply, _ = page.ask("memory", state=state, width=632, align={"step": 3})
    [peak] = reply["result"]["peaks"]
    before = page.view.profile.trace(**OTHER).memory_peak().to_pylist()
    assert peak["before"] == {row["device_type"]: row["peak_bytes"] for row in before}["gpu"]
    reply, _ = page.ask("memory", state=page.state(), width=632)
    assert "before" not in reply["result"]["peaks"][0]
    gone = {**state, "baseline": {**OTHER, "run": "nowhere"}}
    reply, _ = page.ask("memory", state=gone, width=632)
    assert reply["result"]["peaks"][0]["before"] is None


def test_without_python_the_chart_is_that_of_python(view: nbprof.Explorer, tmp_path: Path) -> None:
    session, state = view._session, view._state()
    saved = page_state(session, state, "memory", 20_000_000, {"time_unit": "auto"})
    plain = {"run": RUN, "worker": "worker0", "span": 1, "step": "", "baseline": OTHER}
    looks = [(width, device) for width in (340, 632) for device in ("", "all")]
    requests = [
        (
            "memory",
            {
                "state": {**plain, "filter": {}},
                "width": width,
                "unit": "auto",
                "top": 7,
                "memory": {"device": device, "by": "operator"},
            },
        )
        for width, device in looks
    ]
    for (width, device), reply in zip(looks, answers(saved, tmp_path, requests), strict=True):
        chart = chart_of(view, widths={"": width}, memory=Lens(device))
        compare(chart, reply["result"]["figure"]["drawing"], (width, device))
        assert reply["result"]["peaks"][0]["before"] > 0


def test_components_go_together_by_name_only_and_then_the_axis_covers_both(tmp_path: Path) -> None:
    samples = RUNS
    npu = {"run": "npu_convnet_synthetic", "worker": "worker0"}
    alone = nbprof.Explorer(samples, **npu)
    gpu = nbprof.Explorer(samples, **npu, baseline=OTHER)
    parts = Lens(by="component")
    assert chart_of(gpu, memory=parts).geometry == chart_of(alone, memory=parts).geometry
    assert not [name for name in lines_of(chart_of(gpu, memory=parts)) if "baseline" in name]
    assert "baseline GPU 1" in lines_of(chart_of(gpu)), "devices of other kinds go together"
    same = nbprof.Explorer(samples, **npu, baseline={**npu, "span": 1})
    names = [name for name in lines_of(chart_of(same, memory=parts)) if "baseline" in name]
    assert {name.partition(" ")[2] for name in names} == {"APP", "PTA", "GE"}
    for view in (gpu, same):
        state = view._state()
        saved = page_state(view._session, state, "memory", 20_000_000, {"time_unit": "auto"})
        asked = {
            "state": {**npu, "span": 1, "step": "", "filter": {}},
            "width": 632,
            "unit": "auto",
        }
        [reply] = answers(saved, tmp_path, [("memory", {**asked, "memory": {"by": "component"}})])
        compare(chart_of(view, memory=parts), reply["result"]["figure"]["drawing"], view.baseline)
