"""The sample of a memory snapshot: the same each time, and consistent in itself."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import TYPE_CHECKING

import nbprof
from nbprof.analysis.allocator.history import allocator_histories
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

RUN = "memory_snapshot_synthetic"
SAMPLE = ROOT / "samples" / RUN / "out_of_memory.pickle"


def test_it_is_made_the_same_each_time(tmp_path: Path) -> None:
    command = [sys.executable, "samples/make_samples.py", "snapshot", "--output", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    made = pickle.loads((tmp_path / RUN / SAMPLE.name).read_bytes())  # noqa: S301 - ours
    assert made == pickle.loads(SAMPLE.read_bytes())  # noqa: S301 - ours
    assert SAMPLE.stat().st_size < 300_000


def test_history_and_segments_agree() -> None:
    content = pickle.loads(SAMPLE.read_bytes())  # noqa: S301 - ours
    trace = nbprof.load(SAMPLE, cache=False).trace()
    (history,) = allocator_histories(trace.model).values()
    blocks = [block for one in content["segments"] for block in one["blocks"]]
    assert history.requested(history.last) == sum(one["requested_size"] for one in blocks)
    assert history.in_use[history.last] == sum(one["active_size"] for one in content["segments"])
    taken = sum(one["total_size"] for one in content["segments"])
    assert history.reserved[history.last] == taken <= 1 << 30
    assert trace.memory_segments()["bytes"].to_pylist() == [
        one["total_size"] for one in content["segments"]
    ]


def test_it_ends_where_memory_ran_out() -> None:
    trace = nbprof.load(SAMPLE, cache=False).trace()
    (history,) = allocator_histories(trace.model).values()
    assert history.ooms().tolist() == [history.last]
    by_category = trace.memory_holders(group_by="category", time_us=1e9).to_pylist()
    assert by_category[0]["category"] == "forward"
    assert {row["category"] for row in by_category} == {"forward", "optimizer", None}
    gaps = trace.memory_segments().to_pylist()
    asked = trace.model.column("allocator_events", "bytes")[-1]
    assert 0 < max(row["largest_gap_bytes"] for row in gaps) < asked
