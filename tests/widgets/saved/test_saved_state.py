"""Saved state of a view: when it is written, its size, and what it leaves out."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import nbprof
from nbprof.widgets.hints import waiting_time
from nbprof.widgets.saved import content, state_saver
from nbprof.widgets.saved.parts import SavePlan
from nbprof.widgets.saved.writer import StateWriter
from nbprof.widgets.views.memory.saved_curve import curve_rows
from tests.support.programs.offline import header, parts
from tests.support.recordings.runs import RUNS
from tests.widgets.timeline.test_timeline import many_slices

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.widgets.conftest import Page

KEY = ("run", "worker", 1)
SECONDS = 20


@pytest.fixture(autouse=True)
def defaults_again() -> Iterator[None]:
    yield
    nbprof.options.reset()


def until(page: Page, *, kept: bool = True) -> dict[str, Any]:
    """Wait for the trait, and return what stands before its parts."""
    end = time.monotonic() + SECONDS
    while bool(page.view.snapshot) != kept:
        assert time.monotonic() < end, page.view.errors
        time.sleep(0.02)  # between two looks
    return header(page.view.snapshot) if kept else {}


def kept(page: Page) -> dict[str, Any]:
    page.result("trace", state=page.state(**page.view.filter))
    page.view._saver.save()
    return header(page.view.snapshot)


# -- the bytes


def test_what_was_put_in_comes_out() -> None:
    writer = StateWriter(10_000, KEY, "1.2", filter={"name": "é"})
    assert writer.add("a", {"x": [1, "µ"]}, [b"short", b"long " * 1000])
    assert writer.add("b", parts=[os.urandom(999)])
    assert writer.add("c", "only words")
    writer.leave_out("This.")
    data = writer.to_bytes()
    head = header(data)
    assert head["key"] == list(KEY)
    assert (head["version"], head["nbprof"], head["filter"]) == (3, "1.2", {"name": "é"})
    assert head["left_out"] == ["This."]
    assert head["entries"]["a"]["about"] == {"x": [1, "µ"]}
    assert parts(data, "a") == [b"short", b"long " * 1000]
    assert len(parts(data, "b")[0]) == 999
    assert parts(data, "c") == []


@pytest.mark.parametrize("most", [700, 1500, 5000])
def test_it_never_takes_more_than_it_may(most: int) -> None:
    writer = StateWriter(most, KEY, "1")
    taken = [writer.add(f"entry {n}", {"n": n}, [os.urandom(50 * n)]) for n in range(40)]
    assert any(taken)
    assert not all(taken)
    assert len(writer.to_bytes()) <= most
    assert [f"entry {n}" in writer for n in range(40)] == taken


# -- what is in it


def test_a_small_trace_is_there_in_full(page: Page) -> None:
    head = kept(page)
    assert head["left_out"] == []
    assert head["key"] == [page.view.run, page.view.worker, page.view.span]
    tables = {name for name in head["entries"] if name.startswith("table:")}
    assert {"table:operators:name+stack", "table:kernels:properties", "table:steps:"} <= tables
    assert {"timeline", "flame:device:time", "facts", "catalog"} <= set(head["entries"])
    for name in tables:
        about = head["entries"][name]["about"]
        (data,) = parts(page.view.snapshot, name)
        assert pa.ipc.open_stream(data).read_all().num_rows == about["rows"]


def test_of_a_large_one_the_first_rows_stay_and_it_says_so(open_page: Any) -> None:
    page = open_page(RUNS, run="gpu_resnet_synthetic")
    view = page.view
    plan = SavePlan(200_000, most_rows=50, timeline_bytes=0)
    head = header(content.make(view._session, view._state(), plan))
    assert "Kernels by name and stack: 50 of 227 rows are included." in head["left_out"]
    rows = head["entries"]["table:kernels:name+stack"]["about"]["rows"]
    assert rows == 227
    saved = content.make(view._session, view._state(), plan)
    assert len(saved) <= 200_000
    found = pa.ipc.open_stream(parts(saved, "table:kernels:name+stack")[0]).read_all()
    every = view.trace.kernels(group_by="name+stack")["total_us"].to_pylist()
    least = sorted(every, reverse=True)[49]
    kept_rows = [time for time in every if time >= least]
    assert found["total_us"].to_pylist() == kept_rows, "in the order of the whole table"


def test_a_curve_keeps_what_can_be_seen_of_it(open_page: Any) -> None:
    trace = open_page(RUNS, run="gpu_resnet_synthetic").view.trace
    curve = trace.memory_curve()
    rows = curve_rows(curve, 600)
    assert 100 < len(rows) <= 650
    assert sorted(set(rows.tolist())) == rows.tolist()
    short = curve.take(pa.array(rows))
    for table in (curve, short):
        assert table.group_by("device_type").aggregate(
            [("allocated_bytes", "max"), ("allocated_bytes", "min"), ("time_us", "max")]
        ).sort_by("device_type") == curve.group_by("device_type").aggregate(
            [("allocated_bytes", "max"), ("allocated_bytes", "min"), ("time_us", "max")]
        ).sort_by("device_type")


def test_it_holds_no_path_but_what_was_given(
    open_page: Any, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(logs.parent)
    monkeypatch.setenv("SECRET_TOKEN", "do-not-tell")
    trace = next(logs.glob("runA/*"))
    content = json.loads(trace.read_text())
    trace.write_text(json.dumps({**content, "unheard_of": "hidden metadata"}))
    page = open_page("logs", run="runA")
    page.result("timeline", state=page.state(), group_by="thread")
    kept(page)
    names = header(page.view.snapshot)["entries"]
    whole = [page.view.snapshot]
    whole += [part for name in names for part in parts(page.view.snapshot, name)]
    state = page.view.get_state()
    whole.append(repr({k: v for k, v in state.items() if k not in ("_esm", "_css")}).encode())
    for data in whole:
        for private in (
            str(logs.parent),
            "do-not-tell",
            "hidden metadata",
            os.environ["HOME"] + "/",
        ):
            assert private.encode() not in data, private
    assert header(page.view.snapshot)["entries"]["catalog"]["about"]["source"] == "logs"


# -- when


def test_it_is_kept_once_nothing_is_asked_any_more(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_saver, "QUIET_SECONDS", 0.05)
    assert page.view.snapshot == b""
    page.result("trace", state=page.state())
    page.result("overview", state=page.state())
    assert until(page)["filter"] == {}
    before = page.view.snapshot
    page.save(filter={"name": "conv"})
    page.result("overview", state=page.state(name="conv"))
    end = time.monotonic() + SECONDS
    while page.view.snapshot == before:
        assert time.monotonic() < end
        time.sleep(0.02)  # between two looks
    assert until(page)["filter"] == {"name": "conv"}
    assert page.view.errors == []


def test_the_same_state_is_not_kept_twice(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(page)
    before = len(page.comm.sent)
    page.view._saver.save()
    monkeypatch.setattr(state_saver, "QUIET_SECONDS", 0.0)
    page.result("overview", state=page.state())
    assert page.view._saver._timer is None
    assert len(page.comm.sent) == before + 1


def test_another_trace_has_none_until_it_is_shown(page: Page) -> None:
    kept(page)
    page.save(run="runB")
    assert page.view.snapshot == b""
    page.result("overview", state=page.state())
    assert kept(page)["key"][0] == "runB"


def test_a_question_stops_what_is_being_made(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    saver = page.view._saver
    page.result("trace", state=page.state())

    def asked(*_: Any) -> Iterator[str]:
        yield "first"
        saver.save_when_idle("overview")
        yield "second"
        pytest.fail("it went on")

    monkeypatch.setattr(content, "fill", asked)
    saver.save()
    assert page.view.snapshot == b""


def test_an_exit_waits_for_the_part_that_is_being_made(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise Python ends the thread inside of Arrow, and the process with it."""
    begun, done = threading.Event(), []

    def slow(*_: Any) -> Iterator[str]:
        begun.set()
        time.sleep(0.3)  # what a table takes
        done.append("first")
        yield "first"
        done.append("second")

    monkeypatch.setattr(state_saver, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(state_saver, "_exits", threading.Event())
    monkeypatch.setattr(content, "fill", slow)
    page.result("overview", state=page.state())
    assert begun.wait(SECONDS)
    state_saver._stop_all()
    assert done == ["first"]
    assert not page.view._saver._timer.is_alive()


def test_at_the_end_of_a_cell_it_keeps_what_there_was_time_for(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.result("trace", state=page.state())
    page.view._saver.save(0.0)
    head = header(page.view.snapshot)
    assert head["left_out"] == ["The rest was not computed before the cell ended."]
    assert kept(page)["left_out"] == []


def test_a_cell_waits_for_nothing_of_a_large_trace(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_time, "LARGE_ROWS", 10)
    page.result("trace", state=page.state())
    saver = page.view._saver
    saver.save(60.0)
    assert page.view.snapshot == b""
    assert saver._timer is not None
    saver.close()
    head = kept(page)
    assert [name for name in head["entries"] if name.startswith("flame:")] == [
        "flame:device:left_heavy"
    ]
    assert "timeline" not in head["entries"]
    assert "table:operators:name" in head["entries"]
    assert any("because the trace is large" in sentence for sentence in head["left_out"])


def test_a_large_timeline_leaves_room_for_tables(open_page: Any, tmp_path: Path) -> None:
    page = open_page(many_slices(tmp_path, 60_000), view="timeline")
    page.result("timeline", state=page.state(), group_by="thread")
    names = kept(page)["entries"]
    assert {"timeline", "table:operators:name"} <= set(names)
    assert len(page.view.snapshot) <= nbprof.options.snapshot_bytes == 1_000_000


def test_of_a_large_trace_the_timeline_is_kept_once_it_was_drawn(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_time, "LARGE_ROWS", 10)
    assert "timeline" not in kept(page)["entries"]
    page.result("timeline", state=page.state(), group_by="thread")
    page.view._saver.save()
    assert "timeline" in header(page.view.snapshot)["entries"]


@pytest.mark.parametrize("most", [0, 30_000, 400_000])
def test_one_says_how_much_may_be_kept(page: Page, most: int) -> None:
    nbprof.options.snapshot_bytes = most
    page.result("timeline", state=page.state(), group_by="thread")
    page.view._saver.save()
    assert len(page.view.snapshot) <= most
    assert bool(page.view.snapshot) == (most > 0)


def test_a_fault_in_it_is_told_once_and_spoils_nothing(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        message = "no room"
        raise ValueError(message)

    page.result("trace", state=page.state())
    monkeypatch.setattr(content, "start", broken)
    page.view._saver.save()
    page.view._saver.save()
    assert [str(error.error) for error in page.view.errors] == ["no room"]
    assert page.result("overview", state=page.state())


def test_a_closed_view_keeps_nothing_any_more(page: Page) -> None:
    page.result("overview", state=page.state())
    timer = page.view._saver._timer
    assert timer is not None
    page.view.close()
    timer.join(SECONDS)
    assert not timer.is_alive()
    page.view._saver.save()
    assert page.view.snapshot == b""
    assert page.view.errors == []
