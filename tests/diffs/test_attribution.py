"""The time of every name: sums to the step and to its categories; compared moment by moment."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given

from nbprof.analysis.steps.attribution import DEVICE, HOST, Attribution, attribute
from nbprof.analysis.steps.breakdown import break_down, steps_in_range
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.trace import kinds
from tests.analysis import generated
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


@given(generated.traces(), generated.filters())
def test_names_sum_to_categories(model: TraceModel, filter_: Filter) -> None:
    check_sums(model, filter_, attribute(model, filter_))


@pytest.mark.parametrize("trace", ["diff_control", "mtia_inference", "h100_bert"])
def test_recordings_sum_to_categories(shared_data: Path, trace: str) -> None:
    from tests.support.traces import read_trace

    found = next(path for path in sorted((shared_data / "kineto" / trace).iterdir()))
    model = read_trace(found)
    check_sums(model, NO_FILTER, attribute(model, NO_FILTER))


def check_sums(model: TraceModel, filter_: Filter, found: Attribution) -> None:
    """Compare the sums by step and category with those of the breakdown."""
    broken = break_down(model, filter_)
    chosen = np.flatnonzero(steps_in_range(model, filter_).chosen)
    for number, category in enumerate(kinds.CATEGORIES):
        here = found.category == number
        sums = [int(found.time_ns[here & (found.step == step)].sum()) for step in chosen]
        assert sums == broken.costs[category].tolist()
    assert found.time_ns.sum() == broken.total_ns.sum()
    assert (found.time_ns > 0).all()


def named(model: TraceModel, found: Attribution) -> dict[tuple[str, str], int]:
    """Return the time of each category and name."""
    titles = list(kinds.CATEGORIES)
    sums: Counter[tuple[str, str]] = Counter()
    for category, side, name, time in zip(
        found.category, found.side, found.name, found.time_ns, strict=True
    ):
        table = {HOST: "host", DEVICE: "device"}.get(side)
        text = model.values(table, "name")[name] if table else ""
        sums[titles[category], text] += int(time)
    return dict(sums)


def test_the_innermost_operator_has_the_time() -> None:
    host = [
        {"name": "ProfilerStep#1", "kind": "step", "start": 0, "end": 100},
        {"name": "forward", "kind": "annotation", "start": 5, "end": 60},
        {"name": "aten::linear", "start": 10, "end": 50},
        {"name": "aten::mm", "start": 20, "end": 40},
        {"name": "cudaLaunchKernel", "kind": "runtime", "start": 30, "end": 35, "correlation": 1},
        {"name": "aten::mm", "start": 40, "end": 45},
    ]
    device = [{"name": "gemm", "start": 42, "end": 70, "correlation": 1}]
    model = make_model(host, device)
    assert named(model, attribute(model, NO_FILTER)) == {
        ("kernel", "aten::mm"): 28,
        ("runtime", "cudaLaunchKernel"): 5,
        ("cpu_exec", "forward"): 5,
        ("cpu_exec", "aten::linear"): 10,
        ("cpu_exec", "aten::mm"): 17,
        ("other", ""): 35,
    }


def test_operators_go_before_annotations_of_other_threads() -> None:
    host = [
        {"name": "ProfilerStep#1", "kind": "step", "start": 0, "end": 40},
        {"name": "backward", "kind": "annotation", "start": 0, "end": 40},
        {"name": "aten::mm", "start": 10, "end": 30, "tid": 2},
    ]
    model = make_model(host)
    assert named(model, attribute(model, NO_FILTER)) == {
        ("cpu_exec", "backward"): 20,
        ("cpu_exec", "aten::mm"): 20,
    }


def test_work_on_two_streams_counts_for_the_first_that_started() -> None:
    device = [
        {"name": "a", "start": 0, "end": 30},
        {"name": "b", "start": 10, "end": 50, "stream": 8},
    ]
    host = [{"name": "ProfilerStep#1", "kind": "step", "start": 0, "end": 60}]
    model = make_model(host, device)
    found = named(model, attribute(model, NO_FILTER))
    assert found == {("kernel", "a"): 30, ("kernel", "b"): 20, ("other", ""): 10}
