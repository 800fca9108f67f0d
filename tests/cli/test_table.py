from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import nbprof as package
from nbprof.analysis.steps.steps import STEPS
from nbprof.tables import TABLES
from tests.cli.conftest import trace_json

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.running import Call


def rows(call: Call, *words: object) -> list[dict[str, Any]]:
    result = call("table", *words, "--format", "json")
    assert result.status == 0, result.err
    found: list[dict[str, Any]] = json.loads(result.text)
    return found


@pytest.mark.parametrize("table", TABLES.names())
def test_every_table_is_what_python_gives(nbprof: Call, logdir: Path, table: str) -> None:
    profile = package.load(str(logdir))
    of_profile = table == "device_time" or TABLES[table].scope == "profile"
    expected = profile.table(table) if of_profile else profile.trace().table(table)
    assert rows(nbprof, logdir, table) == expected.to_pylist()


def test_flame_graphs_have_options_of_their_own(nbprof: Call, logdir: Path) -> None:
    expected = package.load(str(logdir)).trace().flame(by="device", order="time").to_pylist()
    assert rows(nbprof, logdir, "flame", "--by", "device", "--order", "time") == expected
    result = nbprof("table", logdir, "operators", "--by", "device")
    assert result.status != 0
    assert "operators takes no --by; flame does." in result.err
    assert nbprof("table", logdir, "flame", "--by", "bytes", "--sort", "total_us").status != 0


def test_run_worker_and_span_choose_the_trace(nbprof: Call, logdir: Path) -> None:
    chosen = ("--run", "train", "--worker", "w1")
    [row] = rows(nbprof, logdir, "runs", *chosen)
    assert (row["run"], row["worker"], row["rank"]) == ("train", "w1", 1)
    assert {row["worker"] for row in rows(nbprof, logdir, "device_time", "--run", "train")} == {
        "w0",
        "w1",
    }
    assert [row["worker"] for row in rows(nbprof, logdir, "device_time", *chosen)] == ["w1"]


def test_what_was_taken_is_said_where_there_was_a_choice(nbprof: Call, logdir: Path) -> None:
    result = nbprof("table", logdir, "steps")
    assert "run 'eval', worker 'w0', span 1; 2 more" in result.err
    result = nbprof("table", logdir, "steps", "--run=eval", "--worker=w0", "--span=1")
    assert result.err == ""


@pytest.mark.parametrize(
    ("words", "calls"),
    [
        ((), 9),
        (("--steps", "1:2"), 6),
        (("--steps", "1"), 3),
        (("--steps", ":1"), 6),
        (("--steps", "2:"), 3),
        (("--steps", "-5:0"), 3),
        (("--time", "-5:1000"), 3),
        (("--time", "1000:"), 6),
        (("--time", ":1e3"), 3),
        (("--name", "GEMM"), 3),
        (("--name", "/^nccl/"), 3),
        (("--name", "-nothing"), 0),
        (("--within", "MM"), 9),
        (("--within", "=aten::mm"), 9),
        (("--within", "=aten::MM"), 0),
        (("--within", "/Step#[01]$/", "--name", "gemm"), 2),
        (("--within", "-nothing"), 0),
        (("--kinds", "memcpy"), 0),
        (("--kinds", "kernel,memcpy"), 9),
        (("--thread", "1"), 9),
        (("--thread", "2"), 0),
        (("--device", "0"), 9),
        (("--device", "-1"), 0),
        (("--stream", "7,8"), 6),
        (("--stream", "7", "--steps", "0"), 1),
    ],
)
def test_filters(nbprof: Call, logdir: Path, words: tuple[str, ...], calls: int) -> None:
    assert sum(row["calls"] for row in rows(nbprof, logdir, "kernels", *words)) == calls


def test_device_work_that_nobody_can_place_is_told(nbprof: Call, tmp_path: Path) -> None:
    trace = trace_json()
    lost = [event for event in trace["traceEvents"] if event["cat"] != "cuda_runtime"]
    path = tmp_path / "lost.pt.trace.json"
    path.write_text(json.dumps({**trace, "traceEvents": lost}))
    result = nbprof("table", path, "kernels", "--within", "=aten::mm", "--format", "json")
    assert json.loads(result.text) == []
    assert "left out 9 rows of device work" in result.err
    assert "left out" not in nbprof("table", path, "kernels").err


def test_grouping(nbprof: Call, logdir: Path) -> None:
    [row, *_] = rows(nbprof, logdir, "kernels", "--group-by", "properties")
    assert row["operator"] == "aten::mm"
    assert "input_shapes" in rows(nbprof, logdir, "operators", "--group-by", "name+shape")[0]


@pytest.mark.parametrize(
    ("words", "totals"),
    [
        (("--sort", "total_us"), [90, 60, 30]),
        (("--sort", "-total_us"), [90, 60, 30]),
        (("--sort", "total_us", "--ascending"), [30, 60, 90]),
        (("--sort", "name"), [60, 90, 30]),
        (("--sort", "-name"), [30, 90, 60]),
        (("--sort=-name", "--limit", "1"), [30]),
        (("--limit", "0"), []),
    ],
)
def test_sorting_and_limit(nbprof: Call, logdir: Path, words: Any, totals: list[int]) -> None:
    found = rows(nbprof, logdir, "kernels", *words, "--columns", "total_us")
    assert found == [{"total_us": total} for total in totals]


def test_columns_in_the_order_asked_for(nbprof: Call, logdir: Path) -> None:
    result = nbprof("table", logdir, "kernels", "--columns", "calls,name", "--format", "csv")
    assert result.text.splitlines()[0] == "calls,name"


def test_text_is_the_default(nbprof: Call, logdir: Path) -> None:
    head, *lines = nbprof("table", logdir, "steps").text.splitlines()
    assert head.split() == [column.name for column in STEPS]
    assert [line.split()[0] for line in lines] == ["0", "1", "2"]


def test_formulas_in_csv(nbprof: Call, logdir: Path) -> None:
    words = ("table", logdir, "kernels", "--columns", "name", "--format", "csv")
    assert "=HYPERLINK(1)" in nbprof(*words).text.splitlines()
    safe = nbprof(*words, "--safe-csv").text.splitlines()
    assert "'=HYPERLINK(1)" in safe
    assert "=HYPERLINK(1)" not in safe


def test_files_by_their_ending(nbprof: Call, logdir: Path, tmp_path: Path) -> None:
    expected = package.load(str(logdir)).trace().kernels()
    for suffix in ("csv", "json", "parquet", "arrow", "txt"):
        result = nbprof("table", logdir, "kernels", "-o", tmp_path / f"k.{suffix}")
        assert (result.status, result.out) == (0, b"")
    assert pq.read_table(tmp_path / "k.parquet").equals(expected)
    assert pa.ipc.open_file((tmp_path / "k.arrow").read_bytes()).read_all().equals(expected)
    assert json.loads((tmp_path / "k.json").read_text()) == expected.to_pylist()
    read = list(csv.DictReader(io.StringIO((tmp_path / "k.csv").read_text())))
    assert [float(row["total_us"]) for row in read] == expected["total_us"].to_pylist()
    assert (tmp_path / "k.txt").read_text().startswith("name")
    assert {p.suffix for p in tmp_path.glob("*.*")} == {
        ".csv",
        ".json",
        ".parquet",
        ".arrow",
        ".txt",
    }


def test_binary_to_a_pipe(nbprof: Call, logdir: Path) -> None:
    expected = package.load(str(logdir)).trace().steps()
    result = nbprof("table", logdir, "steps", "--format", "parquet")
    assert pq.read_table(io.BytesIO(result.out)).equals(expected)


@pytest.mark.parametrize("table", ["warnings", "steps", "device_summary", "operators", "kernels"])
def test_all_workers_and_spans_in_one_table(nbprof: Call, logdir: Path, table: str) -> None:
    expected = package.load(str(logdir)).table(table, run="train")
    found = rows(nbprof, logdir, table, "--run", "train", "--all")
    assert found == expected.to_pylist()
    assert expected.column_names[:3] == ["run", "worker", "span"]
    if found:
        places = rows(nbprof, logdir, table, "--run=train", "--all", "--columns", "span,worker")
        assert list(places[0]) == ["span", "worker"]


def test_all_goes_with_some_tables_only(nbprof: Call, logdir: Path) -> None:
    result = nbprof("table", logdir, "memory_peak", "--all")
    assert result.status == 2
    assert "memory_peak takes no --all; warnings, steps" in result.err
    result = nbprof("table", logdir, "kernels", "--all", "--group-by", "properties")
    assert "With --all, kernels takes --group-by name only." in result.err


def test_a_filter_that_keeps_nothing_is_named(nbprof: Call, logdir: Path) -> None:
    for words in (("operators",), ("kernels", "--all"), ("operators", "--format", "json")):
        result = nbprof("table", logdir, *words, "--run=train", "--name", "zzz", "--steps=99")
        assert result.status == 0
        assert f"{words[0]}: no rows under the filter (step 99, name contains “zzz”)" in result.err
        assert "FilterWarning" not in result.err


def test_a_table_in_the_layout_of_another_tool(nbprof: Call, logdir: Path) -> None:
    asked = ("table", logdir, "key_averages", "--layout", "torch")
    printed = nbprof(*asked, "--sort-by", "self_cpu_time_total", "--limit", "3")
    averages = package.key_averages(str(logdir))
    assert printed.text == averages.text(sort_by="self_cpu_time_total", row_limit=3)
    shapes = nbprof(*asked, "--group-by-input-shape", "yes").text
    assert shapes == package.key_averages(str(logdir), group_by_input_shape=True).text()
    named = nbprof(*asked, "--name", "mm").text
    trace = package.load(str(logdir)).trace().filter(name="mm")
    assert named == package.key_averages(trace).text()
    for words, message in (
        (("--sort", "calls"), "--layout takes no --sort; use --sort-by."),
        (("--format", "csv"), "--layout takes no --format."),
        (("--group-by-input-shape", "maybe"), "it takes yes or no"),
        (("--sort-by", "speed"), "there is no sort key 'speed'"),
    ):
        result = nbprof(*asked, *words)
        assert result.status != 0
        assert message in result.err
    result = nbprof("table", logdir, "operators", "--layout", "torch")
    assert "operators has no --layout torch; key_averages does." in result.err
    result = nbprof("table", logdir, "key_averages", "--layout", "paper")
    assert "key_averages has no --layout paper; it has torch." in result.err
