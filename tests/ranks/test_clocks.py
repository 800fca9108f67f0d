"""Alignment of workers' clocks: by collectives, by time of day, and by step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import nbprof
from nbprof.ranks.clocks import align, collective_ends
from tests.conftest import ROOT

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

SAMPLE = ROOT / "tests/samples/gpu_resnet_synthetic"


@pytest.fixture(scope="module")
def two() -> tuple[TraceModel, TraceModel]:
    profile = nbprof.load(SAMPLE, progress=False)
    first, second = (profile.trace(worker=f"worker{n}").model for n in (0, 1))
    return first, second


def later(model: TraceModel, by_ns: int) -> TraceModel:
    """Return a trace of a host whose clock is ahead."""
    return replace(
        model, metadata={**model.metadata, "epoch_ns": model.metadata["epoch_ns"] + by_ns}
    )


def ends(model: TraceModel) -> np.ndarray:
    """Return when the kernels of collectives end, ascending."""
    device = model.tables["device"]
    names = device["name"].to_pylist()
    found = np.flatnonzero([bool(name) and name.startswith("nccl") for name in names])
    return np.sort(
        (model.column("device", "start_ns") + model.column("device", "duration_ns"))[found]
    )


def test_collectives_end_together_whatever_the_clocks_of_hosts_say(
    two: tuple[TraceModel, TraceModel],
) -> None:
    first, second = two
    for skew in (0, 7_000_000, -50_000_000):
        found = align(first, later(second, skew))
        assert found.method == "collectives"
        assert "collectives end together" in found.words
        away = ends(first) - (ends(second) + found.shift_ns)
        assert abs(np.median(away)) < 2_000
    assert align(first, second).shift_ns == align(first, later(second, 10**9)).shift_ns
    assert len(collective_ends(first, second)) > 0


def test_the_time_of_day_is_taken_on_request_and_refused_where_it_cannot_be(
    two: tuple[TraceModel, TraceModel],
) -> None:
    first, second = two
    apart = second.metadata["epoch_ns"] - first.metadata["epoch_ns"]
    found = align(first, second, "time")
    assert (found.method, found.shift_ns) == ("time", apart)
    found = align(first, later(second, 3_600 * 10**9), "time")
    assert found.method == "collectives"
    assert "the times of day are 3,600" in found.words


def test_the_same_step_starts_together(two: tuple[TraceModel, TraceModel]) -> None:
    first, second = two
    found = align(first, second, "step")
    number = int(first.steps.number[0])
    assert (found.method, found.words) == ("step", f"step {number} starts together")
    assert second.steps.host_start_ns[0] + found.shift_ns == first.steps.host_start_ns[0]


def test_without_collectives_the_reason_is_said() -> None:
    profile = nbprof.load(ROOT / "samples" / "paddle_cpu_convnet", progress=False)
    first, second = (profile.trace(worker=f"worker{n}", span=1).model for n in (0, 1))
    found = align(first, second)
    assert found.method == "step"
    assert "no collective is in both recordings" in found.words
    assert "apart" in found.words
