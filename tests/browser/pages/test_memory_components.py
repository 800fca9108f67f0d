"""Memory by component and by kind on a bare page: choices, layout, values, export to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.browser.driving.host import Host, pages
from tests.browser.driving.widget import Widget
from tests.conftest import ROOT
from tests.sources.ascend.directories import output_folder
from tests.widgets.views.test_memory_components import BLOCKS, MODULES, RECORDS, paddle_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    Show = Callable[..., Widget]

pytestmark = pytest.mark.browser

PADDLE = "run/worker0_time_2026_01_01_00_00_00_000001.paddle_trace.json"


@pytest.fixture
def npu(tmp_path: Path) -> Path:
    folder = output_folder(tmp_path / "npu")
    (folder / "operator_memory.csv").write_text(BLOCKS, "utf-8")
    (folder / "memory_record.csv").write_text(RECORDS, "utf-8")
    (folder / "npu_module_mem.csv").write_text(MODULES, "utf-8")
    return tmp_path / "npu"


@pytest.fixture
def paddle(tmp_path: Path) -> Path:
    paddle_file(tmp_path / "paddle" / PADDLE)
    return tmp_path / "paddle"


@pytest.fixture
def show(browser: Browser) -> Iterator[Show]:
    """Draw the memory view of a folder on a page of its own."""
    faults: list[str] = []
    with pages() as address:

        def draw(source: Path, width: int = 1200, theme: str = "light", **options: Any) -> Widget:
            context = browser.new_context(viewport={"width": width, "height": 900})
            page = context.new_page()
            page.on("pageerror", lambda error: faults.append(str(error)))
            Host(nbprof.MemoryView(source, **options)).show(page, address, theme)
            return Widget(page.locator(".nbp").first).settled().drawn(1)

        yield draw
    for context in browser.contexts:
        context.close()
    assert faults == []


def choose(widget: Widget, label: str) -> None:
    widget.root.get_by_role("button", name=label, exact=True).click()
    widget.settled()


def test_components_are_chosen_and_listed(show: Show, npu: Path) -> None:
    widget = show(npu)
    assert "NPU 0 · Peak 7.0 MiB at" in widget.text()
    assert widget.column("Allocations", "operator") == ["cann::Conv", "aten::mm"]
    choose(widget, "Component")
    widget.eventually(lambda: "Peak reserved: APP 24.0 MiB" in widget.text(), expected=True)
    rows = widget.rows("Peaks by component")
    assert [(row["component"], row["source"]) for row in rows[:2]] == [
        ("HCCL", "driver"),
        ("APP", "profiler"),
    ]
    assert widget.root.locator('table[aria-label="Allocations"]:visible').count() == 0
    choose(widget, "Operator")
    widget.eventually(lambda: widget.column("Allocations", "operator")[:1], ["cann::Conv"])


@pytest.mark.parametrize(
    ("width", "theme"), [(1200, "light"), (1200, "dark"), (420, "light"), (420, "dark")]
)
@pytest.mark.parametrize("what", ["devices", "components", "kinds"])
def test_fits_at_every_width(
    show: Show, request: pytest.FixtureRequest, what: str, width: int, theme: str
) -> None:
    by = "component" if what == "components" else "operator"
    source = request.getfixturevalue("paddle" if what == "kinds" else "npu")
    widget = show(source, width, theme, memory_by=by)
    folder = ROOT / "screenshots"
    widget.root.screenshot(path=folder / f"memory-{what}-{width}-{theme}.png")
    assert widget.misfits() == []
    assert widget.access_faults() == []


def test_what_the_pointer_is_on_is_read(show: Show, paddle: Path) -> None:
    widget = show(paddle)
    box = widget.root.locator(".nbp-brush").bounding_box()
    assert box is not None
    widget.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    words = widget.root.locator(".nbp-pointed span")
    text = words.text_content() or ""
    assert "allocated 6.0 MiB" in text
    assert "reserved 8.0 MiB" in text
    assert "peak reserved 9.0 MiB" in text


def test_a_page_draws_both_without_python(browser: Browser, npu: Path, tmp_path: Path) -> None:
    path = nbprof.MemoryView(npu).to_html(tmp_path / "page.html")
    page = browser.new_context().new_page()
    page.goto(path.as_uri())
    widget = Widget(page.locator(".nbp").first).settled()
    texts = widget.root.locator(".nbp-figure svg:visible text")
    widget.eventually(lambda: "Reserved 11.0" in texts.all_text_contents(), expected=True)
    choose(widget, "Component")
    widget.eventually(lambda: "PTA reserved 8.0" in texts.all_text_contents(), expected=True)
    assert "APP reserved 24.0" in texts.all_text_contents()
    assert widget.rows("Peaks by component")[0]["component"] == "HCCL"
