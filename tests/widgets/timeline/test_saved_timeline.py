"""The saved state of the timeline."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.widgets.saved import timeline as saved_timeline
from nbprof.widgets.saved.parts import TIMELINE_BYTES
from tests.support.programs.offline import header, parts
from tests.widgets.conftest import Page, table_of

from .test_timeline import fields, many_slices

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def page(open_page: Any, logs: Path) -> Page:
    return open_page(logs, nbprof.TimelineView)


def draw(page: Page, group_by: str = "thread") -> dict[str, Any]:
    return page.result("timeline", state=page.state(), group_by=group_by)


def saved(page: Page) -> list[bytes]:
    """Return the timeline that is kept once nothing is asked."""
    page.view._saver.save()
    return parts(page.view.snapshot, "timeline")


def about(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(saved(page)[0])
    return found


def slices(page: Page) -> Any:
    return table_of(saved(page)[1])


def stands_for(page: Page) -> tuple[int, int]:
    """Return the slices of saved state that are there one by one, and those in blocks."""
    rows = slices(page).to_pylist()
    blocks = sum(len(row["block"]) for row in rows)
    return (
        sum(len(row["slice"]) for row in rows) - blocks,
        sum(sum(row["count"]) for row in rows),
    )


def test_once_it_is_drawn_it_goes_in_before_other_tables(page: Page) -> None:
    page.result("trace", state=page.state())
    saved(page)
    names = list(header(page.view.snapshot)["entries"])
    draw(page)
    saved(page)
    drawn = list(header(page.view.snapshot)["entries"])
    assert sorted(drawn) == sorted(names)
    assert drawn.index("timeline") < drawn.index("table:operators:name") < names.index("timeline")
    kept = page.view.snapshot
    draw(page)
    saved(page)
    assert page.view.snapshot is kept, "what has not changed is not made again"


def test_it_opens_the_timeline_without_a_kernel(page: Page) -> None:
    reply, (minimap,) = page.ask("timeline", state=page.state(), group_by="thread")
    layout, found = reply["result"], about(page)
    assert set(found) == fields("SavedTimeline")
    assert found["layout"] == layout
    _, kept, kept_minimap, curves = saved(page)
    assert kept_minimap == minimap
    tracks = table_of(curves)
    assert tracks["key"].to_pylist() == [track["key"] for track in layout["tracks"]]
    rows = [[0, sum(lane["depths"] for lane in layout["lanes"])]]
    asked = {"start_ns": 0, "end_ns": layout["end_ns"], "width": 16_000, "rows": rows}
    reply, (answer, _) = page.ask("slices", state=page.state(), group_by="thread", **asked)
    assert set(found["info"]) == set(reply["result"])
    names = ("names", "slots", "shades", "rows", "group_by", "matches", "dimmed")
    assert {key: found["info"][key] for key in names} == {
        key: reply["result"][key] for key in names
    }
    assert kept == answer, "a small trace is there in full"
    assert found["left_out"] == ""


def test_no_filter_narrows_it(page: Page) -> None:
    page.save(filter={"name": "conv", "steps": [2, 2]})
    page.result("timeline", state=page.state(**page.view.filter), group_by="thread")
    narrowed = saved(page)
    page.save(filter={})
    page.view._session._tables.clear()
    draw(page)
    assert saved(page) == narrowed


def test_it_follows_the_trace_and_the_grouping_on_screen(open_page: Any, logs: Path) -> None:
    page = open_page(logs, view="timeline")
    draw(page)
    saved(page)
    page.save(run="runB")
    assert page.view.snapshot == b"", "that of another trace is gone"
    draw(page)
    saved(page)
    assert header(page.view.snapshot)["key"] == ["runB", "cpu0", 1]
    page.save(group_by="module")
    draw(page, "module")
    assert about(page)["layout"]["group_by"] == about(page)["info"]["group_by"] == "module"
    kept = page.view.snapshot
    page.save(active="operators")
    draw(page, "thread")
    saved(page)
    assert page.view.snapshot is kept, "a late answer does not take its place"


@pytest.mark.parametrize("group_by", ["thread", "module"])
def test_it_is_small_and_says_what_it_leaves_out(
    open_page: Any, tmp_path: Path, group_by: str
) -> None:
    page = open_page(many_slices(tmp_path, 60_000), view="timeline", group_by=group_by)
    layout = draw(page, group_by)
    assert TIMELINE_BYTES / 2 < sum(map(len, saved(page))) <= TIMELINE_BYTES == 512_000
    alone, in_blocks = stands_for(page)
    assert alone + in_blocks == layout["slices"] == 60_000
    text = f"{in_blocks:,} of 60,000 slices are only shown as counts in blocks. "
    assert about(page)["left_out"] == text + "Run the cell again to see everything."
    longest = max(row["width"][0] for row in slices(page).to_pylist())
    assert longest > 0


def test_of_very_many_lanes_those_with_most_slices_stay(open_page: Any, tmp_path: Path) -> None:
    events = [
        {"ph": "X", "cat": "cpu_op", "name": f"op{n % 7}", "pid": 1, "tid": tid, "ts": n, "dur": 1}
        for tid in range(1, 4001)
        for n in range(2 if tid % 10 else 9)
    ]
    path = tmp_path / "threads.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    page = open_page(path, nbprof.TimelineView)
    lanes = draw(page)["lanes"]
    assert 0 < sum(map(len, saved(page))) <= TIMELINE_BYTES
    found = about(page)
    kept = {lane["key"] for lane in found["layout"]["lanes"]}
    assert 0 < len(kept) < len(lanes) == 4000
    assert {lane["key"] for lane in lanes if lane["slices"] == 9} & kept
    assert [lane for lane in lanes if lane["key"] in kept] == found["layout"]["lanes"]
    rows = set(slices(page)["row"].to_pylist())
    assert rows == {lane["first_row"] for lane in found["layout"]["lanes"]}
    assert found["left_out"].startswith(f"{4000 - len(kept):,} of 4,000 lanes are left out")


def test_of_very_many_curves_and_steps_some_stay(open_page: Any, tmp_path: Path) -> None:
    step = {"ph": "X", "cat": "user_annotation", "pid": 1, "tid": 1, "dur": 9}
    sample = {"ph": "C", "pid": 1, "args": {"v": 1}}
    events = [
        *({**step, "name": f"ProfilerStep#{n}", "ts": 10 * n} for n in range(5000)),
        *({**sample, "name": f"counter {n}", "ts": n} for n in range(1000)),
    ]
    path = tmp_path / "curves.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    page = open_page(path, nbprof.TimelineView)
    assert (len(draw(page)["steps"]), len(draw(page)["tracks"])) == (5000, 1000)
    assert 0 < sum(map(len, saved(page))) <= TIMELINE_BYTES
    found = about(page)
    kept = [track["key"] for track in found["layout"]["tracks"]]
    assert 0 < len(kept) < 1000
    assert kept == [track["key"] for track in draw(page)["tracks"]][: len(kept)]
    assert table_of(saved(page)[3])["key"].to_pylist() == kept
    assert found["layout"]["steps"] == []
    assert f"{1000 - len(kept):,} of 1,000 curves are left out, 5,000 steps" in found["left_out"]
    assert sum(stands_for(page)) == 5000


def test_a_fault_in_it_does_not_spoil_the_timeline(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> bytes:
        message = "no room"
        raise ValueError(message)

    monkeypatch.setattr(saved_timeline, "timeline_parts", broken)
    assert draw(page)["slices"] > 0
    page.view._saver.save()
    assert [str(kept.error) for kept in page.view.errors] == ["no room"]
    assert page.view.snapshot == b""


def test_two_views_keep_one_each(open_page: Any, logs: Path) -> None:
    profile = nbprof.load(logs)
    one, other = (open_page(profile, nbprof.TimelineView) for _ in range(2))
    other.save(group_by="module", window=[1, 2], search="conv")
    draw(one)
    draw(other, "module")
    assert about(one)["layout"]["group_by"] == "thread"
    assert about(other)["layout"]["group_by"] == "module"
    assert (one.view.window, one.view.search) == (None, "")
    other.view.close()
    assert draw(one)["slices"] > 0


def test_windows_are_answered_on_threads_while_traits_change(open_page: Any, logs: Path) -> None:
    page = open_page(logs, view="timeline")
    view = page.view
    alone = open_page(logs, view="timeline")
    asked = {"start_ns": 0, "end_ns": 2_000_000, "width": 3000, "rows": [[0, 3]]}
    expected = {
        group: alone.ask("slices", state=alone.state(), group_by=group, **asked)[1]
        for group in ("thread", "module")
    }
    stop = threading.Event()

    def work_in_a_cell() -> int:
        rounds = 0
        while not stop.is_set():
            view.window = (rounds, rounds + 1)
            view.selection = [{"start_us": rounds, "end_us": rounds + 500}]
            view.selected  # noqa: B018 - computes
            rounds += 1
        return rounds

    def ask(number: int) -> tuple[str, dict[str, Any], list[bytes]]:
        op, group = ("timeline", "slices")[number % 2], ("thread", "module")[number // 2 % 2]
        params = {"state": page.state(), "group_by": group, **asked}
        content = {"v": 1, "id": 1000 + number, "op": op, "gen": 0, "params": params}
        view._router.handle(content)
        return group, *next(m for m in page.custom() if m[0]["id"] == 1000 + number)

    with ThreadPoolExecutor(5) as pool:
        cell = pool.submit(work_in_a_cell)
        try:
            replies = list(pool.map(ask, range(60)))
        finally:
            stop.set()
        assert cell.result(timeout=60) > 0
    for group, reply, buffers in replies:
        assert reply["ok"], reply
        if reply["op"] == "slices":
            assert buffers == expected[group]
    assert view.errors == []
    assert about(page)["layout"]["group_by"] == "thread"
