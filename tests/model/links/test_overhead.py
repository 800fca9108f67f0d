"""The profiler's own work: the call that it is in, and the time that it takes from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

import nbprof
from nbprof.analysis.devices.idle_time import idle_time
from nbprof.analysis.operators.operators import operators
from nbprof.cli import main
from nbprof.model.links.overhead import overhead_in_calls, overhead_taken
from tests.analysis import slow
from tests.analysis.generated import traces
from tests.support.models import make_model
from tests.support.summaries import trace_text

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


@given(traces())
def test_the_call_is_the_last_begun_that_encloses_the_work(model: TraceModel) -> None:
    host = slow.rows_of(model, "host")
    own = [row for row in host if row.kind == "overhead"]
    around = [slow.call_around(host, row) for row in own]
    rows, calls = overhead_in_calls(model)
    assert rows.tolist() == [row.index for row in own]
    assert calls.tolist() == [-1 if row is None else row.index for row in around]


def test_work_in_other_work_is_in_the_call_around_it_alone() -> None:
    host = [
        {"name": "aten::add", "start": 4, "end": 6},
        {"name": "Buffer Flush", "kind": "overhead", "start": 5, "end": 8, "tid": 9},
        {"name": "Buffer Flush", "kind": "overhead", "start": 5, "end": 5, "tid": 9},
    ]
    assert overhead_in_calls(make_model(host, []))[1].tolist() == [-1, 0]


def test_what_it_took_is_that_inside_of_steps() -> None:
    steps = [
        {"name": f"ProfilerStep#{n}", "kind": "step", "start": 1000 * n, "end": 1000 * n + 900}
        for n in (1, 2)
    ]
    own = [
        {"name": "Buffer Flush", "kind": "overhead", "start": start, "end": end, "tid": 9}
        for start, end in ((0, 1100), (1300, 1400))
    ]
    assert overhead_taken(make_model(steps, [])) == ""
    assert overhead_taken(make_model([*steps, *own], [])) == "0.200 µs of 1.9 µs"
    own += [{**own[1], "start": 1350}]
    both = overhead_taken(make_model([*steps, *own], []))
    assert both == "0.250 µs of 1.9 µs, summed over threads"
    assert overhead_taken(make_model([*steps, {**own[0], "end": 900}], [])) == ""


def test_an_operator_is_not_charged_with_it(shared_data: Path) -> None:
    path = shared_data / "reports/h200_small/overhead_in_operator.json"
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    trace = nbprof.load(path, progress=False, cache=False).trace()
    [row] = trace.operators().to_pylist()
    assert row["host_total_us"] == 1800
    assert row["host_self_us"] == 1800 - 1755 - 2  # less its runtime call, too
    assert "The profiler itself took 1.8 ms of 2.2 ms" in trace_text(trace)


def test_it_is_a_row_of_idle_time_on_the_thread_that_it_is_on() -> None:
    """Work in a call of another thread does not take the time of the one that launches."""
    host = [
        {"name": "launch", "kind": "runtime", "start": 0, "end": 1, "correlation": 1},
        {"name": "aten::mm", "start": 12, "end": 40},
        {"name": "launch", "kind": "runtime", "start": 38, "end": 39, "correlation": 2},
        {"name": "aten::sum", "start": 15, "end": 35, "tid": 2},
        {"name": "Buffer Flush", "kind": "overhead", "start": 13, "end": 14, "tid": 9},
        {"name": "Loading", "kind": "overhead", "start": 16, "end": 20, "tid": 9},
    ]
    work = [
        {"name": "k", "start": 2, "end": 10, "correlation": 1},
        {"name": "k", "start": 40, "end": 44, "correlation": 2},
    ]
    model = make_model(host, work)
    found = {
        (row["host_operator"], row["host_kind"]): round(1000 * row["duration_us"])
        for row in idle_time(model).to_pylist()
    }
    assert found == {
        ("aten::mm", "operator"): 26,
        ("launch", "runtime"): 1,
        ("Buffer Flush", "overhead"): 1,
        (None, None): 2,
    }
    own = {row["name"]: row["host_self_us"] for row in operators(model).to_pylist()}
    assert own == {"aten::mm": pytest.approx(0.026), "aten::sum": pytest.approx(0.016)}


def test_info_says_what_it_took(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = shared_data / "h200/streams"
    if not path.exists():
        pytest.skip("the recording is not there")
    main(["info", str(path)])
    said = " ".join(capsys.readouterr().out.split())
    assert "the profiler itself 9.3 ms of 53.6 ms, summed over threads" in said
