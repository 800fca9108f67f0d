"""Charts laid out in the browser without Python equal those of Python: sizes, texts, positions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import nbprof
from nbprof.charts.chart import Chart
from nbprof.charts.marks import TextMark
from nbprof.widgets.saved import content
from nbprof.widgets.saved.page import page_state
from nbprof.widgets.saved.parts import SavePlan
from nbprof.widgets.views.drawing.figures import charts_of
from nbprof.widgets.views.drawing.look import Look
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.registry import VIEWS
from tests.support.programs.offline import answers
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ROOM = 20_000_000
SAMPLES = (
    "gpu_resnet_synthetic",
    "npu_convnet_synthetic",
    "paddle_cpu_convnet",
    "torch_cpu_convnet",
)
WIDTHS = (340, 632)
LOOKS: tuple[dict[str, Any], ...] = (
    {"top": 7, "unit": "auto"},
    {"top": 3, "unit": "us"},
    {"top": None, "unit": "ms"},
)
#: Views whose charts are laid out in the browser, by the request for them.
REQUESTS = {
    "overview": "charts",
    "operators": "charts",
    "kernels": "charts",
    "distributed": "charts",
    "roofline": "charts",
    "memory": "memory",
}
#: How far a text may be from where Python has it, px: memory is drawn in whole columns of pixels.
NEAR = 0.5
pytestmark = pytest.mark.filterwarnings("ignore::nbprof.model.errors.FilterWarning")

Text = tuple[str, float, float]


@pytest.fixture(scope="module", params=SAMPLES)
def view(request: pytest.FixtureRequest) -> nbprof.Explorer:
    return nbprof.Explorer(nbprof.load(RUNS), run=request.param)


def python_texts(chart: Chart) -> list[Text]:
    """Return what a chart says and where, in pixels from its upper left corner."""
    (left, right), (low, high) = chart.x, chart.y
    across, down = chart.width / (right - left), chart.height / (high - low)
    marks = [mark for mark in chart.layers() if isinstance(mark, TextMark)]
    columns = [[mark.source.columns[key] for key in ("x", "y", "text")] for mark in marks]
    return [
        (text, (x - left) * across, (high - y) * down)
        for parts in columns
        for x, y, text in zip(*parts, strict=True)
        if text
    ]


def browser_texts(drawing: dict[str, Any]) -> list[Text]:
    shapes = (shape for shape in drawing["shapes"] if shape.get("text"))
    return [(shape["text"], shape["at"]["x"], shape["at"]["y"]) for shape in shapes]


def items_of(chart: Chart) -> dict[str, list[Any]]:
    """Return the columns of what can be selected in a chart."""
    assert chart.items is not None
    [columns] = {
        id(mark.source): mark.source.columns
        for mark in chart.layers()
        if mark.source.name == chart.items.source
    }.values()
    return {name: np.asarray(values).tolist() for name, values in columns.items()}


def is_near(place: Sequence[float], other: Sequence[float]) -> bool:
    return bool(np.allclose(place, other, rtol=0, atol=NEAR))


def compare(chart: Chart, drawing: dict[str, Any], where: object) -> None:
    assert (drawing["width"], drawing["height"]) == (chart.width, chart.height), where
    texts = browser_texts(drawing)
    for text, *place in python_texts(chart):
        near = [one for one in texts if one[0] == text and is_near(one[1:], place)]
        assert near, (where, text, place)
        texts.remove(near[0])
    assert not texts, where
    assert ("items" in drawing) == (chart.items is not None), where
    if chart.items is None:
        return
    for field, value in chart.items._asdict().items():
        same = value if isinstance(value, str) else pytest.approx(value, abs=NEAR)
        assert drawing["items"][field] == same, (where, field)
    columns, own = items_of(chart), drawing["sources"][chart.items.source]
    shared = columns.keys() & own.keys()
    assert shared > {"muted"}, (where, shared)
    for name in shared:
        same = columns[name]
        if name in {"total", "value", "pct", "start", "end", "x", "down", "radius"}:
            same = pytest.approx(same, rel=1e-9, abs=1e-9, nan_ok=True)
        assert own[name] == same, (where, name)


def test_charts_without_python_are_those_of_python(view: nbprof.Explorer, tmp_path: Path) -> None:
    session, state = view._session, view._state()
    saved = page_state(session, state, "overview", ROOM, {"time_unit": "auto"})
    steps = view.trace.steps()["step"].to_pylist()
    filters: tuple[dict[str, Any], ...] = ({}, {"steps": (steps[0], steps[0])}, {"name": "conv"})
    asked = list(product(REQUESTS, filters, WIDTHS, LOOKS))
    plain = {"run": view.run, "worker": view.worker, "span": view.span, "step": ""}
    requests = [
        (REQUESTS[name], {"view": name, "state": {**plain, "filter": f}, "width": width, **look})
        for name, f, width, look in asked
    ]
    compared: Counter[bool] = Counter()
    for (name, fields, width, look), reply in zip(
        asked, answers(saved, tmp_path, requests), strict=True
    ):
        # Steps on a page stay those of all work under a name; the page says so.
        drawn_under = {} if name == "overview" and "name" in fields else fields
        screen = Screen(session, replace(state, filter=nbprof.Filter(**drawn_under)))
        drawn = charts_of(VIEWS[name], screen, Look(widths={"": width}, **look))
        result = reply.get("result", {})
        figures = result.get("figures", {"memory": result.get("figure")})
        for key, chart in drawn.items():
            where = (name, key, fields, width, look)
            if figures.get(key) is not None:
                assert isinstance(chart, Chart), where
                compare(chart, figures[key]["drawing"], where)
                compared[bool(fields)] += 1
            else:  # what cannot be filtered without Python says so
                assert fields or chart is None, where
    assert compared[False]
    assert compared[True]


@pytest.mark.parametrize("kind", ["steps", "time_us", "name", "both"])
def test_a_filter_that_was_saved_mutes_the_rest(
    view: nbprof.Explorer, tmp_path: Path, kind: str
) -> None:
    steps = view.trace.steps()
    first, start = steps["step"][0].as_py(), steps["start_us"][0].as_py()
    half = start + steps["total_us"][0].as_py() / 2
    fields: dict[str, Any] = {
        "steps": {"steps": (first, first)},
        "time_us": {"time_us": (start, half)},
        "name": {"name": "conv"},
        "both": {"steps": (first, first), "name": "conv"},
    }[kind]
    session, filter_ = view._session, nbprof.Filter(**fields)
    state = replace(view._state(), filter=filter_)
    saved = content.make(session, state, SavePlan(ROOM))
    screen, views = Screen(session, state), ("overview", "operators", "kernels")
    plain = {"run": view.run, "worker": view.worker, "span": view.span, "step": ""}
    about = {"state": {**plain, "filter": filter_.to_dict()}, "width": 632, **LOOKS[0]}
    requests = [("charts", {"view": name, **about}) for name in views]
    muted = 0
    for name, reply in zip(views, answers(saved, tmp_path, requests), strict=True):
        drawn = charts_of(VIEWS[name], screen, Look(widths={"": 632}, **LOOKS[0]))
        figures = reply["result"]["figures"]
        assert figures.keys() == {key for key, chart in drawn.items() if chart}, (name, kind)
        for key, chart in drawn.items():
            if isinstance(chart, Chart):
                compare(chart, figures[key]["drawing"], (name, key, kind))
                muted += sum(items_of(chart).get("muted", ())) if chart.items else 0
    assert muted or (len(steps) == 1 and kind in {"steps", "time_us"})
