"""Several workers in one timeline: each has the rows, slices and times it has alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from traitlets import TraitError

import nbprof
from tests.support.recordings.runs import RUNS
from tests.widgets.timeline.test_timeline import table_of

if TYPE_CHECKING:
    from tests.widgets.conftest import Page

RUN = "gpu_resnet_synthetic"
BOTH = {"group_by": "thread", "workers": ["worker1"], "clock": "auto"}
ALONE = {"group_by": "thread"}


@pytest.fixture
def page(open_page: Any) -> Page:
    return open_page(RUNS, nbprof.TimelineView, run=RUN)


def ask(page: Page, op: str, *, worker: str = "worker0", **params: Any) -> tuple[Any, Any]:
    state = {**page.state(), "worker": worker, **params.pop("state", {})}
    reply, buffers = page.ask(op, state=state, **params)
    assert reply["ok"], reply
    return reply["result"], buffers


def rows_of(page: Page, choice: Any, rows: Any, extent: Any, **params: Any) -> list[Any]:
    start, end = extent
    window = {"start_ns": start, "end_ns": end, "width": 3000, "rows": rows, "tracks": []}
    info, buffers = ask(page, "slices", **choice, **window, search="", **params)
    found = []
    for row in table_of(buffers[0]).to_pylist():
        names = [info["names"][code] if code >= 0 else "" for code in row["name"]]
        found.append((row["row"], row["start"], row["width"], row["slice"], names))
    return found


def test_each_worker_shows_what_it_shows_alone(page: Page) -> None:
    layout, _ = ask(page, "timeline", **BOTH)
    first, second = layout["workers"]
    assert (first["worker"], first["shift_ns"], first["first_row"]) == ("worker0", 0, 0)
    assert "collectives end together" in second["aligned"]
    bands = [group["label"] for group in layout["groups"] if group["key"].startswith("worker:")]
    assert bands == ["worker0", "worker1"]
    # The streams of both are open, so that they are on screen together.
    opened = [g["key"] for g in layout["groups"] if g.get("within") and not g["collapsed"]]
    assert opened == ["device:0", "device:1@worker1"]
    for worker in (first, second):
        alone, _ = ask(page, "timeline", worker=worker["worker"], **ALONE)
        mine = [
            lane
            for lane in layout["lanes"]
            if lane["first_row"] >= second["first_row"] * (worker is second)
        ][: len(alone["lanes"])]
        assert [lane["label"] for lane in mine] == [lane["label"] for lane in alone["lanes"]]
        shift, low = worker["shift_ns"], worker["first_row"]
        rows = max(lane["first_row"] + lane["depths"] for lane in alone["lanes"])
        extent = 20_000_000, 21_000_000
        together = rows_of(page, BOTH, [[low, low + rows]], [time + shift for time in extent])
        own = rows_of(page, ALONE, [[0, rows]], extent, worker=worker["worker"])
        assert own
        base = worker["first_slice"]
        assert together == [
            (row + low, [t + shift for t in start], width, [s + base for s in ids], names)
            for row, start, width, ids, names in own
        ]


def test_curves_of_another_worker_are_as_fine_on_the_clock_of_the_screen(page: Page) -> None:
    layout, _ = ask(page, "timeline", **BOTH)
    second = layout["workers"][1]
    key = "utilization:1"

    def curve(choice: Any, key: str, shift: int, **params: Any) -> list[Any]:
        window = {"start_ns": 20_000_000 + shift, "end_ns": 20_400_000 + shift, "width": 400}
        more = {"rows": [], "tracks": [key], "search": ""}
        _, buffers = ask(page, "slices", **choice, **window, **more, **params)
        return table_of(buffers[1]).to_pylist()

    shift = second["shift_ns"]
    (together,) = curve(BOTH, f"{key}@worker1", shift)
    (alone,) = curve(ALONE, key, 0, worker=second["worker"])
    assert len(alone["time"]) > 5
    assert together["time"] == [time + shift for time in alone["time"]]
    assert together["first"] == alone["first"]


def test_details_search_sums_and_arrows_are_those_of_the_worker(page: Page) -> None:
    layout, _ = ask(page, "timeline", **BOTH)
    second = layout["workers"][1]
    device = second["first_slice"] + second["host_rows"] + 5
    found, _ = ask(page, "slice", slice=device, **BOTH)
    own, _ = ask(page, "slice", worker="worker1", slice=second["host_rows"] + 5, **ALONE)
    shift = second["shift_ns"]
    assert (found["name"], found["side"], found["table_row"]) == (own["name"], "device", 5)
    assert found["start_ns"] == own["start_ns"] + shift
    assert found["row"] == own["row"] + second["first_row"]
    assert found["lane"] == own["lane"] + "@worker1"
    assert found["facts"][0] == ["Worker", "worker1"]
    targets = [way["target"]["slice"] - second["first_slice"] for way in found["follow"]]
    assert targets == [way["target"]["slice"] for way in own["follow"]]

    counts = [
        ask(page, "find", worker=worker, search="conv", **ALONE)[0]["count"]
        for worker in ("worker0", "worker1")
    ]
    seen, start, slice_ = [], None, None
    for _ in range(12):
        hit, _ = ask(
            page, "find", search="conv", direction=1, from_ns=0, **{"from": slice_}, **BOTH
        )
        assert hit["count"] == sum(counts)
        slice_, start = hit["hit"]["slice"], hit["hit"]["start_ns"]
        seen.append((start, hit["index"]))
    assert [index for _, index in seen] == list(range(1, 13))
    assert [time for time, _ in seen] == sorted(time for time, _ in seen)
    back, _ = ask(page, "find", search="conv", direction=-1, **{"from": slice_}, **BOTH)
    assert back["index"] == 11
    wrapped, _ = ask(page, "find", search="conv", direction=-1, from_ns=-(10**9), **BOTH)
    assert wrapped["index"] == sum(counts)

    extent = {"start_ns": 20_000_000, "end_ns": 40_000_000}
    both, _ = ask(page, "area", lanes=[], **extent, **BOTH)
    first, _ = ask(page, "area", lanes=[], **extent, **ALONE)
    moved = {name: time - shift for name, time in extent.items()}
    other, _ = ask(page, "area", worker="worker1", lanes=[], **moved, **ALONE)
    assert both["slices"] == first["slices"] + other["slices"]
    lane = next(one for one in layout["lanes"] if one["key"].endswith("@worker1"))
    one, _ = ask(page, "area", lanes=[lane["key"]], **extent, **BOTH)
    assert 0 <= one["slices"] <= other["slices"]

    rows = [[second["first_row"], second["first_row"] + 40]]
    arrows, _ = ask(page, "flows", kinds=["enqueue"], rows=rows, **extent, **BOTH)
    assert all(arrow["from_row"] >= second["first_row"] for arrow in arrows["arrows"])
    assert arrows["arrows"]


def test_a_worker_that_is_not_there_is_named_and_the_rest_shown(page: Page) -> None:
    choice = {**BOTH, "workers": ["worker9", "worker1", "worker0"]}
    layout, _ = ask(page, "timeline", **choice)
    assert [one["worker"] for one in layout["workers"]] == ["worker0", "worker1"]
    assert "worker9" in layout["failed"]["worker9"]
    for wrong in ({"workers": [7]}, {"workers": "worker1"}, {"clock": "sun"}):
        reply, _ = page.ask("timeline", state=page.state(), **{**BOTH, **wrong})
        assert not reply["ok"]


def test_the_choice_is_a_trait_and_the_selection_names_the_worker(page: Page) -> None:
    view = page.view
    assert view.timeline_workers == []
    view.timeline_workers = ["worker1"]
    view.timeline_clock = "step"
    with pytest.raises(TraitError, match="no worker 'worker7'"):
        view.timeline_workers = ["worker7"]
    with pytest.raises(TraitError, match="timeline_clock"):
        view.timeline_clock = "sun"
    view.selection = [{"side": "device", "row": 5, "worker": "worker1"}]
    other = view.profile.trace(run=RUN, worker="worker1")
    assert view.selected["name"][0].as_py() == other.model.tables["device"]["name"][5].as_py()
    lanes = [
        {"lane": "gpu:0:7", "start_us": 10_000.0, "end_us": 30_000.0},
        {"lane": "gpu:1:7", "start_us": 9_000.0, "end_us": 29_000.0, "worker": "worker1"},
    ]
    view.selection = lanes
    sums = [sum(table["count"].to_pylist()) for table in (view.selected,)]
    view.selection = lanes[:1]
    first = sum(view.selected["count"].to_pylist())
    view.selection = lanes[1:]
    assert sums == [first + sum(view.selected["count"].to_pylist())]
    view.run = "torch_cpu_convnet"
    assert view.timeline_workers == []


def test_many_workers_are_saved_as_far_as_there_is_room() -> None:
    import json

    from nbprof.widgets.saved.timeline import timeline_parts
    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State
    from nbprof.widgets.views.timeline.choice import Choice

    session = Session(RUNS / RUN)
    state, choice = State(RUN, "worker0", 1), Choice("thread", ("worker1",))
    about = json.loads(timeline_parts(session, state, choice)[0])
    assert [one["worker"] for one in about["layout"]["workers"]] == ["worker0", "worker1"]
    assert any(lane["key"].endswith("@worker1") for lane in about["layout"]["lanes"])
    parts = timeline_parts(session, state, choice, max_bytes=150_000)
    assert sum(map(len, parts)) <= 150_000
    about = json.loads(parts[0])
    assert "workers" not in about["layout"]
    assert "worker1 is left out" in about["left_out"]
