"""``timeline`` and ``slices`` through the widget: replies and rejected requests."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc
import pytest

import nbprof
from nbprof.model.names.short_names import fnv1a
from nbprof.widgets.views.timeline import requests as handlers_timeline
from tests.conftest import ROOT
from tests.widgets.conftest import Page, table_of

if TYPE_CHECKING:
    from pathlib import Path

TYPES = ROOT / "js" / "src" / "core" / "protocol" / "messages.ts"


@pytest.fixture
def page(open_page: Any, logs: Path) -> Page:
    return open_page(logs, nbprof.TimelineView)


def fields(interface: str) -> set[str]:
    """Return the fields of an interface in messages.ts."""
    body = re.search(rf"export interface {interface} \{{(.*?)\n\}}", TYPES.read_text(), re.DOTALL)
    assert body, f"messages.ts exports no interface {interface}"
    return set(re.findall(r"^  (\w+)\??:", body[1], re.MULTILINE))


def layout_of(page: Page, group_by: str = "thread") -> dict[str, Any]:
    return page.result("timeline", state=page.state(), group_by=group_by)


def window_of(page: Page, **params: Any) -> tuple[dict[str, Any], list[dict[str, Any]], list[Any]]:
    """Return info, rows and curves of a window; without more said, of the whole trace."""
    filter_ = params.pop("filter", {})
    group_by = params.setdefault("group_by", "thread")
    layout = layout_of(page, group_by)
    rows = [lane["first_row"] + lane["depths"] for lane in layout["lanes"]]
    whole = {"start_ns": 0, "end_ns": layout["end_ns"] + 1, "width": 4000}
    whole |= {"rows": [[0, max(rows)]], "tracks": [], "search": ""}
    reply, buffers = page.ask("slices", state=page.state(**filter_), **{**whole, **params})
    assert reply["ok"], reply
    slices, tracks = map(table_of, buffers)
    return reply["result"], slices.to_pylist(), tracks.to_pylist()


def test_the_layout_has_the_fields_that_the_browser_reads(page: Page) -> None:
    layout = layout_of(page)
    missing = {"workers", "failed", "clock", "compared", "left_out"}
    assert set(layout) == fields("Layout") - missing
    assert set(layout["groups"][0]) == fields("Group") - {"within"}
    assert {frozenset(lane) for lane in layout["lanes"]} == {frozenset(fields("Lane"))}
    assert {frozenset(track) for track in layout["tracks"]} == {frozenset(fields("Track"))}
    assert set(layout["steps"][0]) == fields("Step")
    info, _, _ = window_of(page)
    assert set(info) == fields("WindowInfo")


def test_lanes_rows_steps_and_curves_are_those_of_the_trace(page: Page) -> None:
    layout = layout_of(page)
    model = page.view.trace.model
    host, device = model.tables["host"].num_rows, model.tables["device"].num_rows
    assert (layout["host_rows"], layout["slices"], layout["moved"]) == (host, host + device, 0)
    assert [lane["key"] for lane in layout["lanes"]] == ["gpu:0:7", "cpu:1:1"]
    assert [lane["slices"] for lane in layout["lanes"]] == [device, host]
    assert [lane["first_row"] for lane in layout["lanes"]] == [0, layout["lanes"][0]["depths"]]
    of_lanes = {lane["group"] for lane in layout["lanes"]}
    assert {g["key"] for g in layout["groups"]} == {*of_lanes, "device:0:curves"}
    assert {track["group"] for track in layout["tracks"]} <= {g["key"] for g in layout["groups"]}
    steps = page.view.trace.steps()
    assert [step["step"] for step in layout["steps"]] == steps["step"].to_pylist()
    assert [step["start_ns"] / 1000 for step in layout["steps"]] == steps["start_us"].to_pylist()
    for step, end_us in zip(layout["steps"], steps["end_us"].to_pylist(), strict=True):
        work = step["device"] or step
        assert max(step["end_ns"], work["end_ns"]) / 1000 == end_us
    assert layout["end_ns"] == model.metadata["end_ns"]


def test_curves_belong_to_a_group_also_where_lanes_are_modules(page: Page) -> None:
    layout = layout_of(page, "module")
    assert layout["group_by"] == "module"
    assert layout["tracks"]
    groups = {group["key"]: group for group in layout["groups"]}
    assert {track["group"] for track in layout["tracks"]} <= set(groups)
    assert groups["device:0"]["label"] == "GPU 0"
    assert layout["slices"] == layout_of(page)["slices"], "nothing is dropped"


def test_the_minimap_says_where_something_ran(page: Page) -> None:
    reply, (data,) = page.ask("timeline", state=page.state(), group_by="thread")
    minimap = reply["result"]["minimap"]
    table = table_of(data)
    assert table.column_names == ["band", "column", "category", "share"]
    assert [str(field.type) for field in table.schema] == ["int32", "int32", "uint8", "float"]
    assert [band["group"] for band in minimap["bands"]] == ["process:1", "device:0"]
    assert set(table["band"].to_pylist()) == {0, 1}
    assert pc.max(table["column"]).as_py() < minimap["columns"]
    model = page.view.trace.model
    start, end = (model.column("device", name) for name in ("start_ns", "duration_ns"))
    column = reply["result"]["end_ns"] / minimap["columns"]
    busy = pc.sum(table.filter(pc.equal(table["band"], 1))["share"]).as_py() * column
    assert busy == pytest.approx(end.sum(), rel=1e-3), "kernels do not overlap here"
    assert len(start) == 6


def test_a_window_of_everything_holds_every_slice_to_the_nanosecond(page: Page) -> None:
    info, rows, _ = window_of(page, width=16_000)
    assert info["bin_ns"] < 1000, "no block at this width"
    table = page.view.table
    expected = Counter(
        (row["name"], round(row["start_us"] * 1000), round(row["duration_us"] * 1000))
        for row in table.to_pylist()
    )
    found: Counter[Any] = Counter()
    for row in rows:
        assert row["block"] == row["count"] == row["busy_ns"] == []
        for start, width, name in zip(row["start"], row["width"], row["name"], strict=True):
            found[info["names"][name], int(start), int(width)] += 1
    assert found == expected
    assert info["rows"] == [[0, max(row["row"] for row in rows) + 1]]


def test_counts_and_times_of_any_window_are_those_of_the_slices(page: Page) -> None:
    table = page.view.table
    first = {lane["key"]: lane["first_row"] for lane in layout_of(page)["lanes"]}
    row = np.array([first[lane] for lane in table["lane"].to_pylist()]) + np.asarray(table["depth"])
    start = np.round(np.asarray(table["start_us"]) * 1000).astype(int)
    end = start + np.round(np.asarray(table["duration_us"]) * 1000).astype(int)
    for low, high, width in ((0, 3_000_000, 3), (100_000, 1_500_000, 10), (620_001, 620_007, 5)):
        _, rows, _ = window_of(page, start_ns=low, end_ns=high, width=width)
        shown = {}
        for one in rows:
            single = len(one["slice"]) - len(one["block"])
            busy = sum(one["width"]) - sum(one["width"][at] for at in one["block"])
            shown[one["row"]] = sum(one["count"]) + single, sum(one["busy_ns"]) + busy
        inside = (start < high) & (end > low)
        expected = {
            int(r): (
                int((inside & (row == r)).sum()),
                int((end - start)[inside & (row == r)].sum()),
            )
            for r in np.unique(row[inside])
        }
        assert shown == expected


def test_only_the_rows_and_curves_asked_for_are_answered(page: Page) -> None:
    layout = layout_of(page)
    thread = layout["lanes"][1]["first_row"]
    assert thread == 1
    keys = [track["key"] for track in layout["tracks"]]
    info, rows, tracks = window_of(
        page, rows=[[thread + 1, thread + 2], [0, 1], [1, 2]], tracks=keys
    )
    assert info["rows"] == [[0, 3]]
    assert {row["row"] for row in rows} <= {0, 1, 2}
    assert [track["key"] for track in tracks] == keys
    _, rows, tracks = window_of(page, rows=[], tracks=keys[1:2])
    assert rows == []
    assert [track["key"] for track in tracks] == keys[1:2]
    assert all(len(track["time"]) <= 4000 for track in tracks)


def test_names_have_the_colours_of_the_operators_table(page: Page) -> None:
    info, _, _ = window_of(page)
    reply, (data,) = page.ask("page", state=page.state(), table="operators")
    of_table = dict(zip(table_of(data)["name"].to_pylist(), reply["result"]["slots"], strict=True))
    slots = dict(zip(info["names"], info["slots"], strict=True))
    assert of_table.items() <= slots.items()
    assert info["shades"] == [fnv1a(name) % 4 for name in info["names"]]
    filtered, _, _ = window_of(page, filter={"name": "conv", "steps": [2, 2]})
    assert (filtered["names"], filtered["slots"]) == (info["names"], info["slots"])


def test_there_are_no_figures_to_embed(page: Page) -> None:
    assert (page.view.figures, page.view.figure) == ({}, None)
    assert page.result("charts", state=page.state(), view="timeline", width=400)["figures"] == {}


def test_a_search_marks_and_a_name_filter_dims(page: Page) -> None:
    def names(info: dict[str, Any], key: str) -> set[str]:
        return {info["names"][at] for at in info[key]}

    info, _, _ = window_of(page, search="CONV", filter={"name": "/^aten/"})
    conv = {"aten::conv2d", "void conv_fwd<float, 3>(float*, int)"}
    assert names(info, "matches") == conv
    assert names(info, "dimmed") == {n for n in info["names"] if not n.startswith("aten")}
    info, _, _ = window_of(page, search=" /^aten::(add|conv2d)$/ ")
    assert names(info, "matches") == {"aten::add", "aten::conv2d"}
    assert info["dimmed"] == []
    for nothing in ("", "/(/", "no such name"):
        assert window_of(page, search=nothing)[0]["matches"] == []
    assert page.view.errors == []


BAD = [
    ("timeline", {"state": []}, "RequestError", "state"),
    ("timeline", {"group_by": "colour"}, "UnknownNameError", "thread, module"),
    ("slices", {"start_ns": None}, "RequestError", "start_ns: an integer is required, not None"),
    ("slices", {"start_ns": True}, "RequestError", "start_ns"),
    ("slices", {"end_ns": "9"}, "RequestError", "end_ns"),
    ("slices", {"start_ns": 9, "end_ns": 9}, "RequestError", "from 9 to 9 ns is empty"),
    ("slices", {"end_ns": 10**30}, "RequestError", "out of range"),
    ("slices", {"width": 0}, "RequestError", "width: 0 is out of range; there is from 1"),
    ("slices", {"width": 10**6}, "RequestError", "width"),
    ("slices", {"width": 10.5}, "RequestError", "10.5"),
    ("slices", {"rows": 3}, "RequestError", "rows: a list is required, not 3"),
    ("slices", {"rows": [3]}, "RequestError", "first row and the row after the last"),
    ("slices", {"rows": ["ab"]}, "RequestError", "not 'ab'"),
    ("slices", {"rows": [[0, 9999]]}, "RequestError", "rows: 9999 is out of range"),
    ("slices", {"rows": [[-1, 1]]}, "RequestError", "rows: -1 is out of range"),
    ("slices", {"rows": [[2, 1]]}, "RequestError", "rows: 1 is out of range; there is from 2"),
    ("slices", {"rows": [[0, 1]] * 20_000}, "RequestError", "20,000 ranges"),
    ("slices", {"tracks": "queue"}, "RequestError", "tracks: a list is required"),
    ("slices", {"tracks": ["queue:0:8"]}, "RequestError", "Did you mean 'queue:0:7'"),
    ("slices", {"tracks": [["queue"]]}, "RequestError", "no curve"),
    ("slices", {"search": 3}, "RequestError", "search"),
    ("slices", {"group_by": 3}, "RequestError", "group_by"),
    ("area", {"lanes": ["cpu:1:2"]}, "RequestError", "no lane 'cpu:1:2'. Did you mean 'cpu:1:1'"),
    ("area", {"start_ns": 5, "end_ns": 4}, "RequestError", "from 5 to 4 ns is empty"),
]


@pytest.mark.parametrize(("op", "params", "kind", "word"), BAD)
def test_a_bad_request_is_answered_with_its_reason(
    page: Page, op: str, params: dict[str, Any], kind: str, word: str
) -> None:
    good = {"state": page.state(), "group_by": "thread", "start_ns": 0, "end_ns": 10, "width": 9}
    error = page.error(op, **{**good, **params})
    assert error["type"] == kind
    assert word in error["message"]
    assert error["details"] == ""
    assert str(page.view.errors[-1].error) == error["message"]


def test_parts_of_a_nanosecond_widen_a_window(page: Page) -> None:
    info, _, _ = window_of(page, start_ns=0.6, end_ns=99.4, width=10.0)
    assert (info["start_ns"], info["end_ns"]) == (0, 100)


def test_one_false_time_leaves_a_trace_to_look_at(open_page: Any, tmp_path: Path) -> None:
    now = 1.7e15
    events = [
        {"ph": "X", "cat": "cpu_op", "name": f"op{n}", "pid": 1, "tid": 1, "ts": ts, "dur": 5}
        for n, ts in enumerate((3, now, now + 10))
    ]
    path = tmp_path / "a.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    page = open_page(path, nbprof.TimelineView)
    _, (row,), _ = window_of(page)
    assert layout_of(page)["end_ns"] == 15_000  # the false time is left out, and counted
    assert row["start"][1] - row["start"][0] == pytest.approx(10_000, abs=256)
    assert row["width"] == [5000, 5000]
    [warning] = page.view.trace.warnings().to_pylist()
    assert (warning["count"], "far" in warning["kind"] or "time" in warning["kind"]) == (1, True)


def test_a_trace_without_a_slice_is_drawn_empty(open_page: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.pt.trace.json"
    allocated = {"Device Type": 0, "Device Id": -1, "Bytes": 64, "Addr": 1, "Total Allocated": 64}
    event = {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1}
    events = [{**event, "ts": ts, "args": allocated} for ts in (5, 9)]
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    page = open_page(path, nbprof.TimelineView)
    layout = layout_of(page)
    assert (layout["lanes"], layout["slices"]) == ([], 0)
    assert [track["group"] for track in layout["tracks"]] == [g["key"] for g in layout["groups"]]
    assert layout["end_ns"] > layout["start_ns"]
    asked = {"start_ns": 0, "end_ns": layout["end_ns"], "width": 10, "rows": []}
    reply, buffers = page.ask("slices", state=page.state(), group_by="thread", **asked)
    assert reply["ok"], reply
    assert table_of(buffers[0]).num_rows == 0
    assert page.view.table.num_rows == 0
    assert page.view.errors == []


def test_a_window_is_no_larger_than_one_megabyte(
    open_page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page(many_slices(tmp_path, 60_000), nbprof.TimelineView)
    layout = layout_of(page)
    keys = [track["key"] for track in layout["tracks"]]
    rows = [[0, sum(lane["depths"] for lane in layout["lanes"])]]
    asked = {"start_ns": 0, "end_ns": layout["end_ns"], "width": 16_000, "rows": rows}
    params = {"state": page.state(), "group_by": "thread", "tracks": keys, **asked}
    reply, buffers = page.ask("slices", **params)
    size = len(json.dumps(reply)) + sum(map(len, buffers))
    assert 500_000 < size < 1_000_000
    monkeypatch.setattr(handlers_timeline, "_CURVE_BYTES", 20_000)
    _, (_, fewer) = page.ask("slices", **params)
    assert len(fewer) <= 20_000 < len(buffers[1])
    assert [track["key"] for track in table_of(fewer).to_pylist()] == keys
    monkeypatch.setattr(handlers_timeline, "_SLICES_BYTES", len(fewer) + 10_000)
    _, parts = page.ask("slices", **params)
    assert sum(map(len, parts)) < len(fewer) + 15_000, "what curves take is not there for slices"


def many_slices(folder: Path, count: int) -> Path:
    """Write a trace of one operator, launch and kernel after another, all of other names."""
    events = []
    for number in range(count // 3):
        ts, link = number * 2.0, {"correlation": number + 1, "External id": number + 1}
        host = {"ph": "X", "pid": 1, "tid": 1, "ts": ts}
        events += [
            {**host, "cat": "cpu_op", "name": f"aten::op{number}", "dur": 1, "args": link},
            {**host, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "dur": 0.5, "args": link},
            {
                "ph": "X",
                "cat": "kernel",
                "name": f"void kernel_{number}<float>(float*)",
                "pid": 0,
                "tid": 7,
                "ts": ts + 3,
                "dur": 1.5 - number % 2,
                "args": {**link, "device": 0, "stream": 7},
            },
        ]
    path = folder / "many.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return path


def test_a_large_trace_says_what_takes_time(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    params = {"state": page.state(), "group_by": "thread"}
    page.view.trace.read()
    message = {"v": 1, "id": 7, "op": "timeline", "gen": 0, "params": params}
    assert ["progress" in reply for reply, _ in page.say(message)] == [False]
    monkeypatch.setattr(handlers_timeline, "_MANY_SLICES", 3)
    first, *_ = page.say({**message, "id": 8})
    count = layout_of(page)["slices"]
    told = {"text": f"Arranging {count:,} slices", "done": 0, "total": 0}
    assert first[0]["progress"] == told
