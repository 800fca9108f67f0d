"""The page that `to_html` writes: opened from a file, without a network, under its own policy."""

from __future__ import annotations

import json
import re
import threading
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.browser.driving.widget import CHARTS, Widget, assert_times
from tests.conftest import ROOT
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

    Open = Callable[..., Widget]

pytestmark = pytest.mark.browser

RUN = "gpu_resnet_synthetic"
WATCH = """
window.refused = [];
document.addEventListener('securitypolicyviolation', event =>
  window.refused.push(`${event.violatedDirective}: ${event.blockedURI}`));
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of the GPU sample."""
    path = tmp_path_factory.mktemp("pages") / "report.html"
    return nbprof.Explorer(RUNS, run=RUN).to_html(path)


@pytest.fixture
def show(browser: Browser) -> Iterator[Open]:
    """Open a page; afterwards it has asked for nothing, nothing was refused, and nothing broke."""
    asked: list[str] = []
    faults: list[str] = []
    contexts = []

    def open_page(
        where: Path | str, width: int = 1200, theme: Any = "light", **options: Any
    ) -> Widget:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(WATCH)
        address = where.as_uri() if isinstance(where, Path) else where
        page.on("request", lambda r: None if r.url == address else asked.append(r.url))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
        page.goto(address)
        return Widget(page.locator(".nbp").first).settled()

    yield open_page
    for context in contexts:
        for page in context.pages:
            faults += page.evaluate("() => window.refused")
        context.close()
    assert asked == []
    assert faults == []


def policy_of(path: Path) -> str:
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', path.read_text("utf-8"))
    assert found is not None
    return unescape(found.group(1))


def charts(widget: Widget) -> list[int]:
    """Count the shapes of every chart in sight."""
    shown = widget.root.locator(".nbp-figure:visible")
    return [shown.nth(at).locator("svg > *").count() for at in range(shown.count())]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 800, 420])
def test_every_view_fits(show: Open, report: Path, width: int, theme: str) -> None:
    widget = show(report, width, theme)
    for view, count in CHARTS.items():
        if width > 420:
            widget.open_view(view)
        else:
            widget.choose_view(view)
        assert [n > 5 for n in charts(widget)] == [True] * count, view
        assert widget.misfits() == [], view
        name = f"html-{view.lower()}-{width}-{theme}.png"
        widget.page.screenshot(path=ROOT / "screenshots" / name, full_page=True)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_use_it(show: Open, report: Path, theme: str) -> None:
    widget = show(report, 1200, theme)
    for view in CHARTS:
        widget.open_view(view)
        assert widget.access_faults() == [], view


def test_it_shows_what_python_shows(show: Open, report: Path, samples_profile: Any) -> None:
    trace = samples_profile.trace(RUN)
    widget = show(report).open_view("Operators")
    widget.root.get_by_role("button", name="µs", exact=True).click()
    table = trace.operators()
    assert widget.column("Operators", "name")[:10] == table["name"].to_pylist()[:10]
    assert_times(
        widget.times_us("Operators", "device_self_us"), table["device_self_us"].to_pylist()
    )
    names = [name for name in table["name"].to_pylist() if "convolution" in name.lower()]
    widget.root.get_by_role("textbox", name="Find in Operators").fill("/C\\pL{3}olution/")
    widget.eventually(lambda: widget.column("Operators", "name"), names)
    widget.root.get_by_role("textbox", name="Find in Operators").fill("")
    widget.group_by("Name + shape").settled()
    widget.eventually(
        lambda: len(set(widget.column("Operators", "input_shapes"))) > 3, expected=True
    )
    widget.open_view("Kernels").grid("Kernels").get_by_role("columnheader", name="Calls").click()
    most = sorted(trace.kernels()["calls"].to_pylist(), reverse=True)
    widget.eventually(lambda: [int(n) for n in widget.column("Kernels", "calls")[:5]], most[:5])


def test_steps_are_brushed_and_tables_follow(
    show: Open, report: Path, samples_profile: Any
) -> None:
    widget = show(report)
    bars = widget.root.locator(".nbp-figure svg:not(.nbp-picks)").nth(1)
    bars.scroll_into_view_if_needed()
    box = bars.bounding_box()
    assert box is not None
    mouse = widget.page.mouse
    middle = box["y"] + box["height"] / 2
    mouse.move(box["x"] + 0.25 * box["width"], middle)
    mouse.down()
    mouse.move(box["x"] + 0.45 * box["width"], middle, steps=4)
    mouse.up()
    widget.root.get_by_role("button", name="Filter to steps 3 to 4").wait_for()
    widget.page.keyboard.press("Enter")
    widget.root.get_by_text("steps 3 to 4", exact=True).wait_for()
    widget.settled()
    assert "Recommendations cannot be filtered without Python" in widget.text()
    kept = samples_profile.trace(RUN).filter(steps=(3, 4))
    assert f"{kept.overview()['avg_us'][0].as_py() / 1000:.1f}" in widget.text()
    widget.open_view("Operators")
    widget.root.get_by_role("button", name="µs", exact=True).click()
    wanted = kept.operators()["device_self_us"].to_pylist()
    assert_times(widget.times_us("Operators", "device_self_us"), wanted)
    widget.filter_name("conv")
    wanted = kept.filter(name="conv").operators()["name"].to_pylist()
    widget.eventually(lambda: widget.column("Operators", "name"), wanted)
    widget.open_view("Memory")
    # Where nothing is shown there is nothing to search, or to see as a table.
    shown = widget.root.locator(".nbp-body:visible")
    assert shown.get_by_text("View as table").locator("visible=true").count() == 0
    assert shown.get_by_role("textbox").locator("visible=true").count() == 1  # of "By operator"
    widget.open_view("Modules")
    widget.root.get_by_role("button", name="Show it without this filter").first.click()
    widget.settled()
    assert "ResNet_0" in widget.text()


def test_what_needs_python_is_off_and_says_why(show: Open, report: Path) -> None:
    widget = show(report)
    stream = widget.root.locator(".nbp-field", has_text="Stream")
    assert stream.get_attribute("aria-disabled") == "true"
    assert "notebook with nbprof" in (stream.get_attribute("title") or "")
    assert "without Python" not in widget.text()
    assert "Run the cell again" not in widget.text()


def test_the_timeline_moves(show: Open, report: Path) -> None:
    widget = show(report).open_view("Timeline")
    canvas = widget.root.locator("canvas:visible").last
    canvas.hover(position={"x": 400, "y": 60})
    before = widget.root.get_by_text(re.compile(r"0\.0 to 230")).count()
    widget.page.keyboard.down("Control")
    widget.page.mouse.wheel(0, -600)
    widget.page.keyboard.up("Control")
    whole = widget.root.get_by_text(re.compile(r"0\.0 to 230"))
    widget.eventually(lambda: (before, whole.count()), (1, 0))
    canvas.click(position={"x": 400, "y": 60})
    widget.root.get_by_text("Following needs Python").wait_for()
    assert "Run the cell again" not in widget.text()


def test_it_opens_behind_a_strict_policy(show: Open, report: Path) -> None:
    body, strict = report.read_bytes(), policy_of(report)
    assert strict.startswith("default-src 'none'")
    assert "unsafe-eval" not in strict
    assert strict.count("'unsafe-inline'") == 1  # styles that elements carry

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Security-Policy", f"{strict}; sandbox allow-scripts")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        widget = show(f"http://127.0.0.1:{server.server_port}/")
        widget.open_view("Operators")
        assert len(charts(widget)) == CHARTS["Operators"]
    finally:
        server.shutdown()
        server.server_close()


def test_what_did_not_fit_is_said(show: Open, tmp_path: Path) -> None:
    path = nbprof.Explorer(RUNS, run=RUN).to_html(tmp_path / "small.html", max_bytes=740_000)
    assert path.stat().st_size <= 740_000
    widget = show(path)
    widget.root.get_by_role("button", name="Page ▾", exact=True).click()
    said = widget.root.locator(".nbp-words li").all_inner_texts()
    assert said
    assert all(text.endswith(".") for text in said)
    for view in CHARTS:
        widget.open_view(view)
    assert "The timeline is left out." in said
    widget.open_view("Timeline")
    widget.root.get_by_text("The timeline is left out", exact=True).wait_for()


def test_names_of_a_trace_are_only_text(show: Open, tmp_path: Path) -> None:
    evil = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\u202e<!--"
    at = {"ph": "X", "pid": 1, "tid": 1, "cat": "cpu_op", "ts": 0, "dur": 5}
    events = [{**at, "name": evil, "ts": ts} for ts in (0, 10)]
    text = json.dumps({"schemaVersion": 1, "traceEvents": events, evil: evil})
    folder = tmp_path / "a<b>&amp;"
    folder.mkdir()
    (folder / "evil<i>'.1.pt.trace.json").write_text(text, "utf-8")
    path = nbprof.Explorer(folder, view="operators").to_html(tmp_path / "evil.html")
    widget = show(path)
    assert widget.column("Operators", "name") == [evil]
    for view in ("Overview", "Kernels", "Timeline", "Memory", "Modules"):
        widget.open_view(view)
    assert widget.page.locator("img").count() == 0
    assert widget.page.evaluate("() => window.hacked") is None


@pytest.mark.parametrize("fault", ["no scripts", "forbidden", "broken off"])
def test_without_scripts_there_is_a_summary(
    browser: Browser, report: Path, tmp_path: Path, fault: str
) -> None:
    text = report.read_text("utf-8")
    if fault == "forbidden":
        text = text.replace("script-src", "script-src 'none'; object-src", 1)
    if fault == "broken off":
        text = text[: len(text) * 3 // 4]
    path = tmp_path / "report.html"
    path.write_text(text, "utf-8")
    context = browser.new_context(java_script_enabled=fault != "no scripts")
    page = context.new_page()
    page.goto(path.as_uri())
    page.locator("#nbprof-summary img").first.wait_for(state="visible")
    words = page.locator("#nbprof-summary").inner_text()
    assert "scripts of this page did not run" in words
    assert "Kernel" in words
    context.close()
