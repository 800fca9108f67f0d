"""Profilers of Paddle and torch_npu in memory: stand-ins that hold what the samples hold.

They have the attributes that Paddle 3.3 and torch_npu 2.14 give their profilers.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import nbprof
from nbprof.tables import TABLES
from tests.conftest import ROOT

PADDLE = min((ROOT / "samples" / "paddle_cpu_convnet").glob("worker1*.pb"))
NPU = next((ROOT / "samples" / "npu_convnet_synthetic").glob("worker0*"))


class Result:
    """The result of a Paddle profiler, which can be saved as often as wanted."""

    def save(self, path: str, format: str) -> None:  # noqa: A002 - as Paddle calls it
        """Write the sample."""
        assert format == "pb"
        shutil.copyfile(PADDLE, path)


class Profiler:
    """A Paddle profiler."""

    timer_only = False
    step_num = 4

    def __init__(self, result: Result | None) -> None:
        self.profiler_result = result


class KinetoProfile:
    """The class that the profiler of torch_npu derives from."""


class NpuProfile(KinetoProfile):
    """A profiler of torch_npu."""

    step_num = 2

    def __init__(self, folder: Path | None) -> None:
        self.analysed = 0
        path = "" if folder is None else str(folder)
        self.prof_if = SimpleNamespace(prof_path=path, analyse=self._analyse)

    def _analyse(self) -> None:
        self.analysed += 1
        output = "ASCEND_PROFILER_OUTPUT"
        shutil.copytree(NPU / output, Path(self.prof_if.prof_path) / output)


Profiler.__module__, Profiler.__qualname__ = "paddle.profiler.profiler", "Profiler"
KinetoProfile.__module__ = NpuProfile.__module__ = "torch_npu.profiler.profiler"
KinetoProfile.__qualname__, NpuProfile.__qualname__ = "_KinetoProfile", "profile"


def assert_equal(one: Any, other: Any) -> None:
    """Check that all tables of two traces are equal."""
    for name in TABLES:
        if TABLES[name].scope != "profile":
            assert one.table(name).equals(other.table(name)), name


def test_a_paddle_profiler_equals_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_TRAINER_ID", "2")
    profiler = Profiler(Result())
    profile = nbprof.load(profiler)
    assert_equal(profile.trace(), nbprof.load(PADDLE).trace())
    assert (profile.files[0].worker, profile.files[0].format) == ("rank2", "Paddle")
    assert nbprof.load(profiler).trace().model is profile.trace().model
    profiler.profiler_result = Result()
    assert profile.refresh().files[0].path is not nbprof.load(Profiler(Result())).files[0].path


def test_a_paddle_profiler_without_a_recording_says_so() -> None:
    with pytest.raises(nbprof.SourceError, match="at step 4 of its schedule"):
        nbprof.load(Profiler(None))
    timer = Profiler(None)
    timer.timer_only = True
    with pytest.raises(nbprof.SourceError, match="timer_only=True"):
        nbprof.load(timer)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What torch_npu wrote while it recorded."""
    path = tmp_path / NPU.name
    path.mkdir()
    shutil.copyfile(NPU / "profiler_info_0.json", path / "profiler_info_0.json")
    return path


def test_a_profiler_of_torch_npu_is_analysed_where_it_was_not(folder: Path) -> None:
    profiler = NpuProfile(folder)
    for _ in range(2):
        assert_equal(nbprof.load(profiler).trace(), nbprof.load(NPU).trace())
    assert profiler.analysed == 1


def test_a_profiler_of_torch_npu_without_a_recording_says_so(folder: Path) -> None:
    with pytest.raises(nbprof.SourceError, match="recorded nothing yet: it is at step 2"):
        nbprof.load(NpuProfile(None))
    (folder / "profiler_info_0.json").unlink()
    with pytest.raises(nbprof.SourceError, match="still recording"):
        nbprof.load(NpuProfile(folder))
    folder.rmdir()
    with pytest.raises(nbprof.SourceError, match="deleted its recording"):
        nbprof.load(NpuProfile(folder))


@pytest.mark.filterwarnings("default")
def test_paddle_itself(tmp_path: Path) -> None:
    paddle = pytest.importorskip("paddle", reason="needs Paddle to record a profile")
    profiling = paddle.profiler
    layer = paddle.nn.Linear(8, 8)
    handler = profiling.export_protobuf(str(tmp_path))
    with profiling.Profiler(
        targets=[profiling.ProfilerTarget.CPU], on_trace_ready=handler
    ) as profiler:
        layer(paddle.ones([4, 8])).sum().backward()
        profiler.step()
    assert_equal(nbprof.load(profiler).trace(), nbprof.load(tmp_path).trace())
