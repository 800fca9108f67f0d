"""Whole sessions against real traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nbprof.export.text import COLUMNS, LINES, trace_text

from .conftest import table_of

if TYPE_CHECKING:
    from pathlib import Path

TABLES = [
    ("operators", "name"),
    ("operators", "name+shape"),
    ("operators", "name+stack"),
    ("kernels", "name"),
    ("kernels", "properties"),
    ("user_events", ""),
    ("steps", ""),
    ("warnings", ""),
]


@pytest.mark.parametrize(
    "name",
    [
        "kineto/resnet50_num_workers_0",
        "kineto/a100_two_ranks",
        "kineto/mi300_graph_replay",
        "kineto/b200_eager",
        "torchcpu/ddp_gloo",
        "torchcpu/legacy_autograd",
    ],
)
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
