"""``nbprof trace``: a part of a trace as a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import nbprof as package

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.running import Call

#: One trace of the three.
ONE = ("--run", "train", "--worker", "w1", "--span", "1")


@pytest.mark.parametrize(
    ("options", "narrow"),
    [
        ((), {}),
        (("--steps", "2"), {"steps": 2}),
        (("--steps", "2:"), {"steps": (2, 10**6)}),
        (("--time", "1000:2000"), {"time_us": (1000, 2000)}),
        (("--time", "-5:900.5"), {"time_us": (-5, 900.5)}),
    ],
)
@pytest.mark.parametrize("name", ["part.json", "part.json.gz"])
def test_the_file_gives_the_same_tables(
    nbprof: Call,
    logdir: Path,
    tmp_path: Path,
    *,
    name: str,
    options: tuple[str, ...],
    narrow: dict[str, Any],
) -> None:
    path = tmp_path / name
    result = nbprof("trace", logdir, *ONE, *options, "-o", path)
    assert (result.status, result.out) == (0, b""), result.err
    assert f"wrote {path}" in result.err
    ours = package.load(logdir).trace("train", "w1").filter(**narrow)
    theirs = package.load(path).trace().filter(**narrow)
    for table in ("steps", "operators", "kernels", "overview", "device_summary"):
        assert theirs.table(table).to_pylist() == ours.table(table).to_pylist()
    assert theirs.file.rank == ours.file.rank


def test_what_was_taken_is_said_where_there_was_a_choice(
    nbprof: Call, logdir: Path, tmp_path: Path
) -> None:
    result = nbprof("trace", logdir, "-o", tmp_path / "a.json")
    assert "run 'eval', worker 'w0', span 1; 2 more" in result.err
    assert json.loads((tmp_path / "a.json").read_text())["traceEvents"]


@pytest.mark.parametrize(
    ("words", "said", "status"),
    [
        (("-o", "-"), "cannot be written to stdout", 2),
        ((), "-o", 2),
        (("--time", "5", "-o", "x.json"), "'5'", 2),
        (("--steps", "3:1", "-o", "x.json"), "backwards", 2),
        (("--run", "nosuch", "-o", "x.json"), "'nosuch'", 2),
        (("-o", "no/such/folder/x.json"), "No such file or directory", 1),
    ],
)
def test_what_cannot_be(
    nbprof: Call,
    logdir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    words: tuple[str, ...],
    said: str,
    status: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = nbprof("trace", logdir, *words)
    assert (result.status, result.out) == (status, b"")
    assert said in result.err
    assert "Traceback" not in result.err
    assert not (tmp_path / "x.json").exists()


def test_the_recording_itself_stays(nbprof: Call, logdir: Path) -> None:
    path = next((logdir / "train").iterdir())
    before = path.read_bytes()
    result = nbprof("trace", path, "-o", path)
    assert result.status == 1
    assert "read from" in result.err
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "words"),
    [(("--steps", "99"), "step 99"), (("--time", "90000000:90000001"), "90,000,000 to")],
)
def test_a_part_without_events_is_no_file(
    nbprof: Call, logdir: Path, tmp_path: Path, *, options: tuple[str, ...], words: str
) -> None:
    path = tmp_path / "part.json"
    result = nbprof("trace", logdir, *ONE, *options, "-o", path)
    assert result.status == 1
    assert "No event matches" in result.err
    assert words in result.err
    assert "nothing was written" in result.err
    assert not path.exists()
