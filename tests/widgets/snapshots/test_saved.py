"""Memory snapshots without Python: the saved levels and moments, and what is left out."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.support.programs.offline import answers
from tests.support.recordings.training_snapshot import training
from tests.widgets.saved.test_saved_answers import made

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page


@pytest.fixture
def snap(open_page: Any, tmp_path: Path) -> Page:
    path = tmp_path / "training.pickle"
    path.write_bytes(pickle.dumps(training()))
    page: Page = open_page(nbprof.load(path, progress=False), view="memory")
    return page


def test_saved_answers_are_those_of_python(snap: Page, tmp_path: Path) -> None:
    state = snap.state()
    screen = {"state": state, "width": 1600, "height": 200}
    low, high = snap.result("blocks", **screen)["extent"]
    quarter = [low, low + (high - low) / 4]
    last = snap.result("segments", state=state, width=1200)["last"]
    asked = [
        ("blocks", screen),
        ("blocks", {**screen, "axis": "events"}),
        ("blocks", {**screen, "range": quarter}),
        ("segments", {"state": state, "width": 1200}),
        ("segments", {"state": state, "width": 1200, "moment": last}),
    ]
    replies = answers(made(snap), tmp_path, asked)
    for (op, params), reply in zip(asked, replies, strict=True):
        assert "error" not in reply, reply
        assert reply["result"] == snap.result(op, **params)
        assert len(reply["buffers"]) == 2


def test_what_is_not_saved_says_so(snap: Page, tmp_path: Path) -> None:
    state = snap.state()
    screen = {"state": state, "width": 1600, "height": 200}
    asked = [
        ("blocks", {**screen, "search": "attention"}),
        ("blocks", {**screen, "range": [10, 11], "axis": "events"}),
        ("segments", {"state": state, "width": 1200, "at": 50.0}),
    ]
    for reply in answers(made(snap), tmp_path, asked):
        assert reply["error"]["type"] == "NeedsPython"


def test_the_tables_are_saved(snap: Page, tmp_path: Path) -> None:
    lens = {"device": "gpu:0", "range": None}
    asked = [
        ("page", {"state": snap.state(), "table": name, "memory": lens})
        for name in ("memory_blocks", "memory_segments")
    ]
    for (op, params), reply in zip(asked, answers(made(snap), tmp_path, asked), strict=True):
        assert "error" not in reply, reply
        assert reply["result"]["total"] == snap.result(op, **params)["total"] > 0


def test_a_live_snapshot_equals_a_dumped_one(tmp_path: Path) -> None:
    content = training()
    path = tmp_path / "training.pickle"
    path.write_bytes(pickle.dumps(content))
    dumped = nbprof.load(path, progress=False).trace()
    profile = nbprof.load(content, progress=False)
    live = profile.trace()
    for table in ("memory_blocks", "memory_segments", "memory_holders", "memory_curve"):
        assert live.table(table).equals(dumped.table(table))
    profile.refresh()
    assert profile.trace().memory_blocks().num_rows == live.memory_blocks().num_rows


def test_a_dict_of_ranks_is_not_a_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "training.pickle"
    path.write_bytes(pickle.dumps(training()))
    profile = nbprof.load({3: path}, progress=False)
    assert [file.rank for file in profile.files] == [3]
