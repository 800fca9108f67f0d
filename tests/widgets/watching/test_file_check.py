"""Checks for new files: by names, sizes and times, once files are no longer written."""

from __future__ import annotations

import builtins
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.sources.discovery import search
from nbprof.widgets.watching import file_check
from tests.widgets.conftest import write_trace

if TYPE_CHECKING:
    from pathlib import Path

SAME = {"checked": True, "words": "", "new": 0, "changed": 0, "gone": 0, "settling": 0}


@pytest.fixture(autouse=True)
def every_look_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_check, "APART_SECONDS", 0)


def test_a_file_counts_once_two_looks_saw_it_alike(open_page: Any, logs: Path) -> None:
    page = open_page(logs)
    assert page.result("changes") == SAME
    path = logs / "runA" / "worker2.1700000000001.pt.trace.json"
    path.write_text('{"traceEvents": [')
    assert page.result("changes") == {**SAME, "settling": 1}
    path.write_text('{"traceEvents": [{"ph": "X"')
    assert page.result("changes") == {**SAME, "settling": 1}
    write_trace(path)
    assert page.result("changes") == {**SAME, "settling": 1}
    assert page.result("changes") == {**SAME, "new": 1, "words": "1 new file"}
    (logs / "runA" / "notes.txt").write_text("not a trace by its name")
    assert page.result("changes") == {**SAME, "new": 1, "words": "1 new file"}
    [run] = [one for one in page.result("refresh")["runs"] if one["run"] == "runA"]
    assert [one["worker"] for one in run["workers"]] == ["worker0", "worker1", "worker2"]
    assert page.result("changes") == page.result("changes") == SAME


def test_changed_and_deleted_files_count_too(open_page: Any, logs: Path) -> None:
    page = open_page(logs)
    changed, gone = sorted((logs / "runA").glob("worker0*"))
    write_trace(changed, steps=(1, 2, 3, 4))
    gone.unlink()
    os.utime(next((logs / "runA").glob("worker1*")), (1, 1))
    assert page.result("changes") == {**SAME, "settling": 3}
    assert page.result("changes") == {
        **SAME,
        "changed": 2,
        "gone": 1,
        "words": "2 changed, 1 deleted file",
    }
    page.result("refresh")
    assert page.result("changes") == page.result("changes") == SAME
    assert page.result("trace", state=page.state())["steps"]["count"] == 4


def test_looks_that_are_close_are_one(
    open_page: Any, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_check, "APART_SECONDS", 60)
    page = open_page(logs)
    write_trace(logs / "runA" / "worker2.1700000000001.pt.trace.json")
    for _ in range(3):
        assert page.result("changes") == {**SAME, "settling": 1}


def test_no_file_is_opened(open_page: Any, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = open_page(logs)
    write_trace(logs / "runA" / "worker2.1700000000001.pt.trace.json")

    def refuse(*args: Any, **_: Any) -> Any:
        raise AssertionError(args)

    with monkeypatch.context() as patched:
        patched.setattr(builtins, "open", refuse)
        patched.setattr(os, "open", refuse)
        page.result("changes")
        found = page.result("changes")
    assert found == {**SAME, "new": 1, "words": "1 new file"}


def test_the_first_trace_of_an_empty_directory(open_page: Any, tmp_path: Path) -> None:
    page = open_page(tmp_path)
    assert page.result("changes") == SAME
    write_trace(tmp_path / "worker0.1700000000001.pt.trace.json")
    page.result("changes")
    assert page.result("changes") == {**SAME, "new": 1, "words": "1 new file"}
    assert len(page.result("refresh")["runs"]) == 1
    assert page.result("changes") == page.result("changes") == SAME


def test_a_refresh_that_fails_is_not_offered_again(open_page: Any, logs: Path) -> None:
    page = open_page(logs)
    shutil.rmtree(logs)
    page.result("changes")
    assert page.result("changes") == {**SAME, "gone": 5, "words": "5 deleted files"}
    assert "No trace found" in page.error("refresh")["message"]
    assert page.result("changes") == page.result("changes") == SAME
    write_trace(logs / "runA" / "worker0.1700000000001.pt.trace.json")
    page.result("changes")
    assert page.result("changes") == {**SAME, "new": 1, "words": "1 new file"}


def test_slow_and_unsearched_sources_are_not_checked(
    open_page: Any, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unchecked = {**SAME, "checked": False}
    assert open_page(nbprof.load(logs).trace()).result("changes") == unchecked
    page = open_page(logs)
    assert page.result("changes") == SAME
    monkeypatch.setattr(file_check, "SLOWEST_SECONDS", 0)
    assert page.result("changes") == unchecked
    searched: list[Any] = []
    monkeypatch.setattr(search.Search, "run", lambda _, source: searched.append(source))
    assert page.result("changes") == unchecked
    assert searched == []


def test_remote_directories_are_listed(open_page: Any, logs: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.rm("/watched", recursive=True) if memory.exists("/watched") else None
    [trace] = (logs / "runA").glob("worker1*")
    memory.pipe("/watched/worker0.1.pt.trace.json", trace.read_bytes())
    page = open_page("memory://watched")
    assert page.result("changes") == page.result("changes") == SAME
    memory.pipe("/watched/worker1.1.pt.trace.json", trace.read_bytes())
    assert page.result("changes") == {**SAME, "settling": 1}
    assert page.result("changes") == {**SAME, "new": 1, "words": "1 new file"}
    memory.rm("/watched", recursive=True)
