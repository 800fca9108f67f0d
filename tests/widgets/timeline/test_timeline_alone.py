"""The timeline of a page marks and counts the slices of a name as Python does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.widgets.saved import content
from nbprof.widgets.saved.page import page_state
from nbprof.widgets.saved.parts import SavePlan
from tests.support.programs.offline import answers, parts
from tests.support.recordings.runs import RUNS
from tests.widgets.conftest import Page, table_of

if TYPE_CHECKING:
    from pathlib import Path

ALL_ROOM = 60_000_000
SAMPLES = ("gpu_resnet_synthetic", "torch_cpu_convnet", "npu_convnet_synthetic")
#: Parts of names as shown and as recorded, expressions, and what no slice is called.
NAMES = ("conv", "CONV", "gemm", "void at::native", "/^aten::(add|mul)_?$/", "/x|step/", "nothing")


@pytest.fixture(scope="module")
def profile() -> nbprof.Profile:
    return nbprof.load(RUNS)


@pytest.fixture(params=SAMPLES)
def page(request: pytest.FixtureRequest, open_page: Any, profile: nbprof.Profile) -> Page:
    return open_page(profile, run=request.param)


def kept(page: Page) -> bytes:
    view = page.view
    return page_state(view._session, view._state(), "overview", ALL_ROOM, {"time_unit": "auto"})


def about(saved: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(parts(saved, "timeline")[0])
    return found


def marked(info: dict[str, Any], mark: str) -> dict[str, bool]:
    chosen = set(info[mark])
    return {name: at in chosen for at, name in enumerate(info["names"])}


def test_a_name_filter_and_a_search_mark_the_same_names(page: Page, tmp_path: Path) -> None:
    saved = kept(page)
    layout = about(saved)["layout"]
    last = max(lane["first_row"] + lane["depths"] for lane in layout["lanes"])
    # All rows in the whole trace, as finely as Python can.
    whole = {"start_ns": layout["start_ns"], "end_ns": layout["end_ns"]}
    whole |= {"rows": [[0, last]], "width": 16_384}
    requests = [
        ("slices", {"state": page.state(name=name), "search": search, **whole})
        for name, search in [*zip(NAMES, reversed(NAMES), strict=True), ("conv", "/(/")]
    ]
    for (op, params), reply in zip(requests, answers(saved, tmp_path, requests), strict=True):
        info, python = reply["result"], page.result(op, **params)
        assert [len(reply["buffers"]), info["group_by"]] == [2, "thread"]
        for mark in ("dimmed", "matches"):
            own, other = marked(info, mark), marked(python, mark)
            shared = own.keys() & other.keys()
            assert len(shared) > max(20, len(own) / 2)
            assert {key: own[key] for key in shared} == {key: other[key] for key in shared}


def test_slices_are_counted_and_found_alike(page: Page, tmp_path: Path) -> None:
    saved = kept(page)
    stored = about(saved)
    table = table_of(parts(saved, "timeline")[1]).to_pylist()
    assert not any(row["block"] for row in table), "every slice is there"
    ids = [one for row in table for one in row["slice"]]
    middle = (stored["layout"]["start_ns"] + stored["layout"]["end_ns"]) // 2
    requests = [
        ("find", {"state": page.state(), "search": name, "direction": direction, **start})
        for name in NAMES
        for direction in (0, 1, -1)
        for start in ({"from_ns": 0}, {"from_ns": middle}, {"from": ids[7]}, {"from": ids[-7]})
    ]
    counts = set()
    for (op, params), reply in zip(requests, answers(saved, tmp_path, requests), strict=True):
        python = page.result(op, **params)
        assert reply["result"] == python, params
        counts.add(python["count"])
    assert len(counts) > 2


def test_only_slices_that_are_there_one_by_one_are_counted(
    open_page: Any, profile: nbprof.Profile, tmp_path: Path
) -> None:
    page = open_page(profile, run="gpu_resnet_synthetic")
    plan = SavePlan(ALL_ROOM, most_rows=100, timeline_by="thread", timeline_bytes=300_000)
    saved = content.make(page.view._session, page.view._state(), plan)
    stored = about(saved)
    assert "slices are only shown as counts in blocks" in stored["left_out"]
    names, recorded = stored["info"]["names"], stored["recorded"]
    alone = sum(
        "aten" in names[code].lower() or "aten" in recorded.get(names[code], "").lower()
        for row in table_of(parts(saved, "timeline")[1]).to_pylist()
        for code in row["name"]
        if code >= 0
    )
    asked = [("find", {"state": page.state(), "search": text}) for text in ("", "aten")]
    nothing, found = (reply["result"] for reply in answers(saved, tmp_path, asked))
    assert nothing == {"count": 0, "index": 0, "hit": None, "columns": []}
    assert 0 < found["count"] == alone < page.result("find", **asked[1][1])["count"]


def test_other_lanes_than_those_saved_are_not_answered(page: Page, tmp_path: Path) -> None:
    asked = [("slices", {"state": page.state(), "group_by": "module"})]
    (reply,) = answers(kept(page), tmp_path, asked)
    assert reply["error"]["type"] == "NeedsPython"
