"""Steps: extension over device work, the truncated last one, and traces without steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel


def step(number: int, start: int, end: int) -> dict:
    return {"name": f"ProfilerStep#{number}", "kind": "step", "start": start, "end": end}


def launched(correlation: int, at: int, start: int, end: int) -> tuple[dict, dict]:
    call = {"name": "cudaLaunchKernel", "kind": "runtime", "start": at, "end": at + 1}
    kernel = {"name": "k", "start": start, "end": end, "correlation": correlation}
    return {**call, "correlation": correlation}, kernel


def ranges(model: TraceModel) -> list[tuple[int, int]]:
    return list(zip(model.steps.start_ns.tolist(), model.steps.end_ns.tolist(), strict=True))


def test_a_step_lasts_until_its_last_kernel_and_pushes_the_next() -> None:
    first, k1 = launched(1, 10, 20, 130)
    second, k2 = launched(2, 110, 140, 190)
    model = make_model([step(7, 0, 100), step(8, 100, 200), first, second], [k1, k2])
    assert model.steps.number.tolist() == [7, 8]
    assert ranges(model) == [(0, 130), (130, 200)]
    assert model.steps.complete.all()


def test_a_step_whose_number_is_no_number_is_0() -> None:
    model = make_model([step(10**30, 0, 10), {**step(1, 10, 20), "name": "ProfilerStep#"}], [])
    assert model.steps.number.tolist() == [0, 0]


def test_kernels_from_before_the_first_step_delay_it() -> None:
    early, k0 = launched(1, 2, 3, 25)
    inside, k1 = launched(2, 20, 30, 40)
    model = make_model([step(1, 10, 100), early, inside], [k0, k1])
    assert ranges(model) == [(25, 100)]


def test_a_tail_without_its_kernels_is_kept_and_marked() -> None:
    pairs = [launched(i, 10 * i, 10 * i + 1, 10 * i + 5) for i in range(1, 9)]
    host = [step(1, 0, 100), step(2, 100, 200), step(3, 200, 300), *(call for call, _ in pairs)]
    model = make_model(host, [kernel for _, kernel in pairs])
    assert model.steps.number.tolist() == [1, 2, 3]
    assert model.steps.complete.tolist() == [True, False, False]


@pytest.mark.parametrize(("last", "complete"), [(7, False), (8, True)])
def test_a_thin_last_step_is_marked(last: int, complete: bool) -> None:
    pairs = [launched(i, i, i, i + 1) for i in range(1, 11)]
    pairs += [launched(100 + i, 100 + i, 100 + i, 101 + i) for i in range(last)]
    host = [step(1, 0, 100), step(2, 100, 200), *(call for call, _ in pairs)]
    model = make_model(host, [kernel for _, kernel in pairs])
    assert model.steps.complete.tolist() == [True, complete]


def test_without_steps_there_is_one_over_operators_and_annotations() -> None:
    call, kernel = launched(1, 60, 80, 250)
    host = [
        {"name": "aten::mm", "start": 50, "end": 90},
        {"name": "train", "kind": "annotation", "start": 40, "end": 200},
        {"name": "threading.py(1): wait", "kind": "python", "start": 0, "end": 900},
        call,
    ]
    model = make_model(host, [kernel])
    assert not model.steps.recorded
    assert model.steps.number.tolist() == [0]
    assert ranges(model) == [(40, 250)]
    assert model.steps.complete.tolist() == [True]


def test_a_trace_of_kernels_alone_has_one_step() -> None:
    model = make_model([], [{"name": "k", "start": 5, "end": 9, "correlation": 1}])
    assert ranges(model) == [(5, 9)]


def test_device_copies_of_annotations_extend_nothing() -> None:
    call, kernel = launched(1, 10, 20, 130)
    model = make_model([step(7, 0, 100), call], [{**kernel, "kind": "annotation"}])
    assert ranges(model) == [(0, 100)]
