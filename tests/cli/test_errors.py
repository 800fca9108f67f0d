from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.running import Call


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nosuch",), ("nosuch", "operators", "kernels", "runs")),
        (("steps", "--columns", "nosuch"), ("'nosuch'", "total_us", "kernel_us")),
        (("steps", "--sort", "nosuch"), ("'nosuch'", "total_us")),
        (("kernels", "--columns", "grid"), ("'grid'", "mean_us")),
        (("steps", "--format", "xlsx"), ("xlsx", "text", "csv", "json", "parquet", "arrow")),
        (("operators", "--group-by", "color"), ("'color'", "name+shape", "name+stack")),
        (("steps", "--group-by", "name"), ("--group-by", "operators", "kernels")),
        (("steps", "--run", "nosuch"), ("'nosuch'", "'eval'", "'train'")),
        (("runs", "--worker", "nosuch"), ("'nosuch'", "'w0'", "'w1'")),
        (("steps", "--span", "9"), ("9", "1")),
        (("steps", "--steps", "9:7"), ("steps", "backwards")),
        (("steps", "--steps", "a:b"), ("--steps", "'a:b'")),
        (("steps", "--steps", ":"), ("--steps",)),
        (("steps", "--time", "5"), ("--time", "'5'")),
        (("steps", "--name", "/(/"), ("/(/", "regular expression")),
        (("steps", "--kinds", "nosuch"), ("'nosuch'", "memcpy")),
        (("steps", "--stream", "x"), ("--stream", "'x'")),
        (("steps", "--limit", "-1"), ("--limit", "'-1'")),
        (("steps", "--ascending"), ("--sort",)),
        (("steps", "--safe-csv"), ("--format csv",)),
        (("runs", "--steps", "1"), ("runs", "--steps")),
        (("steps", "--nosuch"), ("--nosuch",)),
        ((), ("TABLE",)),
    ],
)
def test_usage(nbprof: Call, logdir: Path, words: tuple[str, ...], said: tuple[str, ...]) -> None:
    result = nbprof("table", logdir, *words)
    assert (result.status, result.out) == (2, b"")
    for part in said:
        assert part in result.err
    assert "Traceback" not in result.err


def test_no_command(nbprof: Call) -> None:
    result = nbprof()
    assert result.status == 2
    assert "COMMAND" in result.err


@pytest.mark.parametrize("command", [("info",), ("table", "steps")])
def test_data_that_is_not_there(nbprof: Call, tmp_path: Path, command: tuple[str, ...]) -> None:
    result = nbprof(command[0], tmp_path / "nosuch", *command[1:])
    assert (result.status, result.out) == (1, b"")
    assert "nosuch" in result.err


@pytest.mark.parametrize("command", [("info",), ("table", "steps")])
def test_data_that_cannot_be_read(nbprof: Call, tmp_path: Path, command: tuple[str, ...]) -> None:
    broken = tmp_path / "w0.1.pt.trace.json"
    broken.write_text('{"schemaVersion": 1, "traceEvents": @@@@')
    result = nbprof(command[0], tmp_path, *command[1:])
    assert result.status == 1
    assert broken.name in result.err
    assert "Traceback" not in result.err


def test_a_file_that_cannot_be_written(nbprof: Call, logdir: Path, tmp_path: Path) -> None:
    target = tmp_path / "nosuch" / "k.csv"
    result = nbprof("table", logdir, "steps", "-o", target)
    assert result.status == 1
    assert str(target) in result.err
    assert "No such file" in result.err


def test_a_file_that_was_there_stays_when_the_data_are_bad(nbprof: Call, tmp_path: Path) -> None:
    target = tmp_path / "k.csv"
    target.write_text("before")
    assert nbprof("table", tmp_path / "nosuch", "steps", "-o", target).status == 1
    assert target.read_text() == "before"


def test_workers_that_break_are_named_and_hide_no_others(nbprof: Call, logdir: Path) -> None:
    broken = logdir / "train" / "a0.pt.trace.json"
    broken.write_text('{"traceEvents": []}')
    result = nbprof("table", logdir, "device_time", "--run", "train", "--format", "json")
    assert result.status == 0
    assert [row["worker"] for row in json.loads(result.text)] == ["w0", "w1"]
    assert "logs/train/a0.pt.trace.json" in result.err
    assert nbprof("table", broken, "device_time").status == 1


@pytest.mark.parametrize("columns", ["name,name", ","])
def test_columns_are_named_once_each(nbprof: Call, logdir: Path, columns: str) -> None:
    result = nbprof("table", logdir, "operators", "--columns", columns)
    assert (result.status, result.text) == (2, "")
    assert "nam" in result.err


#: Commands, what follows the recording, and where they load it.
COMMANDS: Final = {
    "trace": ((), "nbprof.cli.trace"),
    "table": (("steps",), "nbprof.cli.table"),
    "diff": ((), "nbprof.cli.comparing.command"),
    "html": ((), "nbprof.cli.html"),
}
PLACES: Final = {
    "no/such/folder/x.json": "No such file or directory",
    "folder": "Is a directory",
    "file.json/x.json": "Not a directory",
    "closed/x.json": "Permission denied",
    "closed/there.json": "Permission denied",
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_read_for_a_place_that_cannot_be_written(
    nbprof: Call,
    logdir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    command: str,
    place: str,
) -> None:
    more, module = COMMANDS[command]
    recordings = (logdir, logdir) if command == "diff" else (logdir,)
    (tmp_path / "folder").mkdir()
    (tmp_path / "closed").mkdir()
    (tmp_path / "file.json").write_text("kept")
    (tmp_path / "closed/there.json").write_text("kept")
    before = sorted(tmp_path.rglob("*"))
    access = os.access

    def denied(path: Any, mode: int) -> bool:  # which a superuser never is
        return "closed" not in str(path) and access(path, mode)

    def load(*_: Any, **__: Any) -> None:
        pytest.fail("the recording was read")

    monkeypatch.setattr(os, "access", denied)
    monkeypatch.setattr(f"{module}.load", load)
    result = nbprof(command, *recordings, *more, "-o", tmp_path / place)
    assert (result.status, result.out) == (1, b"")
    assert PLACES[place] in result.err
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "closed/there.json").read_text() == "kept"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_of_a_closed_folder_is_written_in_place(
    nbprof: Call,
    logdir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
) -> None:
    more, _ = COMMANDS[command]
    recordings = (logdir, logdir) if command == "diff" else (logdir,)
    place = tmp_path / "there.html"
    place.write_text("old")
    monkeypatch.setattr(os, "access", lambda path, _: str(path) != str(tmp_path))
    result = nbprof(command, *recordings, *more, "-o", place)
    assert result.status == 0, result.err
    assert place.read_text() != "old"
