"""Traits: accepted values, consistency, and the properties derived from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from bokeh.models import ColumnDataSource
from bokeh.plotting import figure
from traitlets import TraitError

import nbprof

from .conftest import STACK, Page

if TYPE_CHECKING:
    from pathlib import Path


def test_the_first_trace_is_shown(page: Page, logs: Path) -> None:
    view = page.view
    assert (view.run, view.worker, view.span) == ("runA", "worker0", 1)
    assert (view.active, view.group_by, view.filter, view.time_range) == ("overview", "", {}, None)
    assert view.views == [
        "overview",
        "operators",
        "kernels",
        "roofline",
        "timeline",
        "memory",
        "modules",
        "functions",
        "distributed",
        "diff",
    ]
    assert isinstance(view.profile, nbprof.Profile)
    assert view.trace.path == str(next((logs / "runA").glob("worker0*1.pt.trace.json")))
    assert repr(view) == "<nbprof.Explorer runA · worker0 · span 1: overview>"


def test_run_worker_and_span_are_followed(open_page: Any, logs: Path) -> None:
    view = open_page(logs, worker="worker0", span=2).view
    assert (view.run, view.worker, view.span) == ("runA", "worker0", 2)
    assert view.trace.steps()["step"].to_pylist() == [4, 5]
    view.run = "runB"
    assert (view.worker, view.span) == ("cpu0", 1)
    assert view.trace.kernels().num_rows == 0
    for trait, value in (("run", "runC"), ("worker", "worker0"), ("span", 2)):
        with pytest.raises(TraitError, match="There is no"):
            setattr(view, trait, value)
    assert (view.run, view.worker, view.span) == ("runB", "cpu0", 1)


@pytest.mark.parametrize("wrong", [{"run": "runC"}, {"worker": "worker9"}, {"span": 7}])
def test_a_trace_that_is_not_there_is_refused(logs: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(TraitError, match="There is no"):
        nbprof.Explorer(logs, **wrong)


def test_a_filter_may_be_given_in_every_form(open_page: Any, logs: Path) -> None:
    plain = {"steps": [1, 2], "name": "conv"}
    for given in (
        {"filter": nbprof.Filter(steps=(1, 2), name="conv")},
        {"filter": {"steps": (1, 2), "name": "conv"}},
        {"steps": (1, 2), "name": "conv"},
        {"filter": {"steps": (2, 3), "name": "conv"}, "steps": [1, 2]},
        {"filter": nbprof.Filter(name="conv"), "steps": [1, 2]},
    ):
        view = open_page(logs, **given).view
        assert view.filter == plain
        assert view.trace.active_filter == nbprof.Filter(steps=(1, 2), name="conv")
    view.filter = nbprof.Filter(steps=3)
    assert view.filter == {"steps": [3, 3]}
    view.filter = None
    assert view.filter == {}


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ({"name": "/(/"}, "regular expression"),
        ({"steps": (3, 1)}, "backwards"),
        ({"stepz": 1}, "Did you mean 'steps'"),
        ({"time_us": (0, float("inf"))}, "finite"),
        ({"kinds": ["kernle"]}, "kernle"),
        ("conv", "Filter or a dict"),
    ],
)
def test_a_filter_that_cannot_be_applied_is_refused(page: Page, value: Any, word: str) -> None:
    page.view.filter = {"name": "before"}
    with pytest.raises(TraitError, match=word):
        page.view.filter = value
    assert page.view.filter == {"name": "before"}


def test_filter_and_time_range_mirror_each_other(open_page: Any, logs: Path) -> None:
    page = open_page(logs, name="conv", time_range=(10, 20))
    view = page.view
    assert view.filter == {"name": "conv", "time_us": [10.0, 20.0]}
    before = len(page.comm.sent)
    view.time_range = [30, 40]
    assert view.filter == {"name": "conv", "time_us": [30.0, 40.0]}
    assert page.updates(before) == {"time_range": [30.0, 40.0], "filter": view.filter}
    view.filter = {"time_us": (1, 2)}
    assert view.time_range == [1.0, 2.0]
    view.filter = {"name": "x"}
    assert view.time_range is None
    view.time_range = (5, 6)
    view.time_range = None
    assert view.filter == {"name": "x"}
    for wrong in ([2, 1], [1], "ab", [0, float("nan")]):
        with pytest.raises(TraitError, match="time"):
            view.time_range = wrong
    assert view.filter == {"name": "x"}


def test_the_page_may_write_either_of_them(page: Page) -> None:
    view = page.view
    page.save(time_range=[10, 20])
    assert view.filter == {"time_us": [10.0, 20.0]}
    page.save(filter={"time_us": [1, 2], "name": "a"})
    assert view.time_range == [1.0, 2.0]
    page.save(filter={}, time_range=[7, 8])
    assert (view.filter, view.time_range) == ({}, None)
    page.save(filter={"time_us": [3, 4]}, time_range=None)
    assert (view.filter, view.time_range) == ({"time_us": [3.0, 4.0]}, [3.0, 4.0])


def test_each_view_remembers_its_grouping(page: Page) -> None:
    view = page.view
    view.active = "operators"
    assert view.group_by == "name"
    view.group_by = "name+shape"
    view.active = "kernels"
    assert view.group_by == "name"
    view.group_by = "properties"
    view.active = "overview"
    assert view.group_by == ""
    view.active = "operators"
    assert view.group_by == "name+shape"
    view.active = "kernels"
    assert view.group_by == "properties"
    view.group_by = ""
    assert view.group_by == "name"
    with pytest.raises(TraitError, match=r"name, name\+stack, properties"):
        view.group_by = "name+shape"
    view.active = "overview"
    with pytest.raises(TraitError, match="not grouped"):
        view.group_by = "name"
    with pytest.raises(TraitError, match="Did you mean 'operators'"):
        view.active = "operator"


def test_the_page_may_change_view_grouping_and_selection_at_once(page: Page) -> None:
    view = page.view
    messages = page.save(active="operators", group_by="name+shape", selection=[{"name": "a"}])
    assert (view.active, view.group_by) == ("operators", "name+shape")
    assert view.selection == [{"name": "a"}]
    assert not [m for m, _ in messages if m.get("method") == "custom"]
    page.save(active="kernels")
    assert (view.group_by, view.selection) == ("name", [{"name": "a"}]), "a name goes along"
    page.save(selection=[{"name": "b"}])
    page.save(group_by="properties")
    assert view.selection == []
    page.save(active="operators")
    assert view.group_by == "name+shape"


def test_table_and_selected_are_those_on_screen(page: Page) -> None:
    view = page.view
    trace = view.trace
    assert view.table.equals(trace.overview())
    view.active = "operators"
    assert view.table.equals(trace.operators())
    assert view.selected.num_rows == 0
    view.selection = [{"name": "aten::add"}, {"name": "not there"}]
    assert view.selected["name"].to_pylist() == ["aten::add"]
    view.group_by = "name+stack"
    view.selection = [{"name": "aten::conv2d", "call_stack": STACK}]
    assert view.selected.num_rows == 1
    view.filter = {"steps": 2}
    assert view.table.equals(trace.filter(steps=2).operators("name+stack"))
    assert view.selected["calls"].to_pylist() == [1]
    view.active = "kernels"
    view.selection = {"name": "add_kernel"}
    assert view.selected["total_us"].to_pylist() == [52.0]
    with pytest.raises(TraitError, match="not a key column"):
        view.selection = [{"call_stack": STACK}]
    for wrong in ("all", [1], [{}], [{"name": ["a"]}]):
        with pytest.raises(TraitError, match="key columns"):
            view.selection = wrong


def test_figures_are_kept_while_nothing_changes(page: Page) -> None:
    view = page.view
    assert isinstance(view.figure, figure)
    assert view.figure is view.figures["steps"]
    view.figure.title = "Mine"
    assert view.figure.title.text == "Mine"
    view.active = "operators"
    assert view.figure is view.figures["device_self"]
    view.active = "kernels"
    assert view.figure is view.figures["total_time"]
    view.filter = {"name": "nothing like it"}
    assert list(view.figures) == ["total_time", "tensor_cores"], "with all kernels, muted"
    view.filter = {}
    view.run = "runB"
    view.active = "operators"
    assert view.figure is view.figures["host_self"]


def test_python_changes_are_told_to_the_page_and_heard_in_python(page: Page) -> None:
    heard: list[Any] = []
    page.view.observe(lambda change: heard.append(change.new), "filter")
    before = len(page.comm.sent)
    page.view.filter = nbprof.Filter(steps=2)
    assert page.updates(before) == {"filter": {"steps": [2, 2]}}
    page.save(filter={"steps": [1, 1]})
    assert heard == [{"steps": [2, 2]}, {"steps": [1, 1]}]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"stepss": (1, 2)}, "Did you mean 'steps'"),
        ({"wroker": "w"}, "Did you mean 'worker'"),
        ({"colour": 1}, "Unexpected keyword argument 'colour'"),
    ],
)
def test_a_mistyped_argument_names_the_likely_one(
    logs: Path, options: dict[str, Any], word: str
) -> None:
    with pytest.raises(TypeError, match=word):
        nbprof.Explorer(logs, **options)
    with pytest.raises(TypeError, match=word):
        nbprof.show(logs, **options)


@pytest.mark.parametrize(
    ("view_class", "name"),
    [
        (nbprof.OverviewView, "overview"),
        (nbprof.OperatorsView, "operators"),
        (nbprof.KernelsView, "kernels"),
        (nbprof.TimelineView, "timeline"),
    ],
)
def test_a_view_stands_alone(open_page: Any, logs: Path, view_class: type, name: str) -> None:
    view = open_page(logs, view_class, steps=2).view
    assert (view.views, view.active, view.filter) == ([name], name, {"steps": [2, 2]})
    assert view.table.num_rows
    assert repr(view).startswith(f"<nbprof.{view_class.__name__} ")
    other = "kernels" if name == "overview" else "overview"
    with pytest.raises(TraitError, match=f"There is no view '{other}'"):
        view.active = other
    with pytest.raises(TypeError, match="one view"):
        view_class(logs, view=name)


def test_a_trace_is_shown_with_its_filter(open_page: Any, logs: Path) -> None:
    trace = nbprof.load(logs).trace("runA", "worker1").filter(steps=(1, 2))
    page = open_page(trace, name="conv")
    view = page.view
    assert (view.run, view.worker, view.filter) == (
        "runA",
        "worker1",
        {"steps": [1, 2], "name": "conv"},
    )
    assert view.profile is None
    assert view.trace.model is trace.model
    view.filter = {}
    assert view.table.equals(trace.filter(nbprof.Filter()).overview())
    assert [r["run"] for r in page.result("catalog")["runs"]] == ["runA"]
    assert page.result("refresh")["skipped"] == []
    assert page.error("trace", state={"run": "runB"})["type"] == "UnknownNameError"


def test_every_source_of_load_can_be_shown(open_page: Any, logs: Path) -> None:
    files = sorted((logs / "runA").glob("worker*1.pt.trace.json"))
    profile = nbprof.load(logs)
    for source in (profile, str(logs), files, {0: files[0], 1: files[1]}, str(logs / "*A" / "*")):
        view = open_page(source).view
        assert view.table.num_rows == 9
    assert open_page(profile).view.profile is profile


def test_the_number_of_slices_is_that_of_every_chart_by_name(open_page: Any, logs: Path) -> None:
    view = open_page(logs, view="operators", top=1).view
    slices = view.figures["host_self"].select_one({"name": "slices", "type": ColumnDataSource})
    assert [label.split()[-1] for label in slices.data["label"]] == ["conv2d", "others"]
    assert open_page(logs, view="operators", top=None).view.top is None
    view.top = None
    slices = view.figures["host_self"].select_one({"name": "slices", "type": ColumnDataSource})
    assert len(slices.data["label"]) > 2
    for wrong in (0, -1, 2.5, "many"):
        with pytest.raises(TraitError):
            view.top = wrong
    assert view.top is None
