"""Searching directories of any depth, links to anywhere, and files of any name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nbprof.sources import discover
from nbprof.sources.discovery import local_tree
from tests.support.traces import op, write

DEEP = 1_500

NAMES = ("a\nb", "\n", "a\tb", "a\x1b]0;owned\x07", "a\u202eb", "a\r", " ", "%s", "a\\nb")
ENDINGS = (".pt.trace.json", ".json", ".1700000000000.pt.trace.json.gz")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_of_any_name_is_read(tmp_path: Path, ending: str) -> None:
    for name in NAMES:
        write(tmp_path / f"{name}{ending}", [op()])
    found = discover(tmp_path)
    assert {file.path.name for file in found.files} == {f"{name}{ending}" for name in NAMES}
    assert {file.worker for file in found.files} == set(NAMES)
    assert found.skipped == []


@pytest.mark.parametrize("ending", [".pickle", ".paddle_trace.json", ".paddle_trace.pb"])
def test_a_file_of_any_name_that_is_no_trace_is_listed(tmp_path: Path, ending: str) -> None:
    write(tmp_path / "good.pt.trace.json", [op()])
    for name in NAMES:
        (tmp_path / f"{name}{ending}").write_text("no trace")
    listed = {Path(path).name for path, _ in discover(tmp_path).skipped}
    assert listed == {f"{name}{ending}" for name in NAMES}


def test_directories_in_directories(tmp_path: Path) -> None:
    """Deeper than Python's limit of recursion."""
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        for _ in range(DEEP):
            Path("d").mkdir()
            os.chdir("d")
        write(Path("w0.pt.trace.json"), [op()])
        os.chdir(before)
        (file,) = discover(tmp_path).files
        assert file.path.parts.count("d") >= DEEP
    finally:
        os.chdir(before)
        for _ in range(3):  # what removes the folder of the test afterwards is recursive
            _flatten(tmp_path)


def _flatten(top: Path) -> None:
    """Halve the depth of nested directories by moving the lower half up."""
    at, depth = top, 0
    while (at / "d").is_dir():
        at, depth = at / "d", depth + 1
    for _ in range(depth // 2):
        at = at.parent
    if depth > 1:
        at.rename(top / f"half{depth}")


def test_a_link_to_the_root_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "logs/w0.pt.trace.json", [op()])
    (tmp_path / "logs/all").symlink_to("/")
    found = discover(tmp_path / "logs")
    assert len(found.files) == 1
    assert [path for path, _ in found.skipped] == [tmp_path / "logs/all"]


def test_a_link_inside_is_followed_and_the_top_may_be_one(tmp_path: Path) -> None:
    write(tmp_path / "logs/.hidden/w0.pt.trace.json", [op()])
    (tmp_path / "logs/shown").symlink_to(tmp_path / "logs/.hidden")
    (tmp_path / "link").symlink_to(tmp_path / "logs")
    for top in ("logs", "link"):
        (file,) = discover(tmp_path / top).files
        assert file.run == "shown"


def test_a_search_has_an_end_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_tree, "MOST_FOLDERS", 5)
    write(tmp_path / "a/w0.pt.trace.json", [op()])
    for number in range(10):
        (tmp_path / f"b{number}").mkdir()
    found = discover(tmp_path)
    assert len(found.files) == 1
    ((_, reason),) = found.skipped
    assert "after 5 directories" in reason
