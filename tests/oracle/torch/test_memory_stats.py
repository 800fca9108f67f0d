"""Sizes in memory snapshots equal PyTorch's own statistics of an H200, byte for byte."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.analysis.allocator.history import allocator_histories

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def stats(shared_oracle: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (shared_oracle / "h200/memory_stats.json").read_text("utf-8")
    )
    return found


def read(shared_data: Path, name: str) -> nbprof.Trace:
    return nbprof.load(shared_data / name, progress=False, cache=False).trace()


def test_a_training(shared_data: Path, stats: dict[str, Any]) -> None:
    trace = read(shared_data, "h200/memory/training.pickle")
    of = stats["stats"]
    (peak,) = trace.memory_peak().to_pylist()
    assert peak["peak_bytes"] == of["allocated_bytes.all.peak"] == 1_927_069_184
    assert peak["requested_bytes"] == of["requested_bytes.all.peak"] == 1_917_560_908
    end = trace.memory_curve().to_pylist()[-1]
    assert end["allocated_bytes"] == of["allocated_bytes.all.current"]
    assert end["reserved_bytes"] == of["reserved_bytes.all.current"]
    for holders in (trace.memory_peak_holders(), trace.memory_holders()):
        assert sum(holders["bytes"].to_pylist()) == peak["peak_bytes"]
        assert sum(holders["requested_bytes"].to_pylist()) == peak["requested_bytes"]
    # All that was ever allocated, not only what was in use at the peak.
    blocks = trace.memory_blocks()
    assert sum(blocks["bytes"].to_pylist()) == of["allocated_bytes.all.allocated"]
    assert sum(blocks["requested_bytes"].to_pylist()) == of["requested_bytes.all.allocated"]
    history = allocator_histories(trace.model)[0]
    assert history.in_use.max() == peak["peak_bytes"]


def test_a_history_that_begins_late(shared_data: Path, stats: dict[str, Any]) -> None:
    trace = read(shared_data, "h200/memory/oom.pickle")
    history = allocator_histories(trace.model)[0]
    (failed,) = history.ooms().tolist()
    assert f"{history.in_use[failed] / 2**30:.2f} GiB is allocated by PyTorch" in stats["message"]
    segments = trace.memory_segments()
    taken = sum(segments["allocated_bytes"].to_pylist())
    assert trace.memory_curve()["allocated_bytes"].to_pylist()[-1] == taken == 2_543_305_728


def test_a_long_history(shared_data: Path) -> None:
    trace = read(shared_data, "h200/memory/long.pickle.gz")
    (peak,) = trace.memory_peak().to_pylist()
    # At the end, the segments themselves say what is allocated.
    history = allocator_histories(trace.model)[0]
    assert (history.in_use[0], history.in_use[-1]) == (0, 880_675_328)
    assert (peak["peak_bytes"], peak["requested_bytes"]) == (1_758_943_232, 1_750_114_720)


def test_the_smallest_block(shared_data: Path) -> None:
    (peak,) = read(shared_data, "reports/h200_small/snapshot.pickle").memory_peak().to_pylist()
    assert (peak["peak_bytes"], peak["requested_bytes"]) == (512, 100)
