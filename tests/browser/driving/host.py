"""A bare page around one widget with its Python side in this process, under a strict policy."""

from __future__ import annotations

import base64
import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

    from nbprof import Explorer

#: No inline script, no eval, nothing from elsewhere. Widgets come from a blob, charts style inline.
POLICY = (
    "default-src 'none'; script-src 'self' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; font-src 'none'; base-uri 'none'"
)
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>nbprof</title>
<meta name="viewport" content="width=device-width">
<style>:root {{ color-scheme: {theme} }} body {{ margin: 0; font: 13px sans-serif; }}</style>
</head><body data-jp-theme-light="{light}"><main></main>
<script type="module" src="host.js"></script></body></html>"""
STATIC = ROOT / "nbprof" / "static"
FILES = {
    "/host.js": (Path(__file__).with_name("host.js"), "text/javascript"),
    "/widget.js": (STATIC / "widget.js", "text/javascript"),
    "/widget.css": (STATIC / "widget.css", "text/css"),
}


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path in FILES:
            path, kind = FILES[self.path]
            body = path.read_bytes()
        elif self.path.startswith("/page-"):
            theme = self.path.removeprefix("/page-")
            body = PAGE.format(theme=theme, light=str(theme == "light").lower()).encode()
            kind = "text/html"
        else:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def pages() -> Iterator[str]:
    """Serve the page on a free port of this machine; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _plain(value: Any) -> Any:
    """Return a trait as JSON can carry it; the page makes bytes of it again."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


class Host:
    """Carries messages between a widget in this process and its view on a page."""

    def __init__(self, view: Explorer) -> None:
        self.view = view
        self._out: list[dict[str, Any]] = []
        self._from_browser: dict[str, Any] = {}
        view.send = self._send  # type: ignore[method-assign]
        view.observe(self._changed)

    def _send(self, content: Any, buffers: list[bytes] | None = None) -> None:
        encoded = [base64.b64encode(buffer).decode() for buffer in buffers or []]
        self._out.append({"content": content, "buffers": encoded})

    def _changed(self, change: Any) -> None:
        name, value = change["name"], change["new"]
        if name in self.view.keys and self._from_browser.get(name) != value:
            self._out.append({"state": {name: _plain(value)}})

    def exchange(self, text: str) -> str:
        """Handle one message of the page; gives everything that Python sent meanwhile."""
        message = json.loads(text)
        if "hello" in message:
            state = self.view.get_state()
            plain = {k: _plain(v) for k, v in state.items() if not k.startswith("_")}
            self._out.append({"state": {k: v for k, v in plain.items() if k != "layout"}})
        if "state" in message:
            self._from_browser = message["state"]
            self.view.set_state(message["state"])
            self._from_browser = {}
        if "content" in message:
            self.view._handle_custom_msg(message["content"], [])
        out, self._out = self._out, []
        return json.dumps(out)

    def show(self, page: Page, address: str, theme: str = "light") -> None:
        """Draw the widget on a page and wait until it is there."""
        page.expose_function("nbprof_host", self.exchange)
        page.goto(f"{address}/page-{theme}")
        page.wait_for_selector("body[data-ready=yes]")
