"""Patterns that are slow elsewhere, and a name of 60 MB, in Chromium: live and on a page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import nbprof
from tests.browser.driving.widget import Widget
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser

#: Matches of each pattern among the names below; a backtracking matcher takes ages for them.
PATTERNS = {"/(a+)+$/": 1, "/(.*a){20}$/": 1, "/^(a|a?)+$/": 1, "/(a*)*z/": 0, "/!$/": 1}

#: Seconds in which the page may not answer; one frame of a quiet machine takes 0.02.
SECONDS = 4.0

#: How long the page did not answer, at worst, since it was last asked.
_WATCH = """() => {
  let last = performance.now();
  window.longestWait = 0;
  setInterval(() => {
    const now = performance.now();
    window.longestWait = Math.max(window.longestWait, now - last);
    last = now;
  }, 20);
}"""


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> nbprof.Profile:
    names = ["a" * 30_000 + "!", "a" * 30_000, "b" * 40 + "?", "a" * 60_000_000 + "c"]
    events = [op(name, 10 * at, 5, **{"External id": at}) for at, name in enumerate(names)]
    events += [kernel(name, 10 * at + 5, 2) for at, name in enumerate(names)]
    folder = tmp_path_factory.mktemp("slow")
    write(folder / "slow.pt.trace.json", json.dumps({"traceEvents": events}))
    return nbprof.load(folder, progress=False, cache=False)


def attack(widget: Widget) -> None:
    """Filter by each pattern in views of tables and in the timeline; the page always answers."""
    widget.page.evaluate(_WATCH)
    for view in ("Operators", "Kernels"):
        widget.open_view(view)
        for pattern, matches in PATTERNS.items():
            widget.filter_name(pattern).settled()
            shown = widget.root.get_by_role("grid", name=view, exact=True).locator(
                "tbody tr[data-line]"
            )
            widget.eventually(lambda shown=shown: shown.count(), matches)
            assert widget.page.evaluate("() => window.longestWait") < SECONDS * 1000, pattern
        widget.filter_name("").settled()
    widget.open_view("Timeline")
    for pattern in PATTERNS:
        widget.filter_name(pattern).settled()
        assert widget.page.evaluate("() => window.longestWait") < SECONDS * 1000, pattern


def test_in_a_live_view(bare: Bare, profile: nbprof.Profile) -> None:
    widget, _ = bare.show(profile, view="operators")
    attack(widget)


def test_on_a_page(bare: Bare, profile: nbprof.Profile, tmp_path: Path) -> None:
    with_page = nbprof.Explorer(profile, view="operators").to_html(tmp_path / "page.html")
    page = bare.browser.new_page(viewport={"width": 1200, "height": 1300})
    try:
        page.goto(with_page.as_uri())
        attack(Widget(page.locator(".nbp").first).settled())
    finally:
        page.close()
