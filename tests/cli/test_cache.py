"""``nbprof cache``: list, size and clear."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import nbprof as package
from nbprof.sources.cache import cache

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.running import Call


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache that keeps small files too."""
    monkeypatch.setenv("NBPROF_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "SMALLEST_EVENTS", 0)
    return tmp_path / "cache" / "traces"


def test_nothing_is_kept_at_first(nbprof: Call, folder: Path) -> None:
    assert nbprof("cache").err == f"nbprof: nothing is cached in {folder}\n"
    assert nbprof("cache", "clear").err == f"nbprof: removed 0 traces, 0 B, from {folder}\n"
    assert "kept     0 traces" in nbprof("cache", "size").text
    assert not folder.exists()


def test_what_was_read_is_listed_and_removed(nbprof: Call, logdir: Path, folder: Path) -> None:
    paths = sorted(logdir.rglob("w*.json"))
    for path in paths:
        package.load(path).trace().read()
    cache.finish()
    package.load(paths[0], steps=1).trace().read()
    cache.finish()
    listed = nbprof("cache", "list")
    assert listed.status == 0
    assert listed.text == nbprof("cache").text
    lines = listed.text.splitlines()
    assert lines[0].split() == ["size", "last", "used", "state", "part", "file"]
    # The part was made of the whole, which was there already.
    assert sorted(line.split()[-1] for line in lines[1:]) == [str(path) for path in paths]
    assert all("current" in line for line in lines[1:])
    assert "kept     3 traces" in nbprof("cache", "size").text
    cleared = nbprof("cache", "clear")
    assert cleared.err.startswith("nbprof: removed 3 traces, ")
    assert list(folder.iterdir()) == []


def test_entries_that_are_good_for_nothing_say_so(
    nbprof: Call, logdir: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed, gone, kept = sorted(logdir.rglob("w*.json"))
    for path in (changed, gone, kept):
        package.load(path, without="python").trace().read()
    cache.finish()
    os.utime(changed, (1, 1))
    gone.unlink()
    (folder / "x.arrow").write_bytes(b"no entry")
    text = nbprof("cache").text
    states = {line.split()[-1]: line for line in text.splitlines()[1:]}
    assert "file changed" in states[str(changed)]
    assert "file gone" in states[str(gone)]
    assert "current" in states[str(kept)]
    assert "without=['python']" in states[str(kept)]
    assert "other version" in states["?"]


def test_an_unknown_action_is_a_mistake(nbprof: Call) -> None:
    assert nbprof("cache", "burn").status == 2
