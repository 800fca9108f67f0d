"""Files with several JSON documents, such as appended recordings, are read to their end."""

from __future__ import annotations

import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.sources import read
from tests.support.traces import (
    kernel,
    op,
    open_trace,
    read_trace,
    table_rows,
    warning_counts,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path


def document(*events: Any, **header: Any) -> str:
    return json.dumps({"schemaVersion": 1, **header, "traceEvents": list(events)})


def starts(path: Path, **options: Any) -> list[int]:
    """Return when the operators of a file begin, in microseconds."""
    rows = table_rows(read_trace(path, **options))
    return sorted(row["start_ns"] // 1000 for row in rows)


@pytest.mark.parametrize("between", ["\n", "", ",\n", " \n\n ", "\n\x1e"])
def test_documents_are_read_in_order_whatever_separates_them(tmp_path: Path, between: str) -> None:
    texts = [
        document(op(ts=0), op(ts=10), op(ts=20)),
        document(op(ts=30), {"ph": "M", "name": "]}{[", "args": {"x": '"traceEvents": ['}}),
        document(),
        json.dumps([op(ts=40), op(ts=50)]),
        json.dumps({"traceEvents": [op(ts=60)], "displayTimeUnit": "ms", "more": {"a": [{}]}}),
    ]
    path = write(tmp_path / "w.json", between.join(texts) + "\n")
    assert starts(path) == [0, 10, 20, 30, 40, 50, 60]
    assert not warning_counts(read_trace(path))


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("window", [64, 100, 1000, 1 << 20])
def test_no_size_of_a_window_loses_events(tmp_path: Path, window: int, *, compressed: bool) -> None:
    texts = [
        document(*(op(ts=10 * (7 * one + at)) for at in range(one % 5 + 1)), note="{[}" * one)
        for one in range(20)
    ]
    name = "w.json.gz" if compressed else "w.json"
    path = write(tmp_path / name, "\n".join(texts))
    wanted = [10 * (7 * one + at) for one in range(20) for at in range(one % 5 + 1)]
    assert starts(path, window=window) == wanted
    assert not warning_counts(read_trace(path, window=window))


def test_several_processes_read_the_same(tmp_path: Path) -> None:
    texts = [document(*(op(ts=10 * (100 * one + at)) for at in range(100))) for one in range(30)]
    path = write(tmp_path / "w.json", "\n".join(texts))
    alone = read_trace(path, window=4096)
    several = read_trace(path, window=4096, processes=3)
    assert alone.tables["host"].num_rows == 3000
    assert several.tables["host"].equals(alone.tables["host"])


def test_headers_complete_each_other_and_the_first_counts(tmp_path: Path) -> None:
    first = document(op(), distributedInfo={"rank": 3})
    second = document(op(ts=90), distributedInfo={"rank": 7}, host_name="node4")
    model = read_trace(write(tmp_path / "w.json", f"{first}\n{second}\n"))
    assert (model.metadata["rank"], model.metadata["host_name"]) == (3, "node4")


@pytest.mark.parametrize(
    "after",
    [
        "and more",
        '{"a": 1}',
        "[1, 2, 3]" + " " * 300,
        '{"traceEvents": [1, 2]}' + " " * 300,
        '{"nested": {"traceEvents": [{"ph": "X"}]}}',
        "}",
    ],
)
def test_other_text_after_the_end_is_counted(tmp_path: Path, after: str) -> None:
    path = write(tmp_path / "w.json", document(op(), op(ts=20)) + "\n" + after)
    model = read_trace(path)
    assert model.tables["host"].num_rows == 2
    assert warning_counts(model) == {"text after the end": 1}
    with pytest.raises(nbprof.TraceFormatError, match="text after the end"):
        read_trace(path, strict=True)


def test_a_document_without_events_is_passed_over(tmp_path: Path) -> None:
    texts = ['{"about": "run"}', document(op(ts=0)), '{"note": [1]}', document(op(ts=10))]
    assert starts(write(tmp_path / "w.json", "\n".join(texts))) == [0, 10]


def test_the_end_of_the_last_document_may_be_missing(tmp_path: Path) -> None:
    text = document(op(ts=0), op(ts=10)) + "\n" + document(op(ts=20), op(ts=30), op(ts=40))
    path = write(tmp_path / "w.json", text[:-30])
    assert starts(path) == [0, 10, 20, 30]
    assert warning_counts(read_trace(path)) == {"cut off": 1}


def test_a_brace_may_be_missing_between_documents(tmp_path: Path) -> None:
    text = document(op(ts=0))[:-1] + "\n" + document(op(ts=10))
    path = write(tmp_path / "w.json", text)
    assert starts(path) == [0, 10]
    assert warning_counts(read_trace(path)) == {"cut off": 1}


def test_recordings_of_proton_are_found_by_name_and_read_whole(tmp_path: Path) -> None:
    """Triton's profiler writes a document for each stream, and names no device."""

    def stream(*spans: tuple[str, float, float]) -> str:
        return json.dumps(
            {
                "displayTimeUnit": "us",
                "traceEvents": [
                    {"name": name, "cat": "kernel", "ph": "X", "ts": ts, "dur": dur, "tid": 0}
                    for name, ts, dur in spans
                ],
            }
        )

    text = stream(("mm", 0.0, 100.0), ("add", 150.0, 20.0)) + "\n" + stream(("soft", 50.0, 60.0))
    write(tmp_path / "proton.chrome_trace", text)
    profile = nbprof.load(tmp_path, cache=False)
    rows = profile.trace().kernels().to_pylist()
    assert len(rows) == 3
    assert sum(row["total_us"] for row in rows) == 180


def test_reported_recordings_of_proton(shared_data: Path) -> None:
    for name in ("proton.chrome_trace", "proton.json"):
        model = read(open_trace(shared_data / "reports" / "proton" / name), progress=False)
        durations = model.tables["device"]["duration_ns"].to_pylist()
        assert (len(durations), sum(durations)) == (3, 180_000)


def test_paddle_reads_all_documents_too(tmp_path: Path) -> None:
    first = document(op(name="a", cat="Operator"), span_indx=2)
    second = document(kernel(name="k", cat="Kernel"))
    model = read_trace(write(tmp_path / "w.paddle_trace.json", first + "\n" + second))
    assert model.metadata["format"] == "Paddle"
    assert sum(model.tables[name].num_rows for name in ("host", "device")) == 2


@pytest.mark.parametrize("padding", [b"\0", b" ", b"x"])
@pytest.mark.parametrize("is_bare", [False, True])
def test_padding_after_the_end_takes_no_memory(
    tmp_path: Path, padding: bytes, is_bare: bool
) -> None:
    text = json.dumps([op(ts=0), op(ts=10)]) if is_bare else document(op(ts=0), op(ts=10))
    path = write(tmp_path / "w.json", text)
    with path.open("ab") as file:
        for _ in range(96):
            file.write(padding * (1 << 20))
    read_trace(write(tmp_path / "small.json", text))  # loads what is imported when needed
    tracemalloc.start()
    try:
        counts = warning_counts(read_trace(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert starts(path) == [0, 10]
    assert counts.get("text after the end", 0) == (padding != b" ")
    assert peak < 80 << 20
