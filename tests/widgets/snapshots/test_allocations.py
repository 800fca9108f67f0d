"""Requests about memory snapshots: blocks over time, segments at a moment, one block."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.analysis.allocator.history import allocator_histories
from tests.support.recordings.training_snapshot import training
from tests.widgets.conftest import table_of
from tests.widgets.requests.test_messages import faults

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page

MIB = 1 << 20


@pytest.fixture(scope="module")
def content() -> dict[str, Any]:
    return training()


@pytest.fixture
def file(tmp_path: Path, content: dict[str, Any]) -> Path:
    path = tmp_path / "training.pickle"
    path.write_bytes(pickle.dumps(content))
    return path


@pytest.fixture
def snap(open_page: Any, file: Path) -> Page:
    page: Page = open_page(nbprof.load(file, progress=False), view="memory")
    return page


SCREEN = {"width": 800, "height": 300}


def test_replies_are_what_the_messages_declare(snap: Page) -> None:
    state = snap.state()
    assert faults(snap.result("blocks", state=state, **SCREEN), "Blocks") == []
    found = snap.result("segments", state=state, width=800, selected=3)
    assert faults(found, "Segments") == []
    assert found["selected"] is not None


def test_the_view_opens_at_the_failed_allocation(snap: Page, content: dict[str, Any]) -> None:
    entries = content["device_traces"][0]
    (at,) = [place for place, one in enumerate(entries) if one["action"] == "oom"]
    (oom,) = snap.result("blocks", state=snap.state(), **SCREEN)["ooms"]
    assert oom["moment"] == at + 1
    assert oom["bytes"] == entries[at]["size"]
    assert oom["free"] == entries[at]["device_free"]
    shown = snap.result("segments", state=snap.state(), width=800)
    assert shown["moment"] == oom["moment"]
    assert shown["event"] == "oom"
    assert shown["in_use"] == oom["in_use"]
    assert shown["reserved"] == oom["reserved"]
    assert sum(one["bytes"] for one in shown["holders"]) == shown["in_use"]
    assert {one["name"] for one in shown["categories"]} >= {"parameter", "activation"}
    old = {one["name"]: one["before"] for one in shown["categories"]}
    assert old["parameter"] == sum(
        block["size"]
        for segment in content["segments"]
        for block in segment["blocks"]
        if block.get("category") == "parameter"
    )


def test_before_and_after(snap: Page) -> None:
    found = snap.result("blocks", state=snap.state(), **SCREEN)
    history = allocator_histories(snap.view.trace.model)[0]
    assert found["before"]["bytes"] == history.in_use[0] > 0
    assert found["after"]["bytes"] == history.in_use[-1]
    assert found["peak"]["bytes"] == history.in_use.max()
    assert not found["overwritten"]
    assert found["entries"] == 100_000


def test_columns_and_blocks(snap: Page) -> None:
    header, buffers = snap.ask("blocks", state=snap.state(), **SCREEN)
    blocks, columns = (table_of(one) for one in buffers)
    assert columns.num_rows == 800
    assert blocks.num_rows <= header["result"]["inside"]
    assert max(columns["total"].to_pylist()) == header["result"]["peak"]["bytes"]
    drawn = [0.0] * 800
    for row in blocks.to_pylist():
        for at in range(row["first"], row["last"]):
            drawn[at] += row["bytes"]
    assert [a + b for a, b in zip(drawn, columns["rest"].to_pylist(), strict=True)] == columns[
        "total"
    ].to_pylist()


def test_search_filter_and_sizes(snap: Page) -> None:
    whole = snap.result("blocks", state=snap.state(), **SCREEN)
    assert whole["found"] is None
    table = snap.view.trace.memory_blocks().to_pylist()

    def found(**asked: Any) -> int:
        asked = {"state": snap.state(), **asked}
        count: int = snap.result("blocks", **asked, **SCREEN)["found"]
        return count

    assert found(search="attention") == sum("attention" in (r["call_stack"] or "") for r in table)
    assert found(state=snap.state(name="gradient")) == sum(
        row["category"] == "gradient" for row in table
    )
    sizes = [20 * MIB, 30 * MIB]
    assert found(memory={"device": "gpu:0", "sizes": sizes}) == sum(
        sizes[0] <= row["bytes"] <= sizes[1] for row in table
    )
    assert found(search="nothing like it") == 0
    half = snap.result("blocks", state=snap.state(), search="/(/", **SCREEN)
    assert not half["search_valid"]


def test_a_moment_on_either_axis(snap: Page) -> None:
    events = snap.result("segments", state=snap.state(), axis="events", at=100.4, width=800)
    assert events["moment"] == 100
    again = snap.result("segments", state=snap.state(), at=events["time_us"] + 1, width=800)
    assert again["time_us"] == events["time_us"]
    first = snap.result("segments", state=snap.state(), moment=0, width=800)
    assert first["event"] == ""
    assert first["peak_before"]["bytes"] == first["in_use"]


WRONG = [
    ("blocks", {"width": 0, "height": 9}),
    ("blocks", {"width": 9, "height": 9, "axis": "bytes"}),
    ("blocks", {"width": 9, "height": 9, "range": [5, 5]}),
    ("blocks", {"width": 9, "height": 9, "range": ["a", 5]}),
    ("blocks", {"width": 9, "height": 9, "bytes": [float("nan"), 5]}),
    ("segments", {"width": 9, "moment": 10**9}),
    ("segments", {"width": 9, "selected": -1}),
    ("segments", {"width": 9, "at": "now"}),
]


@pytest.mark.parametrize(("op", "params"), WRONG)
def test_wrong_parameters_are_named(snap: Page, op: str, params: dict[str, Any]) -> None:
    assert snap.error(op, state=snap.state(), **params)["type"] == "RequestError"


def test_other_traces_say_that_they_are_none(page: Page) -> None:
    error = page.error("blocks", state=page.state(), **SCREEN)
    assert "not a memory snapshot" in error["message"]
    assert not page.result("trace", state=page.state())["has"]["allocator"]


def test_the_tables_behind_the_view(snap: Page) -> None:
    view = snap.view
    view.group_by = "blocks"
    row = view.table.slice(0, 1).to_pylist()[0]
    keys = ("device", "address", "bytes", "allocated_us", "freed_us")
    view.selection = [{key: row[key] for key in keys}]
    assert view.selected.to_pylist() == [row]
