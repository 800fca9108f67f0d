"""Parts with work that was launched before they begin: its kind, operators and stacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nbprof.sources.kineto import reading as kineto
from tests.sources.parts.test_prefilters import assert_part, part
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    once = kineto._read_once

    def read_once(*file: Any, **details: Any) -> Any:
        return once(*file, **{**details, "window": 700})

    monkeypatch.setattr(kineto, "_read_once", read_once)


@pytest.mark.parametrize("by", ["correlation", "arrow", "arrow from the operator"])
def test_work_that_runs_later_is_still_communication(tmp_path: Path, by: str) -> None:
    events: list[dict[str, Any]] = []
    for i in range(40):
        at, runs_at = 10_000 * i, 10_000 * i + 73_000
        events.append(op("nccl:all_reduce" if i % 2 else "aten::mm", at, 6000))
        if by != "arrow from the operator":
            call = {"correlation": i + 1} if by == "correlation" else {}
            events.append(op("cudaLaunchKernel", at + 5, 9, cat="cuda_runtime", args=call))
        if by != "correlation":
            arrow = {"cat": "ac2g", "name": "ac2g", "id": i + 1}
            starts_at = at + 5 if by == "arrow" else at
            events.append({**arrow, "ph": "s", "pid": 1, "tid": 1, "ts": starts_at})
            events.append({**arrow, "ph": "f", "pid": 0, "tid": 7, "ts": runs_at, "bp": "e"})
        correlation = i + 1 if by == "correlation" else -1
        events.append(kernel("copy", runs_at, 8000, correlation=correlation))
    whole = part(write(tmp_path / "a.json", events))
    assert (whole.model.links.operator >= 0).all()
    for low in (80_000, 175_000, 300_000):
        conditions = {"time_us": (low, low + 30_000)}
        steps = whole.filter(**conditions).steps().to_pylist()
        assert any(row["communication_us"] for row in steps)
        found = assert_part(whole, **conditions)
        assert found.model.tables["device"].num_rows < 40


def test_threads_that_start_together_stand_in_the_order_of_their_ids(tmp_path: Path) -> None:
    events = [op(f"a{i}", 10 * (i // 3), 5, tid=3 - i % 3) for i in range(60)]
    events += [op("f", 0, 1, cat="python_function", tid=tid) for tid in (9, 5)]
    whole = part(write(tmp_path / "a.json", events))
    assert whole.model.tables["threads"]["tid"].to_pylist() == [1, 2, 3, 5, 9]
    assert_part(whole, time_us=(100, 130))
