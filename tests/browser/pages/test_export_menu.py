"""The Export menu in Chromium: files and text that leave the view, live and on an exported page."""

from __future__ import annotations

import csv
import io
import zlib
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

import nbprof
from tests.browser.driving.widget import Widget
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser

RUN = "gpu_resnet_synthetic"
SVG = "{http://www.w3.org/2000/svg}"
#: Keeps what would go to the clipboard.
_CATCH = (
    "navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }"
)


class Menu:
    """The Export menu of a widget."""

    def __init__(self, widget: Widget) -> None:
        self.root = widget.root
        self.page = widget.page
        self.page.evaluate(_CATCH)

    def open(self) -> None:
        """Open the menu, or open it anew."""
        menu = self.root.locator(".nbp-export")
        if menu.is_visible():
            self.page.keyboard.press("Escape")
        self.root.get_by_role("button", name="Export ▾").locator("visible=true").click()
        menu.wait_for()

    def button(self, name: str) -> Any:
        return self.root.locator(".nbp-export").get_by_role("button", name=name, exact=True)

    def saved(self, name: str) -> tuple[str, bytes]:
        """Press a button; return the name and the content of the file that the page saves."""
        self.open()
        with self.page.expect_download() as coming:
            self.button(name).click()
        return coming.value.suggested_filename, coming.value.path().read_bytes()

    def copied(self, name: str) -> str:
        """Press a button; return the text that is copied."""
        self.page.evaluate("window.copied = ''")
        self.open()
        self.button(name).click()
        self.page.wait_for_function("window.copied")
        return str(self.page.evaluate("window.copied"))


def png_size(data: bytes) -> tuple[int, int]:
    """Return the size of a picture, which holds more than one colour."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    body, at = b"", 8
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        if data[at + 4 : at + 8] == b"IDAT":
            body += data[at + 8 : at + 8 + length]
        at += length + 12
    assert len(set(zlib.decompress(body))) > 20
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def words(svg: bytes) -> list[str]:
    """Return the texts of a drawing that needs nothing beside itself."""
    assert b"var(--" not in svg
    assert b"http" not in svg.replace(b"http://www.w3.org/", b"")
    return ["".join(one.itertext()) for one in ET.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314 - ours


def run(code: str) -> pd.DataFrame:
    """Run code as a notebook cell does; return the value of its last line."""
    space: dict[str, Any] = {}
    lines = code.rstrip().splitlines()
    exec("\n".join(lines[:-1]), space)  # noqa: S102 - that is what the code is for
    return space[lines[-1]]


def test_charts_and_tables_leave_a_live_view(bare: Bare, samples_profile: nbprof.Profile) -> None:
    widget, view = bare.show(
        samples_profile, run=RUN, view="operators", theme="dark", steps=(3, 4), name="conv"
    )
    menu = Menu(widget)
    name, svg = menu.saved("Device self time: SVG")
    assert name == f"{RUN}-worker0-Device_self_time.svg"
    texts = words(svg)
    assert texts[:3] == ["Time by operator", f"{RUN} · worker0", texts[2]]
    assert texts[2] == "Filter: name contains “conv”, steps 3 to 4"
    assert any("cudnn_convolution" in text for text in texts)
    assert b'fill="#111' in svg, "the theme on screen"
    root = ET.fromstring(svg)  # noqa: S314 - ours
    width, height = root.get("width"), root.get("height")
    name, png = menu.saved("Device self time: PNG")
    assert name.endswith(".png")
    assert png_size(png) == (2 * int(width or 0), 2 * int(height or 0))

    name, text = menu.saved("Operators: CSV")
    assert name == f"{RUN}-worker0-operators.csv"
    frame = pd.read_csv(io.BytesIO(text))
    exact = view.table.to_pandas().sort_values("device_self_us", ascending=False, kind="stable")
    assert frame["device_self_us"].tolist() == exact["device_self_us"].tolist()

    head, rule, first, *_ = menu.copied("Operators: Markdown").splitlines()
    assert head.startswith("| Operator | Calls | Device time self, ")
    assert rule.startswith("| :--- | ---: |")
    assert first.split(" | ")[0] == "| aten::" + exact["name"].iloc[0][6:].replace("_", "\\_")

    widget.root.get_by_role("textbox", name="Find").fill("backward")
    widget.settled()
    widget.eventually(
        lambda: {"backward" in one.lower() for one in widget.column("Operators", "name")}, {True}
    )
    code = menu.copied("Operators: Python")
    found = run(code)
    wanted = exact[exact["name"].str.lower().str.contains("backward")].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, wanted)

    name, page = menu.saved("Whole view as a page: HTML")
    assert name == f"{RUN}-worker0.html"
    assert page.startswith(b"<!doctype html>")
    # The keyboard reaches everything.
    menu.open()
    focused = "document.querySelector('*').ownerDocument.activeElement.shadowRoot.activeElement"
    label = f"() => {focused}.getAttribute('aria-label')"
    widget.page.keyboard.press("ArrowDown")
    widget.page.keyboard.press("ArrowRight")
    assert widget.page.evaluate(label) == menu.root.locator(".nbp-export button").nth(
        2
    ).get_attribute("aria-label")
    widget.page.keyboard.press("Escape")
    assert not menu.root.locator(".nbp-export").is_visible()


def test_the_range_on_screen_leaves_the_timeline(
    bare: Bare, samples_profile: nbprof.Profile, tmp_path: Path
) -> None:
    widget, _ = bare.show(samples_profile, run=RUN, view="timeline", window=(50_000, 60_000))
    menu = Menu(widget)
    _, png = menu.saved("Timeline: PNG")
    assert png_size(png)[0] > 1000
    name, data = menu.saved("Window 50 to 60 ms: Trace")
    assert name == f"{RUN}-worker0.pt.trace.json.gz"
    file = tmp_path / name
    file.write_bytes(data)
    part = nbprof.load(file, cache=False).trace()
    whole = samples_profile.trace(run=RUN).filter(time_us=(50_000, 60_000))
    again = part.filter(time_us=(50_000, 60_000))
    assert whole.kernels().num_rows > 0
    assert again.kernels().equals(whole.kernels())
    assert part.kernels().num_rows < samples_profile.trace(run=RUN).kernels().num_rows


def test_a_page_exports_what_needs_no_python(
    browser: Browser,
    samples_profile: nbprof.Profile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(RUNS.parent)  # a page does not say where its files were
    view = nbprof.Explorer(samples_profile, run=RUN, view="overview")
    file = view.to_html(tmp_path / "page.html")
    view.close()
    context = browser.new_context()
    page = context.new_page()
    page.goto(file.as_uri())
    menu = Menu(Widget(page.locator(".nbp").first).settled())
    _, svg = menu.saved("Time by category: SVG")
    assert {"Kernel", "38.4 ms"} <= set(words(svg))
    png_size(menu.saved("Step time breakdown, stacked bars: PNG")[1])
    rows = list(csv.reader(io.StringIO(menu.saved("Steps: CSV")[1].decode(), newline="")))
    assert len(rows) == 7
    assert run(menu.copied("Steps: Python"))["step"].tolist() == [2, 3, 4, 5, 6, 7]
    assert menu.copied("Execution summary: Markdown").count("\n") == 11
    menu.open()
    assert menu.button("Whole view as a page: HTML").is_disabled()
    context.close()
