"""A place that cannot be written is refused before anything is read, and stays as it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.running import Call

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
