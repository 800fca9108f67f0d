"""A result without rows warns and names the filter; other results do not."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.model.filters.filter import Filter
from nbprof.tables import TABLES
from nbprof.tables.trace import compute_table
from tests.support.tables import TRACE_TABLES
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path

NOTHING = {"name": "zzz"}


@pytest.fixture
def trace(tmp_path: Path) -> nbprof.Trace:
    step = {"ph": "X", "cat": "user_annotation", "pid": 1, "tid": 1, "dur": 100}
    events = [
        {**step, "name": "ProfilerStep#3", "ts": 0},
        op("aten::mm", 10, 20),
        {**op("cudaLaunchKernel", 12, 2), "cat": "cuda_runtime", "args": {"correlation": 1}},
        kernel("gemm", 20, 60),
    ]
    write(tmp_path / "w0.pt.trace.json", events)
    return nbprof.load(tmp_path, progress=False).trace()


def messages(make: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make()
    # Old versions of ipywidgets use what traitlets advises against.
    caught = [one for one in caught if one.category is not DeprecationWarning]
    assert all(one.category is nbprof.FilterWarning for one in caught)
    assert all(one.filename == __file__ for one in caught), "the line of the caller is shown"
    return [str(one.message) for one in caught]


@pytest.mark.parametrize("name", TRACE_TABLES)
def test_a_table_warns_if_only_the_filter_empties_it(trace: nbprof.Trace, name: str) -> None:
    whole = trace.table(name).num_rows
    narrow = trace.filter(**NOTHING)
    empty = compute_table(narrow, name).num_rows == 0
    told = empty and whole > 0 and TABLES[name].filtered and TABLES[name].warns_if_empty
    for make in (getattr(narrow, name), lambda: narrow.table(name)):
        found = messages(make)
        assert len(found) == told
        for text in found:
            assert text.startswith(f"{name}: nothing is left under the filter")
            assert "name contains “zzz”" in text
            there = "there is 1 row." if whole == 1 else f"there are {whole} rows."
            assert text.endswith(f"; without it {there}")
    assert messages(getattr(trace, name)) == []


def test_options_of_a_table_go_with_it(trace: nbprof.Trace) -> None:
    narrow = trace.filter(**NOTHING)
    for make in (
        lambda: narrow.kernels("launch"),
        lambda: narrow.kernels(group_by="launch"),
        lambda: narrow.table("kernels", group_by="launch"),
    ):
        assert len(messages(make)) == 1
    assert narrow.kernels.__doc__ == nbprof.Trace.kernels.__doc__


def test_tables_over_workers_warn(tmp_path: Path, trace: nbprof.Trace) -> None:
    profile = nbprof.load(tmp_path, progress=False)
    narrow = Filter(steps=99)
    for name in ("steps", "operators", "kernels", "distributed_overview"):
        found = messages(lambda name=name: getattr(profile, name)(None, narrow))
        assert found == [f"{name}: nothing is left under the filter (step 99)."]
        assert messages(getattr(profile, name)) == []
    assert trace.steps().num_rows == 1


def test_a_written_part_without_events_says_so(tmp_path: Path, trace: nbprof.Trace) -> None:
    path = tmp_path / "part.json"
    [text] = messages(lambda: trace.filter(steps=99).to_chrome_trace(path))
    assert "nothing is left under the filter (step 99)" in text
    assert "steps 3 to 3" in text
    assert path.exists()
    [text] = messages(lambda: trace.to_chrome_trace(path, time_us=(5000, 6000)))
    assert "5,000 to 6,000 µs" in text
    for narrow in ({}, {"steps": 3}, {"time_us": (0, 15)}, {"name": "zzz"}):
        part = trace.filter(**narrow)
        assert messages(lambda part=part: part.to_chrome_trace(path)) == []


@pytest.mark.parametrize("view", ["overview", "operators", "kernels"])
def test_views_say_it_themselves(trace: nbprof.Trace, view: str) -> None:
    def show() -> None:
        shown = nbprof.show(trace.filter(**NOTHING), view=view)
        assert shown.table is None or shown.table.num_rows >= 0
        shown.close()

    assert messages(show) == []
