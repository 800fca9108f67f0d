"""Memory snapshots in the static summary: the failed allocation, the segments and the holders."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.analysis.allocator.history import allocator_histories
from nbprof.export.held_memory import held_memory
from nbprof.export.summary_tables import Summary
from nbprof.model.units import format_bytes
from tests.conftest import ROOT
from tests.support.recordings.training_snapshot import training

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> nbprof.Trace:
    path: Path = tmp_path_factory.mktemp("snapshot") / "training.pickle"
    path.write_bytes(pickle.dumps(training()))
    return nbprof.load(path, progress=False).trace()


def test_the_failed_allocation_comes_first(trace: nbprof.Trace) -> None:
    (held,) = held_memory(Summary(trace))
    (entry,) = [one for one in training()["device_traces"][0] if one["action"] == "oom"]
    assert held.title.startswith("GPU 0: out of memory at ")
    asked, free = format_bytes(entry["size"]), format_bytes(entry["device_free"])
    assert held.lines[0] == f"{asked} was asked for; the device had {free} free."
    history = allocator_histories(trace.model)[0]
    moment = int(history.ooms()[0])
    allocated, requested = int(history.in_use[moment]), history.requested(moment)
    sizes = f"{format_bytes(allocated)} allocated ({format_bytes(requested)} requested) in "
    assert held.lines[1].startswith(sizes)
    assert sum(held.holders["bytes"].to_pylist()) == history.in_use[moment]
    assert held.categories is not None
    assert sum(held.categories["bytes"].to_pylist()) == history.in_use[moment]


def test_it_is_in_both_summaries_without_paths(trace: nbprof.Trace) -> None:
    static = nbprof.Explorer(trace, view="memory").static()
    for shown in (static._repr_html_(), str(static)):
        assert "out of memory at" in shown
        assert "model.py(31): mlp" in shown
        assert "/data/ann" not in shown
        assert "Whole recording" not in shown  # nothing has a duration


def test_without_a_failure_it_is_the_peak() -> None:
    content = training()
    entries = content["device_traces"][0]
    content["device_traces"][0] = [one for one in entries if one["action"] != "oom"]
    with_peak = nbprof.load(content, progress=False).trace()
    (held,) = held_memory(Summary(with_peak))
    assert held.title.startswith("GPU 0: peak at ")


def test_other_traces_have_none_of_it() -> None:
    trace = nbprof.load(ROOT / "samples" / "torch_cpu_convnet", progress=False).trace()
    assert held_memory(Summary(trace)) == []
