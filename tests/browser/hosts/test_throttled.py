"""A slow connection to the server: 2 MB/s and a round trip of 100 ms."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

from nbprof.widgets.requests.protocol import MAX_REPLY_BYTES
from tests.browser.driving.lab import Lab
from tests.browser.driving.widget import Widget
from tests.conftest import ROOT
from tests.hosts.slow_line import slow_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

BYTES_PER_SECOND = 2_000_000
DELAY_SECONDS = 0.1
#: Changes of the filter, one every 20 ms, as somebody does who drags or types.
BURST = 30
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}

#: Notes every request of the page and every reply in Python, with its size.
SHOW = """import nbprof
view = nbprof.show("../runs", view="kernels")
asked, sent = [], []
handle, send = view._router.handle, view.send
def note(content):
    asked.append(content.get("op"))
    handle(content)
def measure(content, buffers=None):
    sent.append(len(str(content)) + sum(map(len, buffers or [])))
    send(content, buffers)
view._router.handle, view.send = note, measure
view"""

#: Sends filter changes as the panel does, and notes when the last of them is on the screen.
CHANGES = """([texts]) => new Promise(async (done, fail) => {
  const root = [...document.querySelectorAll('*')]
    .flatMap(element => element.shadowRoot?.querySelector('.nbp') ?? []).at(0);
  const field = root.querySelector('[data-kind=name] input');
  for (const text of texts) {
    field.value = text;
    field.dispatchEvent(new Event('input', {bubbles: true}));
    field.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
    field.dispatchEvent(new Event('change', {bubbles: true}));
    await new Promise(next => setTimeout(next, 20));
  }
  const begun = performance.now();
  const last = texts.at(-1);
  const shown = () => {
    const names = [...root.querySelectorAll('.nbp-namecell')].map(cell => cell.textContent);
    return names.length > 0 && names.every(name => name.includes(last));
  };
  while (!shown() || root.querySelector('.nbp-stale')) {
    if (performance.now() - begun > 30_000) fail(new Error('not shown in 30 s'));
    await new Promise(next => setTimeout(next, 20));
  }
  done(performance.now() - begun);
})"""


@pytest.fixture
def lab(browser: Browser, server: str, lab_root: Path) -> Iterator[Lab]:
    """A page at the far end of the line."""
    cells = [nbformat.v4.new_code_cell(SHOW)]
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": KERNEL}, cells=cells)
    nbformat.write(notebook, lab_root / "notebooks" / "far.ipynb")
    with slow_line(server, bytes_per_second=BYTES_PER_SECOND, delay=DELAY_SECONDS) as line:
        page = Lab(browser, line.address, ROOT / "screenshots")
        try:
            yield page
        finally:
            page.close()


def python(lab: Lab, expression: str) -> Any:
    """Evaluate in the notebook's kernel."""
    return json.loads(lab.python(f"import json\nprint(json.dumps({expression}))"))


def test_a_burst_of_changes_does_not_queue_up(lab: Lab) -> None:
    lab.open("notebooks/far.ipynb")
    lab.run_all()
    widget = Widget(lab.widgets().first).drawn(2)
    lab.python("asked.clear(); sent.clear()")
    # The last text is found in few names, and in none of the tables before it.
    texts = [f"n{'c' * (at % 2)}" for at in range(BURST - 1)] + ["gemm"]
    took_ms = lab.call(CHANGES, texts)
    widget.eventually(lambda: python(lab, "view.filter"), {"name": "gemm"})
    widget.settled()
    asked = python(lab, "asked")
    assert len(asked) <= 3, asked
    assert took_ms <= 2000, took_ms
    assert all("gemm" in name for name in widget.column("Kernels", "name"))
    lab.screenshot("far-filtered", widget.root)


def test_no_reply_is_larger_than_the_line_bears(lab: Lab) -> None:
    lab.open("notebooks/far.ipynb")
    lab.run_all()
    widget = Widget(lab.widgets().first).drawn(2)
    begun = time.monotonic()
    for view in ("Overview", "Operators", "Timeline", "Memory", "Modules", "Distributed"):
        widget.open_view(view)
    sizes = python(lab, "sent")
    assert max(sizes) <= MAX_REPLY_BYTES
    assert time.monotonic() - begun < 60
