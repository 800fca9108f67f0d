"""Parts of small traces whose tables depend on events far outside of the range."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from tests.sources.parts.test_prefilters import assert_part, part
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path

#: What is narrowed to nothing is compared, too.
pytestmark = pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")

STEPS = 8


def loop(*, lag_us: int = 1200, launches: int = STEPS, quick: bool = False) -> list[dict[str, Any]]:
    """Give steps of 1 ms, each with an operator that launches a kernel of 300 µs.

    If `quick`, each launches one of 50 µs before, which runs at once.
    """
    events: list[dict[str, Any]] = []
    for step in range(STEPS):
        at = 10_000 + 1000 * step
        ids = {"External id": step + 1, "correlation": 2 * step + 2}
        events.append(op(f"ProfilerStep#{step}", at, 950, cat="user_annotation"))
        events.append(op("aten::mm", at + 100, 300, args={"External id": step + 1}))
        if quick:
            ids_ = {"External id": step + 1, "correlation": 2 * step + 1}
            events.append(op("cudaLaunchKernel", at + 110, 10, cat="cuda_runtime", args=ids_))
            events.append({**kernel("relu", at + 130, 50, **ids_, stream=8), "tid": 8})
        if step < launches:
            events.append(op("cudaLaunchKernel", at + 150, 10, cat="cuda_runtime", args=ids))
            events.append(kernel("gemm", at + 150 + lag_us, 300, **ids))
    return events


def test_devices_that_are_far_behind(tmp_path: Path) -> None:
    for lag, quick in product((0, 1200, 2700, 6300), (False, True)):
        whole = part(write(tmp_path / f"{lag} {quick}.json", loop(lag_us=lag, quick=quick)))
        for step in range(STEPS):
            assert_part(whole, steps=step)
        assert_part(whole, time_us=(2100, 2900))


def test_steps_at_the_end_that_lack_their_device_work(tmp_path: Path) -> None:
    for launches, quick in product((0, 3, 7), (False, True)):
        events = loop(launches=launches, quick=quick)
        whole = part(write(tmp_path / f"{launches} {quick}.json", events))
        for step in range(STEPS):
            assert_part(whole, steps=step)


def test_backward_operators_long_after_their_forward_ones(tmp_path: Path) -> None:
    forward = {"Sequence number": 5, "Fwd thread id": 0}
    backward = {"Sequence number": 5, "Fwd thread id": 1}
    events = [
        op("train.py(3): forward", 90, 80, cat="python_function", args={"Python id": 1}),
        op("aten::mm", 100, 50, args=forward),
        op("other", 200_000, 50),
        op("MmBackward0", 900_000, 50, tid=2, args=backward),
    ]
    whole = part(write(tmp_path / "a.json", events))
    found = assert_part(whole, time_us=(800_000, 1_000_000))
    [stack_found] = found.operators(group_by="name+stack").column("call_stack").to_pylist()
    assert stack_found == "train.py(3): forward"
    assert found.model.tables["host"].num_rows == 3


def test_threads_come_in_the_order_of_the_whole(tmp_path: Path) -> None:
    events = [op("early", 1, 2, tid=9), *loop(), op("late", 15_010, 5, tid=9)]
    whole = part(write(tmp_path / "a.json", events))
    assert whole.model.column("threads", "tid").tolist() == [9, 1]
    assert_part(whole, steps=5)
    assert_part(whole, time_us=(14_900, 15_100))


def test_a_device_that_only_worked_elsewhere_is_a_row(tmp_path: Path) -> None:
    events = loop()
    at = 10_000 + 150
    ids = {"correlation": 99, "External id": 1}
    events.append(op("cudaLaunchKernel", at + 20, 5, cat="cuda_runtime", args=ids))
    events.append({**kernel("gemm", at + 50, 30, device=3, **ids), "pid": 3})
    whole = part(write(tmp_path / "a.json", events))
    found = assert_part(whole, steps=6)
    assert found.device_time().column("device").to_pylist() == [0, 3]


def test_what_is_inside_of_a_slice_that_leaves_the_range_counts(tmp_path: Path) -> None:
    events = loop(lag_us=0)
    events.append(op("my range", 12_500, 4000, cat="user_annotation"))
    whole = part(write(tmp_path / "a.json", events))
    found = assert_part(whole, steps=2)
    [row] = found.user_events().to_pylist()
    assert row["device_total_us"] == 4 * 300
