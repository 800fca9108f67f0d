"""Profiler objects: equal to their files, read while they run, and named if they are empty."""

from __future__ import annotations

import cProfile
import profile
import pstats
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.model.errors import SourceError
from tests.support.recordings.python_profiles import fibonacci, trace_of, work

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("kind", [cProfile.Profile, profile.Profile])
def test_equal_to_the_file(kind: Any, tmp_path: Path) -> None:
    recorder = kind()
    recorder.runcall(work)
    live = nbprof.load(recorder, progress=False)
    assert live.runs()["run"].to_pylist() == ["live"]
    recorder.dump_stats(tmp_path / "main.pstats")
    file = trace_of(tmp_path / "main.pstats")
    both = pstats.Stats(str(tmp_path / "main.pstats"))
    for name in ("functions", "function_callers", "icicle"):
        assert live.trace().table(name) == file.table(name)
        assert nbprof.load(both, progress=False).trace().table(name) == file.table(name)


def test_a_running_profile_goes_on() -> None:
    recorder = cProfile.Profile()
    with recorder:
        fibonacci(3)
        first = nbprof.load(recorder, progress=False)
        calls = _calls(first)
        fibonacci(3)
    assert _calls(nbprof.load(recorder, progress=False)) == 2 * calls == 10
    first.refresh()
    assert _calls(first) == 10


def test_an_unchanged_profile_is_read_once() -> None:
    recorder = cProfile.Profile()
    recorder.runcall(work)
    found = nbprof.load(recorder, progress=False)
    model = found.trace().model
    found.refresh()
    assert found.trace().model is model


def test_sums_of_several(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.pstats" for number in range(2)]
    for path in paths:
        recorder = cProfile.Profile()
        recorder.runcall(fibonacci, 3)
        recorder.dump_stats(path)
    both = pstats.Stats(*map(str, paths))
    assert _calls(nbprof.load(both, progress=False)) == 10


@pytest.mark.parametrize("empty", [cProfile.Profile(), profile.Profile()])
def test_empty(empty: Any) -> None:
    with pytest.raises(SourceError, match="has recorded nothing yet"):
        nbprof.load(empty)


def _calls(found: nbprof.Profile) -> int:
    rows = found.trace().functions().to_pylist()
    return sum(row["calls"] for row in rows if row["function"] == "fibonacci")
