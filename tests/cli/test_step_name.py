"""``--step-name``: annotations as steps of a trace without prof.step()."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.recordings.labels import write_labelled

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.running import Call


@pytest.fixture
def served(tmp_path: Path) -> Path:
    return write_labelled(tmp_path / "served.pt.trace.json")


def test_info_names_the_labels_that_repeat(nbprof: Call, served: Path) -> None:
    assert "4 steps: step[…] (--step-name 'step[')" in nbprof("info", served).text
    chosen = nbprof("info", served, "--step-name", "step[").text
    assert "4 by the label step[, numbers 0 to 3" in chosen


def test_tables_are_by_these_steps(nbprof: Call, served: Path) -> None:
    words = ("steps", "--columns", "step", "--format", "csv")
    assert nbprof("table", served, *words).text.split() == ["step", "0"]
    assert nbprof("table", served, *words, "--step-name", "step[").text.split()[1:] == list("0123")
    narrow = nbprof("table", served, *words, "--step-name", "/DECODE/", "--steps", "1:2")
    assert narrow.text.split()[1:] == ["1", "2"]


def test_a_label_that_is_not_there_is_an_error_that_says_what_is(
    nbprof: Call, served: Path
) -> None:
    found = nbprof("table", served, "steps", "--step-name", "nowhere")
    assert found.status == 2
    assert "no annotation matches 'nowhere'. These repeat: 'step['" in found.err
    assert nbprof("table", served, "steps", "--step-name", "/(/").status == 2


def test_a_trace_that_is_written_keeps_its_steps(
    nbprof: Call, served: Path, tmp_path: Path
) -> None:
    out = tmp_path / "part.json"
    assert nbprof("trace", served, "--step-name", "step[", "--steps", "1:2", "-o", out).status == 0
    head = json.loads(out.read_text())["nbprof"]
    assert head["step_name"] == "step["
    assert len(head["step_numbers"]) == len(head["steps"])
    words = ("steps", "--steps", "1:2", "--columns", "step", "--format", "csv")
    assert nbprof("table", out, *words).text.split()[1:] == ["1", "2"]


def test_the_page_has_these_steps(nbprof: Call, served: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    assert nbprof("html", served, "--step-name", "step[", "-o", out).status == 0
    assert "step[" in out.read_text()
