"""Generated Python code runs, and opens the profile of the view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.widgets.downloads.loading_code import loading_code
from nbprof.widgets.session.profile_source import open_source
from tests.widgets.conftest import write_trace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def opened(code: dict[str, Any]) -> nbprof.Profile:
    profile = eval(code["load"], {"nbprof": nbprof})  # noqa: S307 - that is what the code is for
    assert isinstance(profile, nbprof.Profile)
    return profile


@pytest.mark.parametrize(
    "source_of",
    [
        lambda logs: logs,
        lambda logs: str(logs / "*A" / "*"),
        lambda logs: sorted((logs / "runA").glob("*.json")),
        lambda logs: tuple(str(path) for path in sorted((logs / "runA").glob("*.json"))),
        lambda logs: dict(enumerate(sorted((logs / "runA").glob("worker*1.pt.trace.json")))),
    ],
)
def test_any_source_is_opened_again(logs: Path, source_of: Callable[[Path], Any]) -> None:
    profile = nbprof.load(source_of(logs))
    code = loading_code(profile)
    assert not code["single_trace"]
    assert opened(code).runs().equals(profile.runs())


def test_a_hostile_path_is_quoted(tmp_path: Path) -> None:
    folder = tmp_path / "it's \"a\" \\ {x}\n'); raise SystemExit('"
    write_trace(folder / "worker0.1.pt.trace.json")
    assert len(opened(loading_code(nbprof.load(folder)))) == 1


def test_what_is_read_of_files_is_kept(logs: Path) -> None:
    profile = nbprof.load(logs, steps=(1, 2), without=("python",), strict=True)
    code = loading_code(profile)
    assert "steps=(1, 2)" in code["load"]
    again = opened(code).trace().operators()
    assert again.equals(profile.trace().operators())


def test_a_trace_is_opened_alone(logs: Path) -> None:
    trace = nbprof.load(logs).trace("runA", "worker1")
    code = loading_code(open_source(trace))
    assert code["single_trace"]
    assert opened(code).trace().operators().equals(trace.operators())


def test_credentials_stay_out(monkeypatch: pytest.MonkeyPatch, logs: Path) -> None:
    profile = nbprof.load(logs)
    monkeypatch.setattr(profile, "_source", "s3://AKIA:secret@bucket/logs?token=x")
    assert loading_code(profile)["load"] == "nbprof.load('s3://bucket/logs')"


def test_without_a_profile_there_is_no_code(logs: Path) -> None:
    assert loading_code(None) == {}
    assert "distributed_ops" in loading_code(nbprof.load(logs))["of_profiles"]
