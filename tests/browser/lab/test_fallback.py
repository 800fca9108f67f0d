"""Views without their kernel: untrusted, reopened and exported notebooks."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

from tests.browser.driving.lab import PATIENCE_MS, Lab, is_local
from tests.conftest import ROOT
from tests.export.reading import Reader
from tests.widgets.conftest import write_trace

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
NASTY = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
CELLS = (
    'import nbprof\nview = nbprof.show("runs")\nview',
    "view.static()",
    'nbprof.show("runs", run="torch_cpu_convnet", static=True)',
    'nbprof.KernelsView("runs", theme="dark", static=True)',
    'nbprof.show("hostile")',
)
#: All images that could not be drawn, and what sticks out of the output it is in.
FAULTS = """output => {
  const frame = output.getBoundingClientRect();
  const scrolls = element => {
    for (let up = element.parentElement; up !== output; up = up.parentElement)
      if (getComputedStyle(up).overflowX === 'auto') return true;
    return false;
  };
  const images = [...output.querySelectorAll('img')].filter(i => !i.complete || !i.naturalWidth);
  const wide = [...output.querySelectorAll('*')].filter(
    e => e.getBoundingClientRect().right > frame.right + 1 && !scrolls(e));
  return [...images, ...wide].map(e => e.outerHTML.slice(0, 200));
}"""
#: How far every text stands out from the background that it is on.
CONTRASTS = """output => {
  const parts = color => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(c => c / 255).map(
      c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const under = element => {
    for (let up = element; up; up = up.parentElement) {
      const color = parts(getComputedStyle(up).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const seen = {};
  for (const element of output.querySelectorAll('*')) {
    if (![...element.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    let alpha = 1;
    for (let up = element; up !== output; up = up.parentElement)
      alpha *= Number(getComputedStyle(up).opacity);
    const [r, g, b, a = 1] = parts(getComputedStyle(element).color);
    const below = under(element);
    const ink = [r, g, b].map((c, i) => c * a * alpha + below[i] * (1 - a * alpha));
    const [high, low] = [light(ink), light(below)].sort((x, y) => y - x);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) seen[element.textContent.trim().slice(0, 40)] = ratio;
  }
  return seen;
}"""


@pytest.fixture(scope="module")
def notebook(lab_root: Path) -> Any:
    """A notebook that somebody else ran, with outputs and without the state of its widgets."""
    from nbclient import NotebookClient

    write_trace(lab_root / "hostile" / "worker0.1700000000001.pt.trace.json")
    path = lab_root / "hostile" / "worker0.1700000000001.pt.trace.json"
    content = json.loads(path.read_text("utf-8"))
    for event in content["traceEvents"]:
        if event["cat"] in {"kernel", "cpu_op"}:
            event["name"] += NASTY
    path.write_text(json.dumps(content), "utf-8")
    made = nbformat.v4.new_notebook(
        metadata={"kernelspec": KERNEL}, cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS]
    )
    made.cells[0].source = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{CELLS[0]}"
    client = NotebookClient(
        made,
        timeout=180,
        kernel_name="python3",
        store_widget_state=False,
        resources={"metadata": {"path": str(lab_root)}},
    )
    client.execute()
    return made


def html_of(cell: Any) -> str:
    return next(o.data["text/html"] for o in cell.outputs if "text/html" in o.get("data", {}))


def assert_drawn(output: Locator, html: str, page: Page) -> None:
    """Check that nothing of the summary was taken out, and that it can be read."""
    output.locator("img").first.wait_for()
    assert output.locator("img").count() == len(Reader(html).images)
    output.scroll_into_view_if_needed()
    page.wait_for_function(
        "() => [...document.querySelectorAll('img')].every(image => image.complete)"
    )
    assert output.evaluate(FAULTS) == []
    assert output.evaluate(CONTRASTS) == {}
    right = output.locator("td", has_text=" %").first
    assert right.evaluate("cell => getComputedStyle(cell).textAlign") == "right"
    assert page.evaluate("() => window.hacked") is None


def test_an_untrusted_notebook_has_the_summary(lab: Lab, lab_root: Path, notebook: Any) -> None:
    # Outputs that this server's own user did not make are sanitised.
    nbformat.write(notebook, lab_root / "notebooks" / "foreign.ipynb")
    lab.open("notebooks/foreign.ipynb")
    outputs = lab.page.locator(".jp-OutputArea-output")
    assert outputs.count() == len(CELLS)
    for theme, width in (("light", 560), ("dark", 1400)):
        lab.theme(theme)
        lab.resize(width)
        for at, cell in enumerate(notebook.cells):
            output = outputs.nth(at)
            assert output.get_attribute("data-mime-type") == "text/html"
            assert_drawn(output, html_of(cell), lab.page)
            # JupyterLab empties outputs that are scrolled out of sight, so each is read here.
            text = output.inner_text()
            if at == 0:
                assert "Operators by device self time" in text
            if at == len(CELLS) - 1:
                assert "<script>window.hacked" in text
            lab.screenshot(f"fallback-{theme}-{width}-{at}", output)


def test_static_views_survive_reopening_without_saved_state(lab: Lab, lab_root: Path) -> None:
    source = 'import nbprof\nnbprof.show("../runs", static=True)'
    made = nbformat.v4.new_notebook(
        metadata={"kernelspec": KERNEL}, cells=[nbformat.v4.new_code_cell(source)]
    )
    nbformat.write(made, lab_root / "notebooks" / "own.ipynb")
    lab.open("notebooks/own.ipynb")
    lab.run_all()
    # One's own outputs are trusted: nothing is sanitised, and a widget would find no model.
    lab.call("() => window.jupyterapp.shell.currentWidget.context.save()")
    saved = nbformat.read(lab_root / "notebooks" / "own.ipynb", as_version=4)
    assert saved.cells[0].outputs[-1].data.keys() == {"text/html", "text/plain"}
    assert "widgets" not in saved.metadata
    lab.reopen_without_kernel("notebooks/own.ipynb")
    output = lab.page.locator(".jp-OutputArea-output").first
    assert_drawn(output, html_of(saved.cells[0]), lab.page)


def test_exported_html_has_the_summary(browser: Browser, notebook: Any, tmp_path: Path) -> None:
    from nbconvert import HTMLExporter

    for theme in ("light", "dark"):
        body, _ = HTMLExporter(theme=theme).from_notebook_node(copy.deepcopy(notebook))
        file = tmp_path / f"{theme}.html"
        file.write_text(body, "utf-8")
        context = browser.new_context(viewport={"width": 1400, "height": 1300})
        context.set_default_timeout(PATIENCE_MS)
        # The template asks CDNs for what the summary does not need.
        context.route("**/*", _only_files)
        page = context.new_page()
        page.goto(file.as_uri())
        outputs = page.locator(".jp-OutputArea-output.jp-RenderedHTMLCommon")
        assert outputs.count() == len(CELLS)
        for at, cell in enumerate(notebook.cells):
            assert_drawn(outputs.nth(at), html_of(cell), page)
        outputs.first.screenshot(path=ROOT / "screenshots" / f"fallback-export-{theme}.png")
        context.close()


def _only_files(route: Any) -> None:
    url = route.request.url
    if url.startswith("file:") or is_local(url):
        route.continue_()
    else:
        route.abort()
