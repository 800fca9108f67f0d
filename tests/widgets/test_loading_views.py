"""Views that are closed while their trace is read, by the page, the notebook or another thread."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.widgets.conftest import Page, write_trace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_trace(tmp_path / "worker0.1700000000001.pt.trace.json")


def closing(page: Page, monkeypatch: pytest.MonkeyPatch, close: Any) -> None:
    """Let something close the view in the middle of the next read."""
    from nbprof.sources.kineto import reading

    build = reading.build_tables

    def build_later(*rest: Any) -> Any:
        close()
        return build(*rest)

    monkeypatch.setattr(reading, "build_tables", build_later)


def request(page: Page, op: str, number: int = 7, **params: Any) -> dict[str, Any]:
    return {"v": 1, "id": number, "op": op, "gen": 0, "params": {"state": page.state(), **params}}


@pytest.mark.parametrize("op", ["trace", "overview", "page", "timeline", "distributed"])
def test_closing_from_within_ends_quietly(
    open_page: Any, path: Path, monkeypatch: pytest.MonkeyPatch, op: str
) -> None:
    """A cell may close a view while a request is answered, since requests let others run."""
    page = open_page(path)
    asked = request(page, op, table="operators", width=300, rows=[[0, 30]])
    closing(page, monkeypatch, page.view.close)
    page.view._router.handle(asked)
    assert page.comm.closed
    page.view._router.handle(asked)
    assert [m for m, _ in page.custom() if m.get("ok")] == []
    assert "closed" in str(page.view.errors[-1])


def test_closing_from_another_thread_releases_what_was_read(
    open_page: Any, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page(path)
    asked = request(page, "page", table="operators")
    reads, closed = threading.Event(), threading.Event()

    def wait() -> None:
        reads.set()
        assert closed.wait(60)

    closing(page, monkeypatch, wait)
    trace = page.view.trace
    content = weakref.ref(trace._content)
    thread = threading.Thread(target=page.view._router.handle, args=(asked,))
    thread.start()
    assert reads.wait(60)
    page.view.close()
    closed.set()
    thread.join(60)
    assert not thread.is_alive()
    del trace
    gc.collect()
    assert content() is None
    with pytest.raises(nbprof.NbprofError, match="closed"):
        _ = page.view.trace


def test_another_view_of_the_file_goes_on(
    open_page: Any, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both views share what is read; one that is closed does not take it from the other."""
    first, second = open_page(path), open_page(path)
    closing(first, monkeypatch, first.view.close)
    first.view._router.handle(request(first, "trace"))
    assert second.view.trace.is_read
    reply = second.result("page", state=second.state(), table="operators")
    assert reply["total"] > 0
