"""Watching views refresh once files are complete, and stop with the view."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.widgets.watching import file_check, watcher
from tests.widgets.conftest import write_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PATIENCE = 20.0
PAUSE = 0.05


BEFORE: list[threading.Thread] = []


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Look often; afterwards no thread is left of those that began here."""
    BEFORE[:] = threading.enumerate()
    monkeypatch.setattr(file_check, "APART_SECONDS", 0)

    class Often:
        class options:  # noqa: N801 - its name in `defaults`
            watch_seconds = PAUSE

    monkeypatch.setattr(watcher, "defaults", Often)
    yield
    eventually(lambda: not threads())


def threads() -> list[threading.Thread]:
    """Return the watching threads; those of views that other tests left open do not count."""
    begun = (one for one in threading.enumerate() if one not in BEFORE)
    return [one for one in begun if one.name == "nbprof-watch"]


def eventually(holds: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(PAUSE / 5)


def told(page: Any) -> int:
    """Count how often the browser was told to ask for the catalog again."""
    return sum(m["op"] == "refresh" and m["id"] is None for m, _ in page.custom())


def test_a_new_file_appears_by_itself(open_page: Any, logs: Path) -> None:
    page = open_page(logs, watch=True, run="runA", worker="worker1", steps=(2, 2))
    page.result("trace", state=page.state())
    write_trace(logs / "runA" / "worker2.1700000000001.pt.trace.json")
    eventually(lambda: told(page))
    read = {trace.worker: trace.is_read for trace in page.view.profile if trace.run == "runA"}
    assert read == {"worker0": False, "worker1": True, "worker2": False}
    assert (page.view.worker, dict(page.view.filter)) == ("worker1", {"steps": [2, 2]})
    time.sleep(4 * PAUSE)
    assert told(page) == 1
    assert page.result("changes")["checked"] is False  # the browser need not ask
    page.view.close()


def test_a_growing_file_is_waited_for(open_page: Any, logs: Path) -> None:
    page = open_page(logs, watch=True)
    path = logs / "runA" / "worker2.1700000000001.pt.trace.json"
    end = time.monotonic() + 10 * PAUSE
    text = '{"traceEvents": ['
    while time.monotonic() < end:
        text += " "
        path.write_text(text)
        time.sleep(PAUSE / 10)
    assert told(page) == 0
    write_trace(path)
    eventually(lambda: told(page))
    assert "worker2" in [trace.worker for trace in page.view.profile]
    assert page.view.errors == []
    page.view.close()


def test_a_broken_file_is_skipped_and_the_watch_goes_on(open_page: Any, logs: Path) -> None:
    page = open_page(logs, watch=True)
    (logs / "runA" / "worker2.1700000000001.pt.trace.json").write_text("{broken")
    eventually(lambda: told(page) == 1)
    assert "worker2" in str([row["path"] for row in page.result("catalog")["skipped"]])
    write_trace(logs / "runA" / "worker3.1700000000001.pt.trace.json")
    eventually(lambda: told(page) == 2)
    assert "worker3" in [trace.worker for trace in page.view.profile]
    page.view.close()


def test_it_waits_for_the_first_trace(open_page: Any, tmp_path: Path) -> None:
    page = open_page(tmp_path, watch=True)
    write_trace(tmp_path / "worker0.1700000000001.pt.trace.json")
    eventually(lambda: told(page))
    assert (page.view.worker, page.view.span) == ("worker0", 1)
    page.view.close()


def test_an_error_is_recorded_once(
    open_page: Any, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page(logs, watch=True)
    failed: list[int] = []

    def fail(_: Any) -> None:
        failed.append(1)
        message = "the disk is away"
        raise OSError(message)

    monkeypatch.setattr(file_check, "list_source", fail)
    eventually(lambda: len(failed) > 3)
    assert [(one.op, str(one.error)) for one in page.view.errors] == [("watch", "the disk is away")]
    page.view.close()


def test_the_thread_ends_with_the_view(logs: Path) -> None:
    view = nbprof.OperatorsView(logs, watch=True)
    assert len(threads()) == 1
    view.close()
    eventually(lambda: not threads())


def test_the_thread_does_not_keep_a_view_alive() -> None:
    class View:
        """Stands for a view that nothing else refers to; widgets are listed until closed."""

        class _session:  # noqa: N801
            files = file_check.FileCheck()
            changes = staticmethod(lambda: None)

    view = View()
    watcher.Watcher(view)  # type: ignore[arg-type]
    gone = weakref.ref(view)
    assert len(threads()) == 1
    del view
    gc.collect()
    eventually(lambda: gone() is None)
    eventually(lambda: not threads())


def test_static_views_and_views_without_watch_have_no_thread(logs: Path) -> None:
    with nbprof.options.having(renderer="static"):
        views = [nbprof.Explorer(logs, watch=True)]
    views += [nbprof.Explorer(logs, watch=True, static=True), nbprof.Explorer(logs)]
    assert threads() == []
    for view in views:
        view.close()


def test_the_interval_is_an_option() -> None:
    assert nbprof.options.watch_seconds == 5
    for wrong in (0.1, float("nan"), "often", True):
        with pytest.raises(ValueError, match="seconds"):
            nbprof.options.watch_seconds = wrong
