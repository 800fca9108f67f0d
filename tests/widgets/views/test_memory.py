"""The memory view from Python: curve, tables, range, device, and replies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pytest
from bokeh.models import ColumnDataSource
from traitlets import TraitError

import nbprof
from tests.widgets.conftest import EPOCH, Page, step_events, table_of, write_trace

if TYPE_CHECKING:
    from pathlib import Path

MIB = 2**20

#: Bytes, address and device of the records: MiB on GPU 0 but for the last two, on the CPU.
RECORDS = (
    (1110, 8, 1, 0),
    (1120, 4, 2, 0),
    (1510, -4, 2, 0),
    (2110, 16, 3, 0),
    (2520, -8, 1, 0),
    (3110, 2, 4, 0),
    (2115, 1, 9, -1),
    (2530, -1, 9, -1),
)


def memory_events() -> list[dict[str, Any]]:
    totals = {0: 0, -1: 0}
    events = []
    for at, size, address, device in RECORDS:
        totals[device] += size * MIB
        args = {"Device Type": 1 if device == 0 else 0, "Device Id": device, "Addr": address}
        args |= {"Bytes": size * MIB, "Total Allocated": totals[device]}
        args |= {"Total Reserved": 32 * MIB if device == 0 else 0}
        place = {"ph": "i", "s": "t", "pid": 1, "tid": 1, "ts": EPOCH + at, "args": args}
        events.append({"cat": "cpu_instant_event", "name": "[memory]", **place})
    return events


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A run with memory records of two devices, and one without any."""
    path = tmp_path / "logs" / "run" / "worker0.1700000000001.pt.trace.json"
    path.parent.mkdir(parents=True)
    events = [event for number in (1, 2, 3) for event in step_events(number, gpu=True, rich=True)]
    device = {"id": 0, "name": "Test GPU", "totalGlobalMem": 64 * MIB}
    content = {"schemaVersion": 1, "deviceProperties": [device]}
    path.write_text(json.dumps({**content, "traceEvents": events + memory_events()}))
    write_trace(tmp_path / "logs" / "without" / "worker0.1700000000001.pt.trace.json")
    return tmp_path / "logs"


@pytest.fixture
def memory(open_page: Any, recorded: Path) -> Page:
    return open_page(recorded, nbprof.MemoryView)


def sizes(page: Page, **params: Any) -> list[int]:
    """Return the sizes in MiB that a page shows of the blocks."""
    _, (data,) = page.ask("page", state=page.state(), table="memory_events", **params)
    return [size // MIB for size in table_of(data)["size_bytes"].to_pylist()]


def test_the_table_is_the_one_that_group_by_names(memory: Page) -> None:
    view = memory.view
    assert (view.active, view.group_by, view.memory_device) == ("memory", "operators", "")
    trace = view.trace
    of_gpu = {"operators": "memory_operators", "events": "memory_events"}
    for group, name in {**of_gpu, "holders": "memory_peak_holders"}.items():
        view.group_by = group
        table = trace.table(name)
        kept = table.filter(pc.equal(table["device_type"], "gpu"))
        assert 0 < kept.num_rows < table.num_rows or group == "holders"
        assert view.table.equals(kept), group
    with pytest.raises(TraitError, match="operators, events, holders"):
        view.group_by = "name"


def test_the_device_that_computes_is_shown_until_another_is_wished_for(memory: Page) -> None:
    view = memory.view
    view.group_by = "events"
    assert set(view.table["device_type"].to_pylist()) == {"gpu"}
    view.memory_device = "cpu"
    assert view.table["size_bytes"].to_pylist() == [MIB]
    view.memory_device = "all"
    assert set(view.table["device_type"].to_pylist()) == {"cpu", "gpu"}
    view.memory_device = "gpu:7"  # of another worker
    assert set(view.table["device_type"].to_pylist()) == {"gpu"}


def test_a_brushed_range_narrows_the_tables_of_the_view_and_nothing_else(memory: Page) -> None:
    view = memory.view
    start = view.trace.steps()["start_us"].to_pylist()[1]
    whole = view.trace.operators()
    view.group_by = "events"
    memory.save(memory_range=[start, start + 1000])
    assert [size // MIB for size in view.table["size_bytes"].to_pylist()] == [16]
    assert view.filter == {}
    assert view.trace.operators().equals(whole)
    view.group_by = "holders"
    assert sum(view.table["bytes"].to_pylist()) == 24 * MIB
    marked = view.figure.select_one({"name": "range", "type": ColumnDataSource})
    assert marked.data["left"][0] * 1000 == pytest.approx(start)
    view.filter = {"time_us": [start + 500, 10_000]}
    assert view.table.equals(
        view.trace.filter(time_us=(start + 500, start + 1000))
        .memory_peak_holders()
        .filter(pc.equal(view.trace.memory_peak_holders()["device_type"], "gpu"))
    )
    view.memory_range = [0, 1]
    assert view.table.num_rows == 0
    with pytest.raises(TraitError, match="is empty"):
        view.memory_range = [4, 4]


def test_another_trace_has_no_range_and_keeps_the_device(memory: Page) -> None:
    view = memory.view
    view.memory_range, view.memory_device = [0, 500], "all"
    view.run = "without"
    assert (view.memory_range, view.memory_device) == (None, "all")


def test_blocks_are_selected_by_what_tells_them_apart(memory: Page) -> None:
    view = memory.view
    view.group_by = "events"
    block = view.table.slice(0, 1).to_pylist()[0]
    keys = ("device_type", "device", "operator", "size_bytes", "allocation_us", "release_us")
    view.selection = [{name: block[name] for name in keys}]
    assert view.selected.to_pylist() == [block]
    result = memory.result("page", state=memory.state(), table="memory_events")
    assert result["keys"] == list(keys)
    view.group_by = "operators"
    assert view.selection == []
    with pytest.raises(TraitError, match="size_bytes"):
        view.selection = [{"size_bytes": 1}]


def test_the_page_gets_the_curve_and_what_is_said_of_it(memory: Page) -> None:
    params = {"theme": "dark", "width": 700, "unit": "auto"}
    result = memory.result("memory", state=memory.state(), memory={"device": ""}, **params)
    assert result["devices"] == [
        {"key": "gpu:0", "label": "GPU 0"},
        {"key": "cpu", "label": "CPU"},
    ]
    assert (result["device"], result["records"]) == ("gpu:0", 6)
    (peak,) = result["peaks"]
    assert (peak["bytes"], peak["capacity"], peak["label"]) == (24 * MIB, 64 * MIB, "GPU 0")
    assert result["plane"]["bytes"] == MIB
    assert result["figure"]["root"]
    both = memory.result("memory", state=memory.state(), memory={"device": "all"}, **params)
    assert [one["label"] for one in both["peaks"]] == ["GPU 0", "CPU"]
    assert (both["device"], both["records"]) == ("all", 8)
    part = memory.result("memory", state=memory.state(steps=[3, 3]), memory={}, **params)
    assert part["records"] == 1
    assert part["plane"]["start_us"] > result["plane"]["start_us"]


def test_rows_are_narrowed_searched_and_sorted_in_python(memory: Page) -> None:
    assert sizes(memory) == [16, 8, 4, 2]
    assert sizes(memory, sort=["allocation_us", "asc"]) == [8, 4, 16, 2]
    assert sizes(memory, memory={"sizes": [4 * MIB, 8 * MIB]}) == [8, 4]
    assert sizes(memory, memory={"device": "cpu"}) == [1]
    assert sizes(memory, memory={"range": [0, 500]}) == [8, 4]
    assert sizes(memory, search="add") == []
    assert sizes(memory, search="conv2d") == [16, 8, 4, 2]
    result = memory.result(
        "page", state=memory.state(), table="memory_events", memory={"sizes": [1, 2]}
    )
    assert result["empty"]["title"] == "No block in the range of sizes"
    assert "there are 4 blocks" in result["empty"]["text"]
    result = memory.result(
        "page", state=memory.state(), table="memory_operators", memory={"range": [0, 1]}
    )
    assert result["empty"]["title"] == "No operator in the range"


def test_holders_have_their_share_of_the_peak(memory: Page) -> None:
    reply, (data,) = memory.ask("page", state=memory.state(), table="memory_peak_holders")
    table = table_of(data)
    assert sum(table["pct"].to_pylist()) == pytest.approx(100)
    assert reply["result"]["sums"]["bytes"] == 24 * MIB
    assert [peak["peak_bytes"] for peak in reply["result"]["peaks"]] == [24 * MIB]
    assert "pct" not in memory.view.trace.memory_peak_holders().column_names


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        {"device": 1},
        {"range": [2, 1]},
        {"range": [1]},
        {"range": "12"},
        {"sizes": [True, 2]},
        {"sizes": [0, "x"]},
    ],
)
def test_what_cannot_be_looked_at_is_refused(memory: Page, wrong: object) -> None:
    error = memory.error("memory", state=memory.state(), memory=wrong)
    assert error["type"] == "RequestError"


def test_a_trace_without_memory_says_what_records_it(open_page: Any, recorded: Path) -> None:
    page = open_page(recorded, nbprof.MemoryView, run="without")
    assert page.view.table.num_rows == 0
    assert page.view.figure is None
    result = page.result("memory", state=page.state(), width=500)
    assert (result["figure"], result["devices"], result["peaks"]) == (None, [], [])
    empty = page.result("page", state=page.state(), table="memory_operators")["empty"]
    assert f"{empty['title']}. {empty['text']}" == (
        "No memory was recorded. Record it with profile(profile_memory=True), from a few steps "
        "before the peak."
    )


def test_the_figure_is_drawn_anew_only_for_what_it_shows(memory: Page) -> None:
    view = memory.view
    first = view.figure
    assert view.figure is first
    assert first is not None
    assert first.name == "memory"
    view.memory_device = "all"
    assert view.figure is not first


def test_of_very_many_devices_those_with_the_highest_peaks_are_offered(
    open_page: Any, tmp_path: Path
) -> None:
    events = step_events(1, gpu=True, rich=True)
    many = 130
    for device in range(many):
        for at, size in ((0, device + 1), (1, -device - 1)):
            place = {"ph": "i", "s": "t", "pid": 1, "tid": 1, "ts": EPOCH + 1100 + at}
            args = {"Device Type": 1, "Device Id": device, "Addr": device + 1, "Bytes": size * MIB}
            events.append({"cat": "cpu_instant_event", "name": "[memory]", **place, "args": args})
    path = tmp_path / "worker0.1700000000001.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    page = open_page(path, nbprof.MemoryView)
    first = page.ask("memory", state=page.state(), memory={"device": ""})[0]["result"]
    assert [one["key"] for one in first["devices"]] == [f"gpu:{n}" for n in range(30, many)]
    assert first["device"] == "gpu:30"
    assert first["left_out"] == "the 100 of 130 devices with the highest peaks"
    every = page.ask("memory", state=page.state(), memory={"device": "all"})[0]["result"]
    assert [one["bytes"] // MIB for one in every["peaks"]] == [*range(31, many + 1)]
    assert every["records"] == 200
    rows, _ = page.ask(
        "page", state=page.state(), table="memory_peak_holders", memory={"device": "all"}
    )
    assert rows["result"]["all"] == 100
    other = page.ask("memory", state=page.state(), memory={"device": "gpu:3"})[0]["result"]
    assert [one["bytes"] for one in other["peaks"]] == [4 * MIB]
