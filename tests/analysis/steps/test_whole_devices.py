"""A filter of rows does not make a busy device idle: figures of devices are those of all work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.cli import main
from nbprof.export.summary_tables import Summary
from nbprof.model.contract.table import beside, term_of
from nbprof.model.filters.filter import Filter
from nbprof.tables import TABLES
from tests.support.recordings.runs import RUNS
from tests.support.summaries import summary_html, trace_text

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.trace import Trace

WHOLE = (
    "device_summary",
    "device_time",
    "idle_gaps",
    "idle_time",
    "longest_gaps",
    "recommendations",
)
OF_ROWS: dict[str, tuple[Any, str]] = {
    "name": ("gemm", "name"),
    "within": ("=aten::addmm", "within"),
    "kinds": (("operator",), "kind"),
    "threads": ((1,), "thread"),
    "streams": ((7,), "stream"),
}


@pytest.fixture(scope="module")
def trace() -> Trace:
    return nbprof.load(RUNS, progress=False).trace("gpu_resnet_synthetic")


def test_the_tables_of_whole_devices_are_these() -> None:
    assert {name for name in TABLES.names() if TABLES[name].whole_devices} == set(WHOLE)


@pytest.mark.parametrize("field", OF_ROWS)
@pytest.mark.parametrize("name", WHOLE)
def test_a_field_that_chooses_rows_does_not_apply(trace: Trace, name: str, field: str) -> None:
    value, word = OF_ROWS[field]
    step = int(trace.model.steps.number[1])
    for other in ({}, {"steps": (step, step)}):
        whole = trace.filter(**other).table(name)
        found = trace.filter(**other, **{field: value}).table(name)
        assert found.equals(whole)
        assert beside(found) == f"of all work; the {word} filter does not apply here"
        assert beside(whole) == ""


def test_several_fields_are_named_together() -> None:
    several = Filter(name="a", threads=(1,), streams=(7,), steps=(1, 2), devices=(0,))
    words = "of all work; the name, thread and stream filters do not apply here"
    assert several.beside_devices == words
    assert several.of_devices == Filter(steps=(1, 2), devices=(0,))
    assert Filter(steps=(1, 2), devices=(0,), time_us=(0, 5)).beside_devices == ""


def test_the_rest_of_a_step_is_outside_the_filter_and_not_idle(trace: Trace) -> None:
    assert term_of(trace.steps(), "other_us") is None
    assert term_of(trace.filter(steps=(1, 9)).steps(), "other_us") is None
    named = trace.filter(name="gemm")
    assert term_of(named.steps(), "other_us") == "Outside the filter"
    for shown in (trace_text(named), summary_html(Summary(named))):
        assert "Outside the filter" in shown
        assert "f all work; the name filter does not apply here" in shown
    whole = trace_text(trace)
    assert "Outside the filter" not in whole
    assert "of all work" not in whole
    busy = next(line for line in whole.splitlines() if "utilization" in line)
    assert busy in trace_text(named)


def test_the_command_line_says_it(
    trace: Trace, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    del tmp_path
    path = str(trace.file.path)
    main(["table", path, "device_time", "--name", "gemm", "--format", "csv"])
    named = capsys.readouterr()
    main(["table", path, "device_time", "--format", "csv"])
    assert named.out == capsys.readouterr().out
    assert "device_time: of all work; the name filter does not apply here." in named.err
