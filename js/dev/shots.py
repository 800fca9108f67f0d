# ruff: noqa: T201 - a tool that is run by hand and says what it did
"""Draw the explorer in Chromium with answers of this very source tree, and take screenshots.

    python js/dev/shots.py SOURCE OUT [--width 1200 800 420] [--theme light dark] [--view ...]

No notebook and no server: a page that hosts the built script, with Python on the other side.
"""

from __future__ import annotations

import argparse
import base64
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route, sync_playwright

from nbprof.widgets.explorer import Explorer
from nbprof.widgets.views.registry import VIEWS

HERE = Path(__file__).parent
STATIC = HERE.parents[1] / "nbprof" / "static"
FILES = {
    "/": (HERE / "page.html", "text/html"),
    "/host.js": (HERE / "host.js", "text/javascript"),
    "/widget.js": (STATIC / "widget.js", "text/javascript"),
}
TRAITS = [
    "run",
    "worker",
    "span",
    "filter",
    "active",
    "group_by",
    "selection",
    "time_range",
    "time_unit",
    "theme",
    "views",
    "window",
    "search",
    "memory_device",
    "memory_range",
    "flame_by",
    "flame_order",
    "flame_range",
    "snapshot",
]
FLAGS = ["--no-sandbox", "--headless=new", "--disable-gpu", "--disable-background-networking"]


class Host:
    """Python's half of a widget, without a kernel."""

    def __init__(self, source: str, **options: Any) -> None:
        self.view = Explorer(source, **options)
        self.out: list[dict[str, Any]] = []
        self.view._router._send = self._keep  # noqa: SLF001 - stands for the comm

    def _keep(self, message: dict[str, Any], buffers: list[bytes]) -> None:
        texts = [base64.b64encode(buffer).decode() for buffer in buffers]
        self.out.append({"content": message, "buffers": texts})

    def state(self) -> dict[str, Any]:
        """Return the traits as the browser gets them."""
        state = self.view.get_state()
        return {name: _plain(state[name]) for name in TRAITS if name in state}

    def send(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        """Take a message of the page and return what Python says to it."""
        if message["method"] == "update":
            self.view.set_state(message["state"])
            return [{"state": self.state()}, *self._take()]
        before = self.view.snapshot
        self.view._router.handle(message["content"])  # noqa: SLF001
        made = self.view.snapshot is not before
        return [*self._take(), *([{"state": self.state()}] if made else [])]

    def _take(self) -> list[dict[str, Any]]:
        out, self.out = self.out, []
        return out


def _plain(value: Any) -> Any:
    """Return a trait as JSON can carry it; the page makes bytes of it again."""
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def open_page(browser: Any, host: Host, width: int, theme: str, height: int = 900) -> Page:
    """Open a view of a host."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)

    def serve(route: Route) -> None:
        path = "/" + route.request.url.split("/", 3)[3]
        if path not in FILES:
            route.abort()
            return
        file, kind = FILES[path]
        route.fulfill(body=file.read_text(), content_type=kind)

    page.route("**/*", serve)
    page.expose_function("pyState", host.state)
    page.expose_function("pySend", host.send)
    page.on("console", lambda m: m.type in ("error", "warning") and print("console:", m.text))
    page.on("pageerror", lambda error: print("page error:", error))
    page.goto("http://localhost/")
    dark = "false" if theme == "dark" else "true"
    page.evaluate(f"document.body.dataset.jpThemeLight = '{dark}'")
    return page


def settle(page: Page) -> None:
    """Wait until nothing is computed any more."""
    shown = page.locator(".nbp-stat, .nbp-grid tr[aria-selected], .nbp-state, canvas")
    shown.locator("visible=true").first.wait_for(timeout=60_000)
    page.wait_for_function("""() => {
        const root = document.querySelector("main div").shadowRoot;
        const figures = [...root.querySelectorAll(".nbp-chart:not([hidden])")];
        const drawn = "p, .nbp-figure > div[style='']";
        const waiting = figures.some((f) => f.offsetWidth && !f.querySelector(drawn));
        return !waiting && !root.querySelector("[aria-busy]");
    }""")
    page.wait_for_timeout(700)


def main() -> None:
    """Take the screenshots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("out", type=Path)
    parser.add_argument("--width", nargs="*", type=int, default=[1200, 800, 420])
    parser.add_argument("--theme", nargs="*", default=["light", "dark"])
    parser.add_argument("--view", nargs="*", default=list(VIEWS))
    parser.add_argument("--run")
    parser.add_argument("--group-by", help="how lanes or tables are grouped")
    parser.add_argument("--window", nargs=2, type=float, help="part of the timeline, µs")
    parser.add_argument("--search", default="", help="what the timeline marks")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    options = {"window": arguments.window, "search": arguments.search}
    if arguments.group_by:
        options["group_by"] = arguments.group_by
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        for theme in arguments.theme:
            for width in arguments.width:
                for view in arguments.view:
                    host = Host(arguments.source, view=view, run=arguments.run, **options)
                    page = open_page(browser, host, width, theme)
                    settle(page)
                    wide = page.evaluate("document.documentElement.scrollWidth")
                    file = arguments.out / f"{view}-{width}-{theme}.png"
                    page.screenshot(path=file, full_page=True)
                    print(file, "scrolls sideways" if wide > width else "fits", host.view.errors)
                    page.close()
        browser.close()


if __name__ == "__main__":
    main()
