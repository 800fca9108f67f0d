"""The memory view of profiles with components, peaks or reserved memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from traitlets import TraitError

import nbprof
from tests.sources.ascend.directories import output_folder, table
from tests.widgets.conftest import Page, table_of, write_trace
from tests.widgets.saved.test_saved_answers import compare

if TYPE_CHECKING:
    from pathlib import Path

    from bokeh.plotting import figure

MIB = 2**20
ZERO = 1_700_000_000_000_000
BLOCKS = table(
    "Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),Allocation Total Allocated(MB)"
    ",Allocation Total Reserved(MB),Release Total Allocated(MB),Release Total Reserved(MB)"
    ",Device Type",
    f"aten::mm,1024,{ZERO + 100}.5,{ZERO + 300},199.5,5,8,4,8,NPU:0",
    f"cann::Conv,2048,{ZERO + 200},,,2,3,,,NPU:0",
)
RECORDS = table(
    "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type",
    f"PTA,{ZERO + 100}.5,5,8,NPU:0",
    f"PTA+GE,{ZERO + 100}.5,5,8,NPU:0",
    f"GE,{ZERO + 200},2,3,NPU:0",
    f"PTA+GE,{ZERO + 200},7,11,NPU:0",
    f"PTA,{ZERO + 300},4,8,NPU:0",
    f"PTA+GE,{ZERO + 300},6,11,NPU:0",
    f"APP,{ZERO + 50},,20,NPU:0",
    f"APP,{ZERO + 250},,24,NPU:0",
)
MODULES = table(
    "Component,Timestamp(us),Total Reserved(MB),Device",
    f"HCCL,{ZERO},92.2,NPU:0",
    f"HCCL,{ZERO + 20},404.0,NPU:0",
    f"SLOG,{ZERO},0.0,NPU:0",
)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A run of an NPU with memory, and one of PyTorch."""
    folder = output_folder(tmp_path / "logs" / "npu")
    for name, text in (
        ("operator_memory", BLOCKS),
        ("memory_record", RECORDS),
        ("npu_module_mem", MODULES),
    ):
        (folder / f"{name}.csv").write_text(text, "utf-8")
    write_trace(tmp_path / "logs" / "gpu" / "worker0.1700000000001.pt.trace.json")
    return tmp_path / "logs"


@pytest.fixture
def memory(open_page: Any, logs: Path) -> Page:
    runs = nbprof.load(logs).runs().to_pylist()
    (run,) = [row["run"] for row in runs if row["format"] == "Ascend"]
    return open_page(logs, nbprof.MemoryView, run=run)


def drawn(page: Page, **memory: Any) -> dict[str, Any]:
    found: dict[str, Any] = page.result("memory", state=page.state(), memory=memory, width=700)
    return found


def sources(found: figure | None) -> set[str]:
    assert found is not None
    return {name for name in ALL if list(found.select({"name": name}))}


ALL = [
    f"{of} {whose}"
    for of in ("allocated", "reserved")
    for whose in ("NPU 0", "PTA", "GE", "APP", "PTA+GE")
]


def test_components_can_be_chosen_where_they_are_known(memory: Page) -> None:
    operator = drawn(memory)
    assert (operator["by"], operator["kinds"]) == ("operator", ["operator", "component"])
    (peak,) = operator["peaks"]
    assert (peak["label"], peak["bytes"], operator["records"]) == ("NPU 0", 7 * MIB, 3)
    parts = drawn(memory, by="component")
    assert (parts["by"], parts["records"]) == ("component", 5)
    assert {row["label"]: row["bytes"] // MIB for row in parts["peaks"]} == {
        "APP": 24,
        "PTA": 8,
        "GE": 3,
    }
    assert parts["figure"] is not None
    assert parts["plane"]["bytes"] == MIB


def test_the_curve_follows_the_choice(memory: Page) -> None:
    view = memory.view
    assert sources(view.figure) == {"allocated NPU 0", "reserved NPU 0"}
    memory.save(memory_by="component")
    assert view.memory_by == "component"
    parts = {"allocated PTA", "reserved PTA", "allocated GE", "reserved GE", "reserved APP"}
    assert sources(view.figure) == parts
    with pytest.raises(TraitError, match="operator, component"):
        view.memory_by = "module"
    error = memory.error("memory", state=memory.state(), memory={"by": "module"})
    assert error["type"] == "RequestError"


def test_components_are_a_table_of_the_view(memory: Page) -> None:
    view = memory.view
    view.group_by = "components"
    rows = view.table.to_pylist()
    assert [(row["component"], row["source"]) for row in rows] == [
        ("APP", "profiler"),
        ("PTA+GE", "profiler"),
        ("PTA", "profiler"),
        ("GE", "profiler"),
        ("HCCL", "driver"),
        ("SLOG", "driver"),
    ]
    assert rows[4]["peak_reserved_bytes"] == 404 * MIB
    key = {"device": 0, "component": "PTA", "source": "profiler"}
    view.selection = [key]
    assert view.selected.to_pylist() == [rows[2]]
    result = memory.result("page", state=memory.state(), table="memory_components")
    assert (result["keys"], result["sort"]) == (list(key), ["peak_reserved_bytes", "desc"])
    view.memory_range = [0, 150]
    assert [row["component"] for row in view.table.to_pylist()] == [
        "APP", "PTA", "PTA+GE", "HCCL", "SLOG",
    ]  # fmt: skip


def test_columns_that_nobody_told_are_hidden(memory: Page) -> None:
    result = memory.result("page", state=memory.state(), table="memory_operators")
    assert set(result["hidden"]) == {
        "calls",
        "size_increase_bytes",
        "self_size_increase_bytes",
    }
    assert result["keys"] == ["device_type", "device", "name"]
    assert "not who releases" in result["notes"]["size_increase_bytes"]
    _, (data,) = memory.ask(
        "page", state=memory.state(), table="memory_curve", memory={"by": "component"}
    )
    assert set(table_of(data)["component"].to_pylist()) == {"PTA", "GE", "APP"}


def test_traces_without_components_are_drawn_by_device(open_page: Any, logs: Path) -> None:
    runs = nbprof.load(logs).runs().to_pylist()
    (run,) = [row["run"] for row in runs if row["format"] != "Ascend"]
    page = open_page(logs, nbprof.MemoryView, run=run, memory_by="component")
    found = drawn(page, by="component")
    assert (found["by"], found["kinds"], found["figure"]) == ("operator", ["operator"], None)


def test_the_summary_has_components(logs: Path) -> None:
    trace = nbprof.load(logs).trace(format_run(logs))
    view = nbprof.MemoryView(trace, static=True)
    html = view.static()._repr_html_()
    assert "404.0 MiB" in html
    assert html.count("data:image") >= 2
    assert "Peak memory reserved: APP 24.0 MiB, PTA+GE 11.0 MiB, PTA 8.0 MiB, GE 3.0 MiB" in str(
        nbprof.show(trace, static=True).static()._repr_mimebundle_()["text/plain"]
    )


def format_run(logs: Path) -> str:
    return next(
        str(row["run"]) for row in nbprof.load(logs).runs().to_pylist() if row["format"] == "Ascend"
    )


def test_without_python_the_same_is_answered(memory: Page, tmp_path: Path) -> None:
    lenses: list[dict[str, Any]] = [
        {"device": device, "by": by, "range": None}
        for device in ("", "npu:0", "no such device")
        for by in ("operator", "component")
    ]
    tables = ("memory_components", "memory_curve", "memory_events", "memory_operators")
    requests = [
        ("page", {"table": name, "group_by": "", "memory": lens, "limit": 100})
        for name in tables
        for lens in lenses
    ]
    compare(memory, tmp_path, requests)


def paddle_file(path: Path) -> Path:
    """Write a span with memory in use, memory that is reserved, and peaks."""
    place = {"ph": "X", "pid": 1, "tid": "1(C++)", "ts": ZERO, "cat": "Operator"}
    times = {"start_time": "0.000 us", "end_time": "100.000 us"}
    events: list[dict[str, Any]] = [{**place, "name": "conv2d dygraph[100 us]", "dur": 100.0}]
    events[0]["args"] = {**times, "input_shapes": {}}
    totals = {"allocated": 0, "reserved": 0}
    for time, kind, size in (
        (10, "ReservedAllocate", 8),
        (20, "Allocate", 2),
        (30, "Allocate", 4),
        (80, "Free", -4),
    ):
        totals["reserved" if kind.startswith("Reserved") else "allocated"] += size * MIB
        args = {
            "place": "Place(gpu:0)",
            "addr": str(0x7F00 + time % 50),
            "increase_bytes": size * MIB,
        }
        args |= {f"current_{name}": total for name, total in totals.items()}
        args |= {"peak_allocated": 6 * MIB, "peak_reserved": 9 * MIB}
        event = {"name": "[memory]", "ph": "i", "cat": kind, "pid": 1, "tid": "1(C++)"}
        events.append({**event, "ts": ZERO + time, "args": args})
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"schemaVersion": "1.0.2", "span_index": "0", "traceEvents": [*events, {}]}
    path.write_text(json.dumps({**content, "ExtraInfo": {}}), "utf-8")
    return path


def test_peaks_are_lines_and_kinds_are_columns(open_page: Any, tmp_path: Path) -> None:
    name = "worker0_time_2026_01_01_00_00_00_000001.paddle_trace.json"
    paddle_file(tmp_path / "logs" / "run" / name)
    page = open_page(tmp_path / "logs", nbprof.MemoryView)
    result = drawn(page)
    assert (result["by"], result["kinds"], result["records"]) == ("operator", ["operator"], 4)
    found = page.view.figure
    assert found is not None
    for of in ("allocated", "reserved", "peak allocated", "peak reserved"):
        assert found.select({"name": f"{of} GPU 0"}), of
    page_of = page.result("page", state=page.state(), table="memory_operators")
    assert page_of["keys"] == ["device_type", "device", "name", "memory_type"]
    page.view.group_by = "events"
    rows = page.view.table.to_pylist()
    assert [(row["memory_type"], row["size_bytes"] // MIB) for row in rows] == [
        ("reserved", 8),
        ("allocated", 2),
        ("allocated", 4),
    ]
    page.view.group_by = "operators"
    key = {"device_type": "gpu", "device": 0, "name": "conv2d dygraph", "memory_type": "reserved"}
    page.view.selection = [key]
    (row,) = page.view.selected.to_pylist()
    assert (row["self_allocation_size_bytes"], row["self_release_count"]) == (8 * MIB, 0)
    requests = [
        ("page", {"table": table, "group_by": "", "memory": {"device": ""}, "limit": 100})
        for table in ("memory_curve", "memory_operators", "memory_events", "memory_peak_holders")
    ]
    compare(page, tmp_path, requests)
