"""Pages without a notebook under a strict policy: collects their errors and scripts."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import nbprof
from tests.browser.driving.hits import hits, watch
from tests.browser.driving.host import Host, pages
from tests.browser.driving.lab import PATIENCE_MS
from tests.browser.driving.widget import Widget
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, ConsoleMessage, Page

    from nbprof import Explorer


class Bare:
    """Draws widgets whose Python side is here, each on a page of its own."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser = browser
        self.address = address
        self.faults: list[str] = []
        self._pages: list[Page] = []

    def show(
        self, source: Any, *, width: int = 1200, theme: str = "light", **options: Any
    ) -> tuple[Widget, Explorer]:
        """Draw all views of profiles; gives the widget on the page, and the one in Python."""
        context = self.browser.new_context(viewport={"width": width, "height": 1300})
        context.set_default_timeout(PATIENCE_MS)
        watch(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._note)
        self._pages.append(page)
        view = nbprof.Explorer(source, **options)
        Host(view).show(page, self.address, theme)
        page.evaluate("() => void window.nbprofListen()")
        return Widget(page.locator(".nbp").first).settled(), view

    def _note(self, message: ConsoleMessage) -> None:
        # Browsers ask every server for an icon, and say that this one has none.
        asked = str(message.location.get("url", ""))
        if message.type == "error" and not asked.endswith("favicon.ico"):
            self.faults.append(f"{message.text} ({asked})")

    def picture(self, widget: Widget, name: str) -> None:
        """Leave a picture for a person to look at."""
        folder = ROOT / "screenshots"
        folder.mkdir(exist_ok=True)
        widget.root.screenshot(path=folder / f"{name}.png", animations="disabled")

    def close(self) -> list[str]:
        """Close the pages; gives what went wrong on them, and what texts of traces have run."""
        found = list(self.faults)
        for page in self._pages:
            found += hits(page)
            page.context.close()
        return found


@contextmanager
def bare_pages(browser: Browser) -> Iterator[Bare]:
    """Serve pages; afterwards nothing broke and nothing ran on any of them."""
    with pages() as address:
        bare = Bare(browser, address)
        try:
            yield bare
        finally:
            found = bare.close()
    assert not found, found
