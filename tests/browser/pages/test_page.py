"""The widget on a bare page under a strict content policy: sizes, themes, access, no eval."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.browser.driving.host import Host, pages
from tests.browser.driving.lab import is_local
from tests.browser.driving.widget import CHARTS, Widget
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    Show = Callable[..., Widget]

pytestmark = pytest.mark.browser

#: How many charts each view has.
VIEWS = {view.lower(): charts for view, charts in CHARTS.items()}
RECORDED = ROOT / "samples" / "gpu_gpt"
#: What the pictures of the documentation show: attention in the backward pass, and its launch.
SHOWN: dict[str, dict[str, Any]] = {
    "overview": {"source": RECORDED},
    "operators": {"source": RECORDED},
    "kernels": {"source": RECORDED},
    "timeline": {
        "source": RECORDED,
        "threads": (540,),
        "window": (14_700, 16_200),
        "selection": [{"side": "device", "row": 230}],
    },
}
RUNS = ("gpu_resnet_synthetic", "torch_cpu_convnet")
WATCH = """
window.refused = [];
document.addEventListener('securitypolicyviolation', event =>
  window.refused.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sourceFile}`));
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with pages() as served:
        yield served


@pytest.fixture
def show(browser: Browser, address: str, samples_profile: nbprof.Profile) -> Iterator[Show]:
    """Draw a widget; afterwards nothing was asked for elsewhere, refused, or thrown."""
    outside: list[str] = []
    faults: list[str] = []
    contexts = []

    def draw(width: int = 1200, theme: str = "light", **options: Any) -> Widget:
        context = browser.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(WATCH)
        page.on("request", lambda r: None if is_local(r.url) else outside.append(r.url))
        page.on("pageerror", lambda error: faults.append(str(error)))
        source = options.pop("source", samples_profile)
        view = nbprof.Explorer(source, **options)
        Host(view).show(page, address, theme)
        return Widget(page.locator(".nbp").first).settled()

    yield draw
    for context in contexts:
        for page in context.pages:
            faults += page.evaluate("() => window.refused")
        context.close()
    assert outside == []
    assert faults == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 800, 420])
@pytest.mark.parametrize("view", VIEWS)
def test_fits_at_every_width(show: Show, view: str, width: int, theme: str) -> None:
    widget = show(width, theme, view=view, **SHOWN.get(view, {})).drawn(VIEWS[view])
    widget.root.screenshot(path=ROOT / "screenshots" / f"page-{view}-{width}-{theme}.png")
    assert widget.misfits() == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("view", VIEWS)
def test_everybody_can_use_it(show: Show, view: str, run: str, theme: str) -> None:
    widget = show(1200, theme, view=view, run=run)
    assert widget.access_faults() == []


@pytest.mark.parametrize("view", VIEWS)
def test_narrow_pages_are_usable_too(show: Show, view: str) -> None:
    assert show(420, view=view).drawn(VIEWS[view]).access_faults() == []


def test_the_looks_that_are_held_here_can_fail(show: Show) -> None:
    widget = show(420, view="kernels").drawn(VIEWS["kernels"])
    widget.root.evaluate(
        """root => {
          const button = document.createElement('button');
          button.style.cssText = 'width: 600px; height: 20px; overflow: hidden; color: #eee';
          root.append(button);
        }"""
    )
    assert any(fault.startswith("button-name") for fault in widget.access_faults())
    assert any("button" in fault and "sticks out" in fault for fault in widget.misfits())


def test_the_policy_of_the_page_forbids_eval(show: Show) -> None:
    widget = show(view="operators")
    refused = widget.page.evaluate(
        """() => new Promise(done => {
          document.addEventListener('securitypolicyviolation', event => done(event.blockedURI));
          const script = document.createElement('script');
          script.textContent = 'setTimeout("window.evaluated = 1")';
          document.head.append(script);
        })"""
    )
    assert refused == "inline"
    widget.page.evaluate("() => { window.refused = [] }")


def test_charts_are_drawn_under_the_policy(show: Show) -> None:
    for view, charts in VIEWS.items():
        show(view=view).drawn(charts)


def test_names_of_a_trace_are_only_text(show: Show, tmp_path: Path) -> None:
    name = "<img src=x onerror=window.hacked=1>&amp;<b>bold</b>"
    at = {"ph": "X", "pid": 1, "tid": 1, "cat": "cpu_op", "ts": 0, "dur": 5}
    events = [{**at, "name": name, "ts": ts} for ts in (0, 10)]
    text = json.dumps({"schemaVersion": 1, "traceEvents": events})
    (tmp_path / "evil<b>.1.pt.trace.json").write_text(text, "utf-8")
    widget = show(source=tmp_path, view="operators")
    assert widget.column("Operators", "name") == [name]
    assert widget.root.locator("img, b").count() == 0
    assert widget.page.evaluate("() => window.hacked") is None
