"""Files that Python writes for the browser: parts of traces, and pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.widgets.downloads import files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page


def whole_file(page: Page, op: str, **params: Any) -> tuple[str, bytes]:
    """Ask for all parts of a file as the browser does."""
    pieces: list[bytes] = []
    name, parts = "", 1
    while len(pieces) < parts:
        reply, buffers = page.ask(op, state=page.state(), part=len(pieces), **params)
        name, parts = reply["result"]["filename"], reply["result"]["parts"]
        pieces.append(bytes(buffers[0]))
    return name, b"".join(pieces)


def test_a_range_is_a_trace_that_is_read_back(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "PAGE_BYTES", 500)
    name, data = whole_file(page, "trace_file", range_us=[1000, 1900])
    assert name == "runA-worker0.pt.trace.json.gz"
    (tmp_path / name).write_bytes(data)
    again = nbprof.load(tmp_path / name, cache=False).trace()
    assert again.steps()["step"].to_pylist() == [2]
    filtered = page.view.trace.filter(time_us=(1000, 1900))
    assert again.operators().equals(filtered.operators())
    everything = whole_file(page, "trace_file", range_us=None)[1]
    assert len(everything) > len(data)


def test_the_filter_on_screen_does_not_thin_out_the_trace(page: Page) -> None:
    narrowed = page.ask("trace_file", state=page.state(name="conv"), range_us=None)[1][0]
    assert bytes(narrowed) == whole_file(page, "trace_file", range_us=None)[1]


@pytest.mark.parametrize("range_us", [[1], [2, 1], ["a", "b"], [0, float("inf")], 7, {}])
def test_what_is_no_range_is_refused(page: Page, range_us: Any) -> None:
    assert page.error("trace_file", state=page.state(), range_us=range_us)["type"] == "RequestError"


def test_a_part_that_there_is_not_is_refused(page: Page) -> None:
    for part in (1, -1, "0", True):
        error = page.error("trace_file", state=page.state(), range_us=None, part=part)
        assert "no part" in error["message"]


def test_a_file_too_large_for_a_browser_says_what_to_do(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 100)
    error = page.error("trace_file", state=page.state(), range_us=None)
    assert "view.trace.to_chrome_trace(path)" in error["message"]


def test_a_page_is_that_of_to_html(page: Page, tmp_path: Path) -> None:
    page.view.active = "kernels"
    name, data = whole_file(page, "page_file")
    assert name == "runA-worker0.html"
    wanted = page.view.to_html(tmp_path / "page.html").read_bytes()
    assert abs(len(data) - len(wanted)) < 100
    assert b'"active":"kernels"' in data
    assert page.error("page_file", state=page.state(), part=99)["type"] == "RequestError"
