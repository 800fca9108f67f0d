"""Handlers run on another thread while a cell runs."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbprof
from nbprof.widgets.requests import router as router_module
from tests.widgets.conftest import Page, table_of


def test_requests_on_threads_while_python_reads_and_writes(page: Page) -> None:
    view = page.view
    alone = nbprof.load(view.profile.source).trace()
    expected = {n: alone.filter(steps=n).operators().to_pylist() for n in (1, 2, 3)}
    stop = threading.Event()

    def work_in_a_cell() -> int:
        rounds = 0
        while not stop.is_set():
            view.filter = {"steps": rounds % 3 + 1}
            assert view.table.num_rows == 9
            rounds += 1
        return rounds

    def ask(number: int) -> tuple[int, dict[str, Any], list[bytes]]:
        step = number % 3 + 1
        params = {"state": page.state(steps=[step, step]), "table": "operators"}
        content = {"v": 1, "id": 1000 + number, "op": "page", "gen": 0, "params": params}
        view._router.handle(content)
        return (number, *next(m for m in page.custom() if m[0]["id"] == 1000 + number))

    with ThreadPoolExecutor(5) as pool:
        cell = pool.submit(work_in_a_cell)
        try:
            replies = list(pool.map(ask, range(60)))
        finally:
            stop.set()
        assert cell.result(timeout=60) > 0
    for number, reply, buffers in replies:
        assert reply["ok"], reply
        rows = table_of(buffers[0]).to_pylist()
        by_name = {row["name"]: row for row in expected[number % 3 + 1]}
        assert {row["name"]: row for row in rows} == by_name


def test_reading_tells_how_far_it_is_but_not_too_often(
    open_page: Any, logs: Path, monkeypatch: Any
) -> None:
    page = open_page(logs)
    now = [100.0]
    monkeypatch.setattr(router_module.time, "monotonic", lambda: now[0])
    trace = page.view.trace

    def read(progress: Any = None) -> Any:
        for done in range(100):
            progress(done, 100, "worker0")
            now[0] += 0.01
        return trace

    monkeypatch.setattr(type(trace), "is_read", property(lambda _: False))
    monkeypatch.setattr(type(trace), "read", lambda _, *, progress: read(progress))
    before = len(page.comm.sent)
    page.result("trace", state=page.state())
    told = [m["progress"]["done"] for m, _ in page.custom(before) if "progress" in m]
    assert told[0] == 0
    assert len(told) in (9, 10)
    assert all(b - a >= 10 for a, b in pairwise(told))


def test_a_real_read_tells_its_progress_in_bytes(open_page: Any, logs: Path) -> None:
    page = open_page(logs)
    replies = page.say(
        {"v": 1, "id": 5, "op": "trace", "gen": 0, "params": {"state": page.state()}}
    )
    progress = [m for m, _ in replies if "progress" in m]
    assert progress
    size = Path(page.view.trace.path).stat().st_size
    for message in progress:
        assert (message["id"], message["op"]) == (5, "trace")
        assert 0 <= message["progress"]["done"] <= message["progress"]["total"] == size
        assert message["progress"]["text"]
    again = page.say({"v": 1, "id": 6, "op": "trace", "gen": 0, "params": {"state": page.state()}})
    assert len(again) == 1, "what is read already is not read again"
