"""``nbprof html``: the views as one page."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.running import Call

#: One trace of the three.
ONE = ("--run", "train", "--worker", "w1", "--span", "1")


def traits(path: Path) -> dict[str, Any]:
    """Return the state that a page starts with."""
    found = re.search(r'id="nbprof-traits">(.*?)</script>', path.read_text("utf-8"))
    assert found is not None
    plain: dict[str, Any] = json.loads(found.group(1))
    return plain


def test_a_page_shows_the_trace_and_filter_that_are_named(
    nbprof: Call, logdir: Path, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    options = ("--steps", "2:", "--time", "-5:", "--name", "mm", "--view", "kernels")
    result = nbprof("html", logdir, *ONE, *options, "--theme", "dark", "-o", path)
    assert (result.status, result.out) == (0, b""), result.err
    assert f"wrote {path}" in result.err
    found = traits(path)
    assert (found["run"], found["worker"], found["span"]) == ("train", "w1", 1)
    assert (found["active"], found["theme"]) == ("kernels", "dark")
    assert found["filter"]["name"] == "mm"
    # open ends are those of the trace
    assert found["filter"]["steps"][0] == 2
    assert found["filter"]["steps"][1] < 100
    assert found["filter"]["time_us"][0] == 0
    assert found["snapshot"] is None


def test_by_default_it_is_the_first_trace(nbprof: Call, logdir: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    result = nbprof("html", logdir, "-o", path)
    assert result.status == 0
    assert "more can be selected" in result.err
    assert traits(path)["filter"] == {}
    assert path.stat().st_size <= 5_000_000


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (("-o", "-"), 2, "cannot be written to stdout"),
        (("--max-bytes", "1000", "-o", "x.html"), 1, "takes at least 630,000 bytes"),
        (("--max-bytes", "-5", "-o", "x.html"), 2, "'-5' is not a number of bytes"),
        (("--name", "/(/", "-o", "x.html"), 2, "regular expression"),
        (("--view", "flames", "-o", "x.html"), 2, "invalid choice"),
        (("-o", "no/such/folder/x.html"), 1, "No such file"),
        (("-o", "."), 1, "Is a directory"),
        ((), 2, "required"),
    ],
)
def test_what_cannot_be_written_is_said(
    nbprof: Call, logdir: Path, *, options: tuple[str, ...], status: int, words: str
) -> None:
    result = nbprof("html", logdir, *ONE, *options)
    assert result.status == status
    assert words in result.err


def test_a_failure_leaves_what_was_there(nbprof: Call, logdir: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("before", "utf-8")
    nbprof("html", logdir, *ONE, "--max-bytes", "1000", "-o", path)
    assert path.read_text("utf-8") == "before"
    assert [file.name for file in tmp_path.iterdir() if file.suffix != ""] == ["report.html"]


def test_a_place_that_cannot_be_is_said_before_anything_is_read(
    nbprof: Call, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nbprof.cli.html.load", lambda *_, **__: pytest.fail("it was read"))
    result = nbprof("html", logdir, "-o", logdir)
    assert (result.status, result.err) == (1, f"nbprof: {logdir}: Is a directory\n")
