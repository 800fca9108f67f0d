"""Charts under a filter keep all steps and names, mute those outside, and change no value."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import nbprof
from nbprof.charts.chart import Chart
from nbprof.widgets.views.drawing.figures import charts_of
from nbprof.widgets.views.drawing.look import Look
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.registry import VIEWS
from tests.conftest import ROOT
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from collections.abc import Mapping

SAMPLES = (
    "gpu_resnet_synthetic",
    "npu_convnet_synthetic",
    "paddle_cpu_convnet",
    "torch_cpu_convnet",
)
pytestmark = pytest.mark.filterwarnings("ignore::nbprof.model.errors.FilterWarning")

CARDS = {"accelerator_cores", "operator_phases"}
ANGLES = {"start", "end", "ink", "muted", "gap", "part_text"}


@pytest.fixture(scope="module", params=SAMPLES)
def view(request: pytest.FixtureRequest) -> nbprof.Explorer:
    return nbprof.Explorer(nbprof.load(RUNS / request.param))


def charts(
    view: nbprof.Explorer, name: str, filter_: nbprof.Filter, top: int | None = None
) -> dict[str, Chart]:
    screen = Screen(view._session, replace(view._state(), filter=filter_))
    found = charts_of(VIEWS[name], screen, Look(unit="ms", top=top))
    return {key: one for key, one in found.items() if isinstance(one, Chart)}


def rows(chart: Chart, key: str) -> dict[Any, dict[str, Any]]:
    """Return the rows of what can be selected in a chart, by a column."""
    assert chart.items is not None
    columns: Mapping[str, Any] = next(
        mark.source.columns for mark in chart.marks if mark.source.name == chart.items.source
    )
    plain = {name: np.asarray(values).tolist() for name, values in columns.items()}
    return {
        plain[key][at]: {name: values[at] for name, values in plain.items()}
        for at in range(len(plain[key]))
    }


def veils(chart: Chart) -> list[tuple[float, float]]:
    [columns] = [mark.source.columns for mark in chart.marks if mark.source.name == "veil"]
    return list(zip(columns["left"], columns["right"], strict=True))


@pytest.mark.parametrize("fields", [{}, {"name": "conv"}])
def test_a_step_filter_keeps_all_bars(view: nbprof.Explorer, fields: dict[str, Any]) -> None:
    numbers = view.trace.steps()["step"].to_pylist()
    whole = charts(view, "overview", nbprof.Filter(**fields))
    chosen = numbers[-1:]
    filtered = charts(view, "overview", nbprof.Filter(steps=chosen[0], **fields))
    for figure in ("steps", "stages", "npu_steps"):
        if figure not in whole or figure not in filtered:
            continue
        before, after = rows(whole[figure], "step"), rows(filtered[figure], "step")
        assert list(after) == list(before) or figure == "npu_steps"
        assert {step for step, row in after.items() if not row["muted"]} == {*chosen} & {*after}
        for step, row in after.items():
            same = {key: value for key, value in before[step].items() if key != "muted"}
            assert {key: row[key] for key in same} == pytest.approx(same), (figure, step)
        pale = len(after) - len({*chosen} & {*after})
        assert sum(round(right - left) for left, right in veils(filtered[figure])) == pale
    if "steps" not in whole:
        assert view.trace.filter(**fields).steps().num_rows <= 1


def test_a_range_of_time_keeps_all_bars(view: nbprof.Explorer) -> None:
    steps = view.trace.steps()
    end_us = steps["end_us"][0].as_py()
    filtered = nbprof.Filter(time_us=(steps["start_us"][0].as_py(), end_us))
    own = view.trace.filter(filtered).steps()["step"].to_pylist()
    found = rows(charts(view, "overview", filtered)["steps"], "step")
    assert list(found) == steps["step"].to_pylist()
    assert [step for step, row in found.items() if not row["muted"]] == own


@pytest.mark.parametrize("name", ["conv", "relu", "no such name"])
@pytest.mark.parametrize("table", ["operators", "kernels"])
@pytest.mark.parametrize("top", [7, None])
def test_a_name_filter_keeps_the_whole_donut(
    view: nbprof.Explorer, table: str, name: str, top: int | None
) -> None:
    whole = charts(view, table, nbprof.Filter(), top)
    filtered = charts(view, table, nbprof.Filter(name=name), top)
    kept = set(view.trace.filter(name=name).table(table)["name"].to_pylist())
    assert {*whole} - CARDS == {*filtered} - CARDS
    for figure in {*whole} - CARDS - {"tensor_cores"}:
        if whole[figure].items is None or filtered[figure].items is None:
            continue
        before, after = rows(whole[figure], "name"), rows(filtered[figure], "name")
        same = {one for one in before if one and one in after}
        assert {one for one in before if one} == same, "what was shown stays"
        for one in same:
            assert {k: v for k, v in after[one].items() if k not in ANGLES} == {
                k: v for k, v in before[one].items() if k not in ANGLES
            } or "middle" in after[one]
            assert after[one]["value"] == before[one]["value"]
            assert after[one]["pct"] == before[one]["pct"]
        assert {one for one, row in after.items() if one and not row["muted"]} <= kept
        if top is None and "start" in next(iter(before.values()), {}):
            told = {one for one, row in after.items() if one and row["muted"] == 0}
            column = "total_us" if table == "kernels" else f"{figure}_us"
            values = view.trace.filter(name=name).table(table)
            pairs = zip(values["name"].to_pylist(), values[column].to_pylist(), strict=True)
            assert {n for n, v in pairs if v} == told or len(before) > 299


def test_the_hole_of_a_donut_says_of_what(view: nbprof.Explorer) -> None:
    filtered = charts(view, "operators", nbprof.Filter(name="conv"))
    for figure, chart in filtered.items():
        if not figure.endswith("_self") or chart.items is None:
            continue
        column = f"{figure}_us"
        parts, wholes = (
            math.fsum(v or 0.0 for v in one.operators()[column].to_pylist()) / 1e3
            for one in (view.trace.filter(name="conv"), view.trace)
        )
        written = chart.labels.source.columns["text"]
        assert written[-1].startswith("of ")
        assert float(written[-2].replace(",", "")) == pytest.approx(parts, abs=0.06)
        assert float(written[-1].split()[1].replace(",", "")) == pytest.approx(wholes, abs=0.06)
        assert any("in the filter)" in text for text in written) or chart.width < 300


def test_nothing_is_muted_without_a_filter(view: nbprof.Explorer) -> None:
    for name in ("overview", "operators", "kernels"):
        for figure, chart in charts(view, name, nbprof.Filter()).items():
            for mark in chart.marks:
                assert not any(mark.source.columns.get("muted", ())), figure
                assert mark.source.name != "veil" or not len(mark.source.columns["left"])


def test_a_static_summary_mutes_only_under_a_filter(view: nbprof.Explorer) -> None:
    steps = view.trace.steps()["step"].to_pylist()
    if len(steps) < 2:
        pytest.skip("one step")
    pale = 'opacity="0.7"'
    assert pale not in view.static()._repr_html_()
    filtered = nbprof.Explorer(nbprof.load(view.trace.file.path), filter={"steps": [steps[0]] * 2})
    html = filtered.static()._repr_html_()
    assert "outside of the filter are pale" in html


def test_charts_of_a_side_without_any_time_are_left_out() -> None:
    recording = ROOT.parent / "shared" / "data" / "kineto" / "mtia_inference"
    if not recording.exists():
        pytest.skip("needs the recording of an MTIA device in ../shared")
    view = nbprof.OperatorsView(recording)
    assert view.table["device_self_us"].null_count == 0  # its kernels belong to no operator
    assert list(view.figures) == ["host_self", "host_total"]
