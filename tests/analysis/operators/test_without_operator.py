"""Device time that no operator has: how much it is, who launched it, and where it is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

import nbprof
from nbprof.analysis.operators.operators import operators
from nbprof.analysis.operators.without_operator import without_operator
from nbprof.cli import main
from nbprof.export.summary_tables import Summary
from nbprof.model.filters.filter import Filter
from nbprof.sources.files.shared_names import SharedNames
from nbprof.widgets.requests.trace import trace_info
from tests.analysis import slow
from tests.analysis.generated import filters, traces
from tests.support.models import make_model
from tests.support.summaries import summary_html, trace_text

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

GRAPH = "1.1 ms of 1.1 ms device time (98.2 %) belongs to no operator, launched by hipGraphLaunch"


@given(traces())
def test_it_is_what_the_operators_lack(model: TraceModel) -> None:
    found = without_operator(model)
    own = [row["device_self_us"] or 0.0 for row in operators(model).to_pylist()]
    work = [row for row in slow.rows_of(model, "device") if row.kind in slow.WORK]
    assert found.whole_us == pytest.approx(sum(row.duration for row in work) / 1000)
    assert found.time_us + sum(own) == pytest.approx(found.whole_us)


@given(traces(), filters())
def test_it_follows_filters_of_devices(model: TraceModel, filter_: Filter) -> None:
    part = Filter(devices=filter_.devices)
    left = without_operator(model, part)
    assert 0 <= left.time_us <= left.whole_us <= without_operator(model).whole_us


def test_the_calls_that_launched_it_are_counted() -> None:
    host = [
        {"name": "aten::mm", "start": 0, "end": 10},
        {"name": "cudaLaunchKernel", "kind": "runtime", "start": 2, "end": 3, "correlation": 1},
        {"name": "cudaGraphLaunch", "kind": "runtime", "start": 20, "end": 25, "correlation": 2},
    ]
    work = [{"name": "k", "start": 10, "end": 20, "correlation": 1}]
    assert without_operator(make_model(host, work)).sentence == ""
    graph = [{"name": "k", "start": n, "end": n + 10, "correlation": 2} for n in (30, 40, 50)]
    assert without_operator(make_model(host, work + graph)).sentence == (
        "0.030 µs of 0.040 µs device time (75.0 %) belongs to no operator, launched by"
        " cudaGraphLaunch (1 call, 3 kernels)"
    )
    copies = [{**one, "kind": "memcpy"} for one in graph]
    zeros = {**graph[0], "kind": "memset"}
    for rows, words in (
        (copies, "3 copies"),
        ([graph[0], copies[1], zeros], "1 kernel, 1 copy and 1 memory set"),
    ):
        assert f"(1 call, {words})" in without_operator(make_model(host, rows)).sentence
    lost = [{"name": "k", "start": 60, "end": 90, "correlation": 9}]
    assert without_operator(make_model(host, work + lost)).sentence == (
        "0.030 µs of 0.040 µs device time (75.0 %) belongs to no operator, and its launch is not"
        " in the trace"
    )


def test_it_is_said_with_operators_everywhere(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = shared_data / "reports/graph"
    if not path.exists():
        pytest.skip("reports/graph is not there")
    trace = nbprof.load(path, progress=False, cache=False).trace()
    assert GRAPH in " ".join(trace_text(trace).split())
    assert GRAPH in summary_html(Summary(trace))
    hint = trace_info(trace, SharedNames(path))["hints"]["no_operator"]
    assert hint.startswith(f"In the whole recording, {GRAPH}")
    main(["info", str(path)])
    assert GRAPH in " ".join(capsys.readouterr().out.split())
