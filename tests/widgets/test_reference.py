"""Whole sessions with real traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pytest

from nbprof.export.text.summary import COLUMNS, LINES
from tests.support.programs.offline import parts
from tests.support.summaries import trace_text

from .conftest import table_of

if TYPE_CHECKING:
    from pathlib import Path

TRACES = [
    "kineto/resnet50_num_workers_0",
    "kineto/a100_two_ranks",
    "kineto/mi300_graph_replay",
    "kineto/b200_eager",
    "torchcpu/ddp_gloo",
    "torchcpu/legacy_autograd",
]

TABLES = [
    ("operators", "name"),
    ("operators", "name+shape"),
    ("operators", "name+stack"),
    ("kernels", "name"),
    ("kernels", "properties"),
    ("kernels", "launch"),
    ("user_events", ""),
    ("steps", ""),
    ("warnings", ""),
    ("slices", ""),
    ("slice_summary", ""),
]


@pytest.mark.parametrize("name", TRACES)
def test_every_view_of_a_real_trace_is_answered(
    open_page: Any, shared_data: Path, name: str
) -> None:
    page = open_page(shared_data / name)
    state = page.state()
    info = page.result("trace", state=state)
    assert info["events"] > 0
    for view in ("overview", "operators", "kernels"):
        figures = page.result("charts", state=state, view=view, top=None, width=400)["figures"]
        assert bool(figures) == (view != "kernels" or info["has"]["kernels"])
    page.result("overview", state=state, width=400)
    for table, group_by in TABLES:
        params = {"table": table, "group_by": group_by}
        reply, buffers = page.ask("page", state=state, **params)
        assert reply["ok"], reply
        assert table_of(buffers[0]).num_rows == reply["result"]["rows"]
        assert ("empty" in reply["result"]) == (reply["result"]["total"] == 0)
    lines = trace_text(page.view.trace).splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= COLUMNS
    assert page.view.errors == []


@pytest.mark.parametrize("group_by", ["thread", "module"])
@pytest.mark.parametrize("name", TRACES)
def test_the_timeline_of_a_real_trace_is_answered(
    open_page: Any, shared_data: Path, name: str, group_by: str
) -> None:
    page = open_page(shared_data / name, view="timeline", group_by=group_by)
    asked = {"state": page.state(), "group_by": group_by}
    layout = page.result("timeline", **asked)
    table = page.view.table
    assert layout["slices"] == table.num_rows > 0, "nothing is dropped"
    assert layout["slices"] == sum(lane["slices"] for lane in layout["lanes"])
    rows = [[0, sum(lane["depths"] for lane in layout["lanes"])]]
    tracks = [track["key"] for track in layout["tracks"]]
    asked |= {"start_ns": 0, "end_ns": layout["end_ns"] + 1, "rows": rows, "tracks": tracks}
    for width in (10, 2000):
        reply, buffers = page.ask("slices", width=width, **asked)
        assert reply["ok"], reply
        count = pc.sum(pc.list_flatten(table_of(buffers[0])["count"])).as_py() or 0
        blocks = len(pc.list_flatten(table_of(buffers[0])["count"]))
        slices = len(pc.list_flatten(table_of(buffers[0])["slice"]))
        assert count + slices - blocks == layout["slices"]
        assert sum(map(len, buffers)) < 1_000_000
    assert page.result("area", lanes=[], **asked)["slices"] == layout["slices"]
    page.view._saver.save()
    assert 0 < sum(map(len, parts(page.view.snapshot, "timeline"))) <= 512_000
    assert page.view.errors == []


def test_a_session_with_resnet50(open_page: Any, shared_data: Path) -> None:
    page = open_page(shared_data / "kineto" / "resnet50_num_workers_0")
    view = page.view
    reply, buffers = page.ask("overview", state=page.state(), theme="light", width=400)
    overview = table_of(buffers[reply["result"]["tables"]["overview"]])
    assert overview["avg_us"][0].as_py() == pytest.approx(177592.2, abs=0.1)
    steps = page.result("trace", state=page.state())["steps"]
    assert (steps["first"], steps["last"], steps["complete"]) == (5, 10, 6)

    page.save(filter={"steps": [7, 9], "name": "conv"})
    assert view.filter == {"steps": [7, 9], "name": "conv"}
    words = page.result("page", state=page.state(**view.filter), table="kernels")
    assert 0 < words["total"] < words["all"] <= 67
    page.save(active="operators", group_by="name+shape", selection=[])
    reply, buffers = page.ask(
        "page", state=page.state(**view.filter), table="operators", group_by="name+shape"
    )
    rows = table_of(buffers[0])
    assert view.table.num_rows == reply["result"]["total"]
    first = rows.slice(0, 1).to_pylist()[0]
    page.save(selection=[{key: first[key] for key in reply["result"]["keys"]}])
    assert view.selected.to_pylist() == [first]
    assert all("conv" in name.lower() for name in view.table["name"].to_pylist())

    page.save(filter={"steps": [7, 9], "name": "convv"})
    empty = page.result("page", state=page.state(**view.filter), table="kernels")["empty"]
    assert empty["text"].startswith("“conv” matches ")
    assert empty["text"].endswith(" kernels in these steps.")
    assert view.errors == []
