"""The public API: traces by name, refreshing, combined filters, files that fail late."""

from __future__ import annotations

import gc
import os
import weakref
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.model.contract.trace_key import over_workers
from nbprof.model.errors import (
    FilterError,
    FilterWarning,
    TraceFormatError,
    TraceNotFoundError,
    UnknownNameError,
)
from nbprof.model.filters.filter import Filter
from nbprof.tables import TABLES
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from nbprof.model.contract.columns import Columns

STEP = {"ph": "X", "cat": "user_annotation", "pid": 1, "tid": 1, "dur": 100}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Two runs; the first has two workers, one of them two spans."""
    events = [
        {**STEP, "name": "ProfilerStep#3", "ts": 0},
        {**STEP, "name": "ProfilerStep#4", "ts": 100},
        op("aten::mm", 10, 20),
        op("aten::add", 110, 30),
        {
            **op("cudaLaunchKernel", 12, 2),
            "cat": "cuda_runtime",
            "args": {"correlation": 1},
        },
        kernel("gemm", 20, 60),
    ]
    for name in ("a/w0.1.pt.trace.json", "a/w0.2.pt.trace.json", "a/w1.1.pt.trace.json.gz"):
        write(tmp_path / name, events)
    write(tmp_path / "b/w0.pt.trace.json", events[:4])
    return tmp_path


def names(table: object, column: str = "name") -> list[str]:
    return table.column(column).to_pylist()


def test_traces_are_found_by_run_worker_and_span(logs: Path) -> None:
    profile = nbprof.load(logs)
    found = [(trace.run, trace.worker, trace.span) for trace in profile]
    assert found == [("a", "w0", 1), ("a", "w0", 2), ("a", "w1", 1), ("b", "w0", 1)]
    assert len(profile) == 4
    assert profile.trace().path.endswith("w0.1.pt.trace.json")
    assert profile.trace("b").worker == "w0"
    assert profile.trace(worker="w1").run == "a"
    assert profile.runs().column("span").to_pylist() == [1, 2, 1, 1]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"run": "c"}, "There is no run 'c'; there are 'a', 'b'"),
        ({"worker": "w9"}, "There is no worker 'w9'; there are 'w0', 'w1'"),
        ({"span": 7}, "There is no span 7; there are 1, 2"),
        (
            {"run": "b", "worker": "w1"},
            "There is no worker 'w1' in run 'b'; there are 'w0'. It is in run 'a'.",
        ),
        (
            {"worker": "w1", "span": 2},
            "There is no span 2 in worker 'w1'; there are 1. It is in run 'a'.",
        ),
    ],
)
def test_an_unknown_name_lists_the_known_ones(logs: Path, wanted: dict, words: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        nbprof.load(logs).trace(**wanted)
    assert str(error.value).startswith(words)


def test_a_worker_is_found_in_whatever_run_it_is(logs: Path) -> None:
    write(logs / "c" / "w7.1.pt.trace.json", [op()])
    profile = nbprof.load(logs)
    assert profile.trace(worker="w7").run == "c"
    assert profile.trace(span=2).worker == "w0"
    assert set(profile.operators(workers=["w7"])["run"].to_pylist()) == {"c"}
    assert set(profile.distributed_overview(workers=["w7"])["worker"].to_pylist()) == {"w7"}
    with pytest.raises(UnknownNameError, match="There is no run 'd'"):
        profile.operators(run="d", workers=["w7"])


def test_unknown_tables_list_the_known_ones(logs: Path) -> None:
    profile = nbprof.load(logs)
    with pytest.raises(UnknownNameError, match="runs"):
        profile.table("memory_peak")
    with pytest.raises(UnknownNameError, match="operators"):
        profile.trace().table("runs")
    assert profile.table("runs").num_rows == 4
    assert profile.trace().table("kernels", group_by="properties").num_rows == 1


def test_filters_narrow_and_add_up(logs: Path) -> None:
    trace = nbprof.load(logs).trace()
    assert sorted(names(trace.operators())) == ["aten::add", "aten::mm"]
    narrowed = trace.filter(steps=3)
    assert names(narrowed.operators()) == ["aten::mm"]
    with pytest.warns(FilterWarning, match="step 3, name contains “add”"):
        assert names(narrowed.filter(name="add").operators()) == []
    assert narrowed.filter(steps=None).active_filter == nbprof.Filter()
    assert names(trace.filter(nbprof.Filter(steps=4)).operators()) == ["aten::add"]
    assert not trace.active_filter, "a filtered trace is another object"
    with pytest.raises(FilterError, match="Did you mean 'steps'"):
        trace.filter(step=3)


def test_filtered_traces_share_what_was_read(logs: Path) -> None:
    trace = nbprof.load(logs).trace()
    assert not trace.is_read
    assert trace.filter(steps=3).model is trace.model
    assert trace.is_read


def test_refresh_sees_what_came_and_keeps_what_was_read(logs: Path) -> None:
    profile = nbprof.load(logs)
    first = profile.trace("b")
    model = first.model
    write(logs / "c" / "w0.pt.trace.json", [op()])
    (logs / "a" / "w1.1.pt.trace.json.gz").unlink()
    assert profile.refresh() is profile
    assert {trace.run for trace in profile} == {"a", "b", "c"}
    assert len(profile) == 4
    assert profile.trace("b").model is model


def test_refresh_reads_a_file_again_that_has_grown(logs: Path) -> None:
    profile = nbprof.load(logs)
    assert profile.trace("b").operators().num_rows == 2
    write(logs / "b" / "w0.pt.trace.json", [op("aten::relu"), op("aten::mul", 50), op("x", 70)])
    assert names(profile.refresh().trace("b").filter(name="relu").operators()) == ["aten::relu"]


def test_one_bad_file_hides_no_other(logs: Path) -> None:
    write(logs / "a" / "w2.pt.trace.json", "this is no trace")
    write(logs / "notes.json", '{"learning_rate": 0.1}')
    profile = nbprof.load(logs)
    assert len(profile) == 4
    skipped = dict(zip(*(names(profile.skipped(), c) for c in ("path", "reason")), strict=True))
    assert {path.rsplit("/", 1)[1] for path in skipped} == {"w2.pt.trace.json", "notes.json"}
    assert all(skipped.values())


def test_a_file_that_breaks_when_it_is_read_joins_the_skipped(logs: Path) -> None:
    profile = nbprof.load(logs)
    trace = profile.trace("b")
    (logs / "b" / "w0.pt.trace.json").write_bytes(b"\x00" * 40)
    with pytest.raises(TraceFormatError, match=r"w0\.pt\.trace\.json"):
        trace.operators()
    assert [path.endswith("w0.pt.trace.json") for path in names(profile.skipped(), "path")] == [
        True
    ]
    assert [trace.run for trace in profile] == ["a", "a", "a"]


def test_nothing_found_says_what_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / "readme.txt").write_text("hello")
    with pytest.raises(TraceNotFoundError, match=r"pt\.trace\.json"):
        nbprof.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        nbprof.load(tmp_path / "missing")


def test_sources_that_can_be_gone_through_once_can_be_refreshed(logs: Path) -> None:
    profile = nbprof.load(path for path in [logs / "b" / "w0.pt.trace.json"])
    assert len(profile.refresh()) == 1


def test_device_time_of_a_run_has_a_row_per_worker(logs: Path) -> None:
    profile = nbprof.load(logs)
    assert names(profile.device_time(), "worker") == ["w0", "w0", "w1"]
    assert names(profile.device_time(), "span") == [1, 2, 1]
    assert names(profile.device_time(workers=["w1"]), "worker") == ["w1"]
    with pytest.raises(UnknownNameError, match="w9"):
        profile.device_time(workers=["w9"])


#: The tables of `profile` that are those of every trace one after another.
OF_ALL = ("warnings", "steps", "device_summary", "device_time", "operators", "kernels")


@pytest.mark.parametrize("name", OF_ALL)
def test_tables_over_workers_are_those_of_every_trace_and_say_which(logs: Path, name: str) -> None:
    profile = nbprof.load(logs)
    for run in ("a", "b"):
        expected = []
        for trace in nbprof.load(logs):
            if trace.run == run:
                where = {"run": trace.run, "worker": trace.worker, "span": trace.span}
                expected += [{**row, **where} for row in trace.table(name).to_pylist()]
        found = profile.table(name, run=run)
        assert found.to_pylist() == expected
        assert found.column_names[:3] == ["run", "worker", "span"]
        assert found.column_names == [
            column.name for column in over_workers(contract_of(found, name))
        ]


def contract_of(table: pa.Table, name: str) -> Columns:
    return tuple(column for column in TABLES[name].columns if column.name in table.column_names)


def test_steps_of_all_spans_of_one_worker(logs: Path) -> None:
    profile = nbprof.load(logs)
    found = profile.steps(workers="w0").to_pylist()
    assert [(row["run"], row["worker"], row["span"], row["step"]) for row in found] == [
        ("a", "w0", 1, 3),
        ("a", "w0", 1, 4),
        ("a", "w0", 2, 3),
        ("a", "w0", 2, 4),
    ]
    assert profile.steps(None, Filter(steps=4)).num_rows == 3
    assert set(names(profile.steps(span=2), "span")) == {2}


def test_device_time_takes_filters_and_spans(logs: Path) -> None:
    profile = nbprof.load(logs)
    whole, cut = profile.device_time(), profile.device_time("a", Filter(time_us=(20, 50)))
    assert names(whole, "total_us") == [60.0, 60.0, 60.0]
    assert names(cut, "total_us") == [30.0, 30.0, 30.0]
    assert names(profile.device_time(workers="w1"), "worker") == ["w1"]
    assert names(profile.device_time(None, Filter(workers=["w1"])), "worker") == ["w1"]
    assert names(profile.device_time(span=2), "worker") == ["w0"]
    assert profile.device_time("b").column_names == whole.column_names
    for options in ({"span": 9}, {"span": 2, "workers": ["w1"]}):
        with pytest.raises(UnknownNameError, match="no span"):
            profile.device_time(**options)


def test_device_time_goes_on_without_workers_that_break(logs: Path) -> None:
    write(logs / "a" / "a0.pt.trace.json", [])
    profile = nbprof.load(logs)
    with pytest.warns(
        nbprof.WorkerWarning, match=r"device_time: worker 'a0' is left out\. .*a0\.pt"
    ):
        assert names(profile.device_time(), "worker") == ["w0", "w0", "w1"]
    assert names(profile.skipped(), "path") == [str(logs / "a" / "a0.pt.trace.json")]
    alone = nbprof.load(logs / "a" / "a0.pt.trace.json")
    with pytest.raises(TraceFormatError, match="no operators"):
        alone.device_time()


def test_reprs_say_what_is_there_and_escape_it(logs: Path) -> None:
    write(logs / "<b>" / "w0.pt.trace.json", [op()])
    profile = nbprof.load(logs)
    assert "3 runs, 4 workers, 5 traces" in repr(profile)
    html = profile._repr_html_()
    assert '<td style="text-align:left">a</td>' in html
    assert "<b>" not in html
    assert "filtered to step 3" in repr(profile.trace().filter(steps=3))


def test_a_file_is_read_once_however_often_it_is_opened(logs: Path) -> None:
    first = nbprof.load(logs).trace()
    model = first.model
    assert nbprof.load(logs).trace().model is model
    assert nbprof.load(logs, strict=True).trace().model is not model


def test_a_file_rewritten_with_the_same_size_is_another(logs: Path) -> None:
    path = logs / "b" / "w0.pt.trace.json"
    profile = nbprof.load(logs)
    assert "aten::mm" in names(profile.trace("b").operators())
    changed = path.read_bytes().replace(b"aten::mm", b"aten::mv")
    path.write_bytes(changed)
    os.utime(path, ns=(0, 0))
    assert "aten::mv" in names(profile.refresh().trace("b").operators())


def test_models_go_when_nobody_shows_them(logs: Path) -> None:
    profile = nbprof.load(logs)
    model = weakref.ref(profile.trace().model)
    del profile
    gc.collect()
    assert model() is None


def test_a_profile_is_filtered_as_a_trace(tmp_path: Path) -> None:
    for worker in ("w0", "w1"):
        events = [op("aten::mm", 1, 90), kernel("gemm", 10, 20), kernel("add", 50, 5)]
        write(tmp_path / f"{worker}.1.pt.trace.json", events)
    profile = nbprof.load(tmp_path, progress=False)
    narrow = profile.filter(name="gemm").filter(workers="w1")
    assert narrow.active_filter == nbprof.Filter(name="gemm", workers="w1")
    assert narrow.kernels()["worker"].to_pylist() == ["w1"]
    assert narrow.table("kernels").equals(profile.kernels(filter_=narrow.active_filter))
    assert narrow.kernels(filter_=nbprof.Filter(name="add")).num_rows == 2
    assert [trace.worker for trace in narrow] == ["w1"]
    assert len(narrow) == 1
    assert narrow.trace().kernels()["name"].to_pylist() == ["gemm"]
    assert narrow.trace().worker == "w1"
    assert narrow.warnings().equals(profile.warnings())
    assert narrow.runs().num_rows == 2
    assert narrow.filter(nbprof.Filter()).kernels().equals(profile.kernels())
    assert "filtered to" in repr(narrow)
    assert "filtered to" not in repr(profile)
    assert profile.kernels().num_rows == 4
    with pytest.raises(nbprof.FilterError):
        profile.filter(nme="gemm")
    shown = nbprof.show(profile.filter(name="gemm"), view="kernels")
    assert shown.filter == {"name": "gemm"}
    assert shown.table["name"].to_pylist() == ["gemm"]
    shown.close()
