"""The trait `notes`: accepted values, and notes in pages and summaries, escaped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from traitlets import TraitError

import nbprof
from nbprof.widgets.notes import MOST_NOTES, MOST_TEXT
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page

RUN = "gpu_resnet_synthetic"
EVIL = "</script><img src=x onerror=alert(1)>\u202e & done"


@pytest.fixture
def timeline(open_page: Any, logs: Path) -> Page:
    return open_page(logs, nbprof.TimelineView)


def test_only_times_are_needed_and_the_rest_is_that_of_the_screen(timeline: Page) -> None:
    view = timeline.view
    view.notes = [{"start_ns": 10, "end_ns": 20, "text": "slow"}]
    assert view.notes == [
        {
            "run": view.run,
            "worker": view.worker,
            "span": view.span,
            "lane": "",
            "depth": -1,
            "side": "",
            "row": -1,
            "start_ns": 10,
            "end_ns": 20,
            "name": "",
            "text": "slow",
        }
    ]


def test_notes_are_given_observed_and_written_by_the_browser(open_page: Any, logs: Path) -> None:
    first = {"start_ns": 10, "end_ns": 20, "text": "slow"}
    page = open_page(logs, nbprof.TimelineView, notes=[first])
    view = page.view
    assert view.notes[0]["worker"] == view.worker
    heard: list[Any] = []
    view.observe(lambda change: heard.append([one["text"] for one in change.new]), "notes")
    page.save(notes=[*view.notes, {**view.notes[0], "start_ns": 12.0, "text": "second"}])
    assert heard == [["slow", "second"]]
    assert view.notes[1]["start_ns"] == 12
    assert isinstance(view.notes[1]["start_ns"], int)
    again = nbprof.TimelineView(view.profile, notes=view.notes)
    assert again.notes == view.notes


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ([{"end_ns": 5}], "start_ns is a whole number"),
        ([{"start_ns": 6, "end_ns": 5}], "backwards"),
        ([{"start_ns": 0.5, "end_ns": 5}], "whole number"),
        ([{"start_ns": float("nan"), "end_ns": 5}], "whole number"),
        ([{"start_ns": True, "end_ns": 5}], "whole number"),
        ([{"start_ns": 0, "end_ns": 2**60}], "whole number"),
        ([{"start_ns": 0, "end_ns": 5, "text": 7}], "text is a text"),
        ([{"start_ns": 0, "end_ns": 5, "text": "x" * (MOST_TEXT + 1)}], "the limit is 2,000"),
        ([{"start_ns": 0, "end_ns": 5, "txt": "x"}], "no field 'txt'.*text"),
        (["slow"], "a note is a dict"),
        ([{"start_ns": 0, "end_ns": 5}] * (MOST_NOTES + 1), "limit of 1,000"),
        ("slow", "notes"),
    ],
)
def test_what_is_no_note_is_refused(timeline: Page, value: Any, word: str) -> None:
    timeline.view.notes = [{"start_ns": 1, "end_ns": 2}]
    with pytest.raises(TraitError, match=word):
        timeline.view.notes = value
    assert len(timeline.view.notes) == 1


def test_notes_survive_filters_and_other_workers(open_page: Any) -> None:
    page = open_page(RUNS, nbprof.TimelineView, run=RUN)
    view = page.view
    view.notes = [{"start_ns": 1, "end_ns": 2, "text": "of the first"}]
    kept = view.notes
    view.filter = {"steps": (3, 4)}
    view.worker = "worker1"
    assert view.notes == kept
    assert "of the first" not in view.static().html
    view.worker = "worker0"
    assert "of the first" in view.static().html


def test_summaries_and_pages_list_them_escaped(tmp_path: Path) -> None:
    lane = "gpu:0:7"
    note = {"lane": lane, "start_ns": 1_500_000, "end_ns": 2_500_000, "text": EVIL}
    view = nbprof.TimelineView(RUNS / RUN, notes=[note])
    found = view.static()
    assert "<img src=x" not in found.html
    assert "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;" in found.html
    assert "\u202e" not in found.html
    assert lane in found.html
    lines = str(found).splitlines()
    at = lines.index("Notes")
    assert lines[at + 1].startswith("  1.5 ms, gpu:0:7: </script>")

    text = view.to_html(tmp_path / "page.html").read_text("utf-8")
    assert "<img src=x" not in text
    traits = text.split('id="nbprof-traits">')[1].split("</script>")[0]
    assert json.loads(traits)["notes"] == view.notes


def test_without_notes_summaries_have_no_section() -> None:
    view = nbprof.TimelineView(RUNS / RUN)
    assert "Notes" not in view.static().html
    assert "Notes" not in str(view.static()).splitlines()
