"""Shared names of files contain nothing above the path that the user passed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nbprof.sources.files.shared_names import SharedNames


@pytest.mark.parametrize(
    ("source", "file", "name", "shown"),
    [
        ("/data/ann/secret/logs", "/data/ann/secret/logs/run1/a.json", "logs/run1/a.json", "logs"),
        ("/data/ann/secret/logs/", "/data/ann/secret/logs/a.json", "logs/a.json", "logs"),
        (Path("/data/ann/a.json"), "/data/ann/a.json", "a.json", "a.json"),
        ("/data/ann/*/logs/*.json", "/data/ann/x/logs/a.json", "x/logs/a.json", "*/logs/*.json"),
        (["/a/b", "/c/d"], "/c/d/e", "d/e", "b, d"),
        ({0: "/a/b/f.json"}, "/a/b/f.json", "f.json", "f.json"),
        ("s3://key:secret@bucket/ann/logs?x=1", "s3://bucket/ann/logs/a", "logs/a", "logs"),
        ("s3://bucket/ann/*/x.json", "s3://bucket/ann/1/x.json", "1/x.json", "*/x.json"),
        ("s3://bucket", "s3://bucket/a/b", "bucket/a/b", "bucket"),
        (Path("/data/ann/logs").as_uri(), "/data/ann/logs/a", "logs/a", "logs"),
        ("/x/y.json", "/elsewhere/z.json", "z.json", "y.json"),
        ("../secret/logs", "../secret/logs/a", "logs/a", "logs"),
        ("~/secret/logs", str(Path.home() / "secret/logs/a"), "logs/a", "logs"),
    ],
)
def test_a_name_begins_with_what_was_passed(source: Any, file: str, name: str, shown: str) -> None:
    names = SharedNames(source)
    assert names.path(file) == name
    assert names.source == shown


def test_relative_paths_and_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "logs" / "a.json"
    for source in ("logs", "./logs", tmp_path / "logs"):
        names = SharedNames(source)
        assert names.path(file) == names.path("logs/a.json") == "logs/a.json"
    text = SharedNames("logs").text(f"nothing at logs. The current directory is {tmp_path}.")
    assert text == "nothing at logs. The current directory is …."
    for source in (".", "./"):
        assert SharedNames(source).path(file) == "logs/a.json"  # without the folder's own name


def test_a_path_through_a_link_is_shortened_as_well(tmp_path: Path) -> None:
    (tmp_path / "secret" / "logs").mkdir(parents=True)
    (tmp_path / "open").symlink_to(tmp_path / "secret")
    names = SharedNames(tmp_path / "open" / "logs")
    resolved = tmp_path / "secret" / "logs" / "a.json"
    assert names.text(f"{resolved} is cut off") == "logs/a.json is cut off"


def test_texts_keep_everything_but_the_folders() -> None:
    names = SharedNames("/data/ann/secret/logs")
    text = "/data/ann/secret/logs/a.json: 3 / 4, as in /data/ann/secret/logs/b.json"
    assert names.text(text) == "logs/a.json: 3 / 4, as in logs/b.json"
    assert SharedNames("/logs").text("1 / 2 of /logs/a") == "1 / 2 of /logs/a"
    assert SharedNames("data/logs").text("other/data/x") == "other/data/x"
