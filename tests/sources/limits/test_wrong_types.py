"""Metadata whose numbers are texts, or the reverse: names of processes, threads and devices."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

import nbprof
from nbprof.tables import TABLES
from nbprof.timeline.timeline import Timeline
from tests.fuzz.contents import Sqlite
from tests.fuzz.seeds import seed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fuzz.seeds import Files

#: What stands in place of a value of the right type.
WRONG: Final = ("high", "7", "", "1e999", 7, -1, 2.5, 10**30, True, None, [], ["a"], {}, {"a": 1})
#: Metadata events, and the argument of each.
SAID: Final = {
    "process_name": "name",
    "process_labels": "labels",
    "process_sort_index": "sort_index",
    "thread_name": "name",
    "thread_sort_index": "sort_index",
}
#: Tables of an export or profile that say what devices, processes and threads are called.
NAMING: Final = {
    "nsight": ("ThreadNames", "TARGET_INFO_GPU", "TARGET_INFO_CUDA_DEVICE", "StringIds",
               "TARGET_INFO_SESSION_START_TIME", "DIAGNOSTIC_EVENT", "TARGET_INFO_GPU_METRICS"),
    "nvprof_sql": ("CUPTI_ACTIVITY_KIND_DEVICE", "StringTable"),
}  # fmt: skip


def written(files: Files, folder: Path) -> Path:
    """Write a recording."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content.encode())
    return folder


def expect_readable(folder: Path) -> nbprof.Trace:
    """Compute all tables and the lanes, of which none may raise."""
    trace = nbprof.load(folder, progress=False, cache=False).trace()
    for spec in TABLES.specs():
        if spec.scope != "profile":
            trace.table(spec.name).validate(full=True)
    assert Timeline.of(trace.model).lanes
    repr(trace)
    return trace


def odd_events() -> Iterator[dict[str, Any]]:
    """Give metadata of every kind with every wrong value, in arguments and in ids."""
    for name, key in SAID.items():
        for number, wrong in enumerate(WRONG):
            event = {"ph": "M", "name": name, "ts": 0, "pid": 900 + number, "tid": number}
            yield {**event, "args": {key: wrong}}
            yield {**event, "args": wrong}
            yield {**event, "pid": wrong, "args": {key: "named"}}
            yield {**event, "tid": wrong, "args": {key: 3}}
            yield {**event, "ts": wrong, "args": {key: "named"}}


@pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")
@pytest.mark.parametrize("name", ["kineto_gpu", "paddle_json", "ascend"])
def test_of_processes_and_threads_of_events(name: str, tmp_path: Path) -> None:
    files = seed(name)
    [path] = [path for path in files if path.endswith(("trace.json", "trace_view.json"))]
    content: Any = files[path]
    plain = expect_readable(written(files, tmp_path / "plain"))
    events = content.value["traceEvents"] if isinstance(content.value, dict) else content.value
    # Also for the threads that have slices, before they are named well.
    used = {(e.get("pid"), e.get("tid")) for e in events if e.get("ph") == "X"}
    odd = [
        {"ph": "M", "name": said, "pid": pid, "tid": tid, "ts": 0, "args": {key: wrong}}
        for pid, tid in sorted(used, key=str)[:3]
        for said, key in SAID.items()
        if said.endswith("sort_index")
        for wrong in WRONG
    ]
    events[:0] = [*odd_events(), *odd]
    trace = expect_readable(written(files, tmp_path / "odd"))
    for table in ("operators", "kernels", "steps"):
        assert trace.table(table).equals(plain.table(table)), table


@pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")
@pytest.mark.parametrize("wrong", ["high", 2.5, b"\xff", -(2**63), 2**40, None], ids=repr)
@pytest.mark.parametrize("name", NAMING)
def test_of_tables_that_name_threads_and_devices(name: str, wrong: Any, tmp_path: Path) -> None:
    [(path, content)] = seed(name).items()
    assert isinstance(content, Sqlite)
    plain = expect_readable(written({path: content}, tmp_path / "plain"))
    [odd] = seed(name).values()
    assert isinstance(odd, Sqlite)
    for table in NAMING[name]:
        if table not in odd.tables:
            continue
        columns, first, *_ = odd.tables[table]
        for at in range(len(columns)):
            row = [wrong if at == place else value for place, value in enumerate(first)]
            if table.startswith("String") and at:  # another text, not one that is used
                row[0] = 1_000_000 + at
            odd.tables[table].append(row)
    trace = expect_readable(written({path: odd}, tmp_path / "odd"))
    mine, theirs = (one.table("kernels")["name"].to_pylist() for one in (trace, plain))
    assert mine == theirs
    assert json.dumps(trace.table("steps").to_pylist(), default=str)
