"""The traits of the timeline: window, search, selection, arrangement of lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from traitlets import TraitError

import nbprof

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page

AREA = {"lane": "cpu:1:1", "start_us": 10, "end_us": 20.5}


@pytest.fixture
def timeline(open_page: Any, logs: Path) -> Page:
    return open_page(logs, nbprof.TimelineView)


def test_window_and_search_are_given_observed_and_assigned(open_page: Any, logs: Path) -> None:
    page = open_page(logs, nbprof.TimelineView, window=(10, 20), search="conv")
    view = page.view
    assert (view.window, view.search) == ([10.0, 20.0], "conv")
    heard: list[Any] = []
    view.observe(lambda change: heard.append((change.name, change.new)), ["window", "search"])
    before = len(page.comm.sent)
    view.window = [1, 2.5]
    view.search = "/add$/"
    assert page.updates(before) == {"window": [1.0, 2.5], "search": "/add$/"}
    page.save(window=None, search="")
    page.save(window=[3, 4])
    assert heard == [
        ("window", [1.0, 2.5]),
        ("search", "/add$/"),
        ("window", None),
        ("search", ""),
        ("window", [3.0, 4.0]),
    ]


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ([2, 1], "backwards"),
        ([5, 5], "from 5 to 5 is empty"),
        ([0, float("inf")], "finite"),
        ([float("nan"), 1], "window"),
        ([1], "two numbers"),
        ("ab", "two numbers"),
        ([10**400, 10**401], "two numbers"),
    ],
)
def test_a_window_that_shows_nothing_is_refused(timeline: Page, value: Any, word: str) -> None:
    timeline.view.window = (1, 2)
    with pytest.raises(TraitError, match=word):
        timeline.view.window = value
    assert timeline.view.window == [1.0, 2.0]


def test_window_and_search_stay_while_other_traits_change(open_page: Any, logs: Path) -> None:
    view = open_page(logs, view="timeline", window=(10, 20), search="conv").view
    view.filter = {"steps": 2}
    view.time_range = (30, 40)
    view.active = "operators"
    view.group_by = "name+shape"
    view.theme = "dark"
    view.active = "timeline"
    view.group_by = "module"
    view.selection = [{"side": "host", "row": 1}]
    assert (view.window, view.search) == ([10.0, 20.0], "conv")


@pytest.mark.parametrize("change", [{"run": "runB"}, {"worker": "worker1"}, {"span": 2}])
def test_another_trace_starts_anew(open_page: Any, logs: Path, change: dict[str, Any]) -> None:
    page = open_page(logs, view="timeline", window=(10, 20), search="conv")
    view = page.view
    view.selection = [{"side": "host", "row": 1}]
    page.save(**change)
    assert (view.window, view.search, view.selection) == (None, "", [])
    view.window = (10, 20)
    page.save(run="runA", worker="worker0", span=1, window=[1, 2], search="add", selection=[AREA])
    assert (view.window, view.search, view.selection) == ([1.0, 2.0], "add", [AREA])


def test_what_is_given_waits_for_the_first_trace(open_page: Any, tmp_path: Path) -> None:
    from tests.widgets.conftest import write_trace

    (tmp_path / "runA").mkdir()
    page = open_page(tmp_path, nbprof.TimelineView, window=(10, 20), search="conv")
    write_trace(tmp_path / "runA" / "worker0.1700000000001.pt.trace.json")
    page.result("refresh")
    assert page.view.run == "runA"
    assert (page.view.window, page.view.search) == ([10.0, 20.0], "conv")


def test_slices_or_an_area_are_selected(timeline: Page) -> None:
    view = timeline.view
    for value in (
        [{"side": "host", "row": 0}],
        [{"side": "host", "row": 7}, {"side": "device", "row": 2}],
        [AREA],
        [AREA, {**AREA, "lane": "gpu:0:7"}],
        [{"start_us": 1, "end_us": 2}],
        [],
    ):
        view.selection = value
        assert view.selection == value
        timeline.save(selection=[])
        timeline.save(selection=value)
        assert view.selection == value


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ([{"colour": 1}], '"side": "host" or "device"'),
        ([{"side": "host"}], "cannot be selected"),
        ([{"side": "disk", "row": 1}], "cannot be selected"),
        ([{"side": "host", "row": -1}], "cannot be selected"),
        ([{"side": "host", "row": True}], "cannot be selected"),
        ([{"side": "host", "row": 1.5}], "cannot be selected"),
        ([{**AREA, "end_us": 10}], "cannot be selected"),
        ([{**AREA, "end_us": float("inf")}], "cannot be selected"),
        ([{**AREA, "start_us": float("nan")}], "cannot be selected"),
        ([{**AREA, "end_us": 10**400}], "cannot be selected"),
        ([{**AREA, "lane": 7}], "cannot be selected"),
        ([{**AREA, "side": "host"}], "cannot be selected"),
        ([AREA, {"side": "host", "row": 1}], "together"),
        ([AREA, {**AREA, "end_us": 30}], "one range of time"),
        ("all", "list of dicts"),
    ],
)
def test_anything_else_is_refused(timeline: Page, value: Any, word: str) -> None:
    timeline.view.selection = [AREA]
    with pytest.raises(TraitError, match=word):
        timeline.view.selection = value
    assert timeline.view.selection == [AREA]


def test_a_selection_belongs_to_its_view(open_page: Any, logs: Path) -> None:
    page = open_page(logs, view="timeline")
    view = page.view
    view.selection = [AREA]
    view.active = "operators"
    assert view.selection == []
    with pytest.raises(TraitError, match="not a key column"):
        view.selection = [AREA]
    page.save(active="timeline", group_by="module", selection=[AREA], search="conv")
    assert (view.active, view.group_by, view.search) == ("timeline", "module", "conv")
    assert view.selection == [AREA]
    view.active = "overview"
    view.active = "timeline"
    assert (view.group_by, view.selection) == ("module", [])
    with pytest.raises(TraitError, match="thread, module"):
        view.group_by = "name"


def test_traits_of_the_timeline_can_be_linked(open_page: Any, logs: Path) -> None:
    from traitlets import link

    one = open_page(logs, nbprof.TimelineView).view
    other = open_page(logs, nbprof.TimelineView).view
    for name in ("window", "search", "selection"):
        link((one, name), (other, name))
    one.window = (5, 6)
    other.search = "conv"
    one.selection = [{"side": "device", "row": 0}]
    assert (other.window, one.search) == ([5.0, 6.0], "conv")
    assert other.selection == one.selection == [{"side": "device", "row": 0}]
