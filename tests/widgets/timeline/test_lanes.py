"""The traits of the lanes: accepted and rejected values, and where they are saved."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from traitlets import TraitError

import nbprof

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page

ARRANGED = {
    "order": ["gpu:0:20", "device:0"],
    "hidden": ["cpu:1:2"],
    "pinned": ["gpu:0:7"],
    "collapsed": {"cpu:1:1": True, "cpu:1:1:frames": False},
    "heights": {"gpu:0:7": 40, "utilization:0": 80.5},
}


def test_lanes_can_be_given_observed_and_assigned(open_page: Any, logs: Path) -> None:
    page: Page = open_page(logs, nbprof.TimelineView, lanes=ARRANGED, timeline_height=600)
    view = page.view
    assert (view.lanes, view.timeline_height) == (ARRANGED, 600)
    seen: list[Any] = []
    view.observe(lambda change: seen.append(change["new"]), ["lanes", "timeline_height"])
    page.save(lanes={"pinned": ["gpu:0:7"]})
    page.save(timeline_height=None)
    view.lanes = {"hidden": ("a", "b", "a"), "order": []}
    assert seen == [{"pinned": ["gpu:0:7"]}, None, {"hidden": ["a", "b"]}]
    view.lanes = None
    assert view.lanes == {}
    assert open_page(logs).view.lanes == {}


@pytest.mark.parametrize("change", [{"run": "runB"}, {"worker": "worker1"}, {"span": 2}])
def test_they_are_kept_for_other_traces(open_page: Any, logs: Path, change: Any) -> None:
    page: Page = open_page(logs, view="timeline", lanes=ARRANGED, timeline_height=200)
    page.save(**change)
    assert (page.view.lanes, page.view.timeline_height) == (ARRANGED, 200)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"pined": []}, "no field 'pined'.*pinned"),
        ({"pinned": "gpu:0:7"}, "pinned is a list of keys"),
        ({"hidden": [7]}, "hidden is a list of keys"),
        ({"collapsed": ["a"]}, "collapsed is a dict from keys"),
        ({"collapsed": {"a": 1}}, "collapsed of 'a' is True or False, not 1"),
        ({"heights": {"a": 0}}, "heights of 'a' is a number of pixels above 0, not 0"),
        ({"heights": {"a": float("nan")}}, "not nan"),
        ({"heights": {"a": True}}, "not True"),
        ({"heights": {7: 1}}, "heights is a dict from keys"),
        (["gpu:0:7"], "a dict of order, hidden, pinned"),
    ],
)
def test_anything_else_is_refused(open_page: Any, logs: Path, value: Any, words: str) -> None:
    view = open_page(logs, view="timeline", lanes=ARRANGED).view
    with pytest.raises(TraitError, match=words):
        view.lanes = value
    assert view.lanes == ARRANGED


@pytest.mark.parametrize("height", [59, 20_001, "tall", 80.5])
def test_heights_have_limits(open_page: Any, logs: Path, height: Any) -> None:
    with pytest.raises(TraitError, match="timeline_height"):
        open_page(logs, view="timeline", timeline_height=height)


def test_pages_and_saved_notebooks_have_them(open_page: Any, logs: Path, tmp_path: Path) -> None:
    view = open_page(logs, view="timeline", lanes=ARRANGED, timeline_height=300).view
    state = view.get_state()
    assert (state["lanes"], state["timeline_height"]) == (ARRANGED, 300)
    text = view.to_html(tmp_path / "page.html").read_text("utf-8")
    found = re.search(r'"lanes":\s*(\{.*?\}\})', text)
    assert found
    assert json.loads(found[1]) == ARRANGED
    assert re.search(r'"timeline_height":\s*300', text)
