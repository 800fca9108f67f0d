"""Names of runs are stable and distinct."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nbprof.sources import discover
from nbprof.sources.discovery.runs import distinct_run_names
from tests.sources.ascend.test_discovery import recording
from tests.support.traces import op, write


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Runs of two recorders, some of them in directories of directories."""
    top = tmp_path / "logs"
    for run in ("a", "deep/b"):
        for rank in (0, 1):
            recording(
                top / run / f"rank{rank}_20250109154803_ascend_pt", None, "step_trace_time.csv"
            )
    recording(top / "w0_ascend_pt", None, "step_trace_time.csv")
    write(top / "c" / "w0.pt.trace.json", [op()])
    return top


def names(source: Any) -> list[tuple[str, str, int]]:
    return [(file.run, file.worker, file.span) for file in discover(source).files]


RUNS = ["a", "a", "c", "deep/b", "deep/b", "logs"]


def test_a_relative_directory_gives_the_names_of_an_absolute_one(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = names(logs)
    assert [run for run, _, _ in expected] == RUNS
    ways = {
        logs: (".", "./", "./.", "../logs", "deep/.."),
        logs.parent: ("logs", "logs/", "./logs", Path("logs"), ["logs"], f"{logs}/"),
        logs / "deep": ("..", "../", Path("..")),
    }
    for place, sources in ways.items():
        monkeypatch.chdir(place)
        for source in sources:
            assert names(source) == expected, (place, source)


@pytest.mark.parametrize("inside", ["a", "deep", "deep/b", "c", "w0_ascend_pt"])
def test_so_does_every_directory_inside(
    logs: Path, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    expected = names(logs / inside)
    monkeypatch.chdir(logs)
    assert names(inside) == expected
    monkeypatch.chdir(logs / inside)
    assert names(".") == expected


def test_so_does_a_link(logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "link"
    link.symlink_to(logs)
    assert names(link) == names(logs)
    monkeypatch.chdir(tmp_path)
    assert names("link") == names(logs)
    monkeypatch.chdir(link)
    assert names(".") == names(logs)


def test_a_directory_inside_one_of_the_same_name_is_a_run_of_its_own(tmp_path: Path) -> None:
    write(tmp_path / "resnet" / "w0.pt.trace.json", [op()])
    write(tmp_path / "resnet" / "resnet" / "w0.pt.trace.json", [op()])
    recording(tmp_path / "resnet" / "w1_ascend_pt", None, "step_trace_time.csv")
    found = {run for run, _, _ in names(tmp_path / "resnet")}
    assert found == {f"{tmp_path.name}/resnet", "resnet/resnet"}
    outer = [worker for run, worker, _ in names(tmp_path / "resnet") if run != "resnet/resnet"]
    assert outer == ["w0", "w1"], "what lies in one directory is one run"


def test_what_the_caller_says_is_one_run_is_one(tmp_path: Path) -> None:
    for place in ("a/x", "b/x"):
        write(tmp_path / place / "w.pt.trace.json", [op()])
    ranks = {at: tmp_path / place for at, place in enumerate(("a/x", "b/x"))}
    assert len({run for run, _, _ in names(ranks)}) == 1


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([("a", "/a"), ("b", "/b")], ["a", "b"]),
        ([("a", "/a"), ("a", "/a")], ["a", "a"]),
        ([("a", "/x/a"), ("a", "/y/a"), ("a", "/x/a")], ["x/a", "y/a", "x/a"]),
        ([("a", "/x/a"), ("a", "/y/a"), ("x/a", "/z")], ["/x/a", "/y/a", "x/a"]),
        ([("a", "/1/x/a"), ("a", "/2/y/a"), ("x/a", "/z")], ["1/x/a", "2/y/a", "x/a"]),
        ([("a", "s3://b1/l/a"), ("a", "s3://b2/l/a")], ["b1/l/a", "b2/l/a"]),
        ([("a", ""), ("a", "")], ["a", "a"]),
    ],
)
def test_names_of_several_directories(runs: list[tuple[str, str]], expected: list[str]) -> None:
    assert distinct_run_names(runs) == expected
