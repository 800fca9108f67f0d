"""Text of a trace stays text everywhere: nothing runs, and nothing becomes markup."""

from __future__ import annotations

import csv
import io
import re
from contextlib import closing
from typing import TYPE_CHECKING

import nbformat
import pytest

import nbprof
from nbprof.export.csv import FORMULA_STARTS
from tests.browser.driving.hits import hits, watch
from tests.browser.driving.lab import PATIENCE_MS, is_local
from tests.browser.driving.widget import Widget
from tests.conftest import ROOT
from tests.support.recordings.hostile import POISON, hostile_logs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Route

    from tests.browser.driving.lab import Lab

pytestmark = pytest.mark.browser

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
VIEWS = ("Overview", "Operators", "Kernels", "Timeline", "Memory", "Modules", "Distributed")
CELLS = (
    'import nbprof\nview = nbprof.show("../spoiled")\nview',
    "view.static()",
    "profile = nbprof.load('../spoiled')\nprofile",
    "nbprof.load('../spoiled', cache=False).trace().operators().num_rows",  # with a progress bar
    "view.trace",
    "nbprof.diagnose(view)",
)


@pytest.fixture(scope="module")
def hostile(lab_root: Path) -> Path:
    """The log directory, beside the notebooks that the server has."""
    return hostile_logs(lab_root / "spoiled")


def poke(widget: Widget) -> None:
    """Point at, open and click whatever shows names in the view on screen."""
    root, page = widget.root, widget.page
    for part in root.locator(".nbp-figure, canvas, .nbp-namecell").all()[:8]:
        box = part.bounding_box() if part.is_visible() else None
        if box is None:
            continue
        part.scroll_into_view_if_needed()
        for x, y in ((0.3, 0.4), (0.5, 0.3), (0.5, 0.55), (0.7, 0.5)):
            part.hover(position={"x": box["width"] * x, "y": box["height"] * y}, force=True)
            page.wait_for_timeout(60)  # a tooltip comes when the pointer rests
    for name in ("Columns", "Export"):
        button = root.get_by_role("button", name=name).first
        if button.is_visible():
            button.click()
            page.keyboard.press("Escape")
    row = root.locator("tbody tr[data-line]").first
    if row.count() and row.is_visible():
        row.click()
        row.press("ArrowRight")  # call stacks, callers, modules
        widget.settled()


def walk(widget: Widget) -> None:
    """Go through all views as a person does, with a search and a filter by a hostile name."""
    for view in VIEWS:
        widget.open_view(view)
        poke(widget)
        assert hits(widget.page) == [], view
    warnings = widget.root.get_by_role("button", name="warning")
    if warnings.count():
        warnings.first.click()
    assert_no_formula(downloaded_csv(widget))
    widget.filter_name("<img src=x")
    widget.eventually(
        lambda: ["<img src=x" in name for name in widget.column("Operators", "name")][:5],
        [True] * 5,
    )
    assert hits(widget.page) == []


def downloaded_csv(widget: Widget) -> list[list[str]]:
    """Download the operators from the Export menu, and read them as a spreadsheet does."""
    widget.open_view("Operators")
    widget.root.get_by_role("button", name="Export ▾").locator("visible=true").click()
    with widget.page.expect_download() as coming:
        widget.root.get_by_role("button", name="Operators: CSV", exact=True).click()
    text = coming.value.path().read_bytes().decode("utf-8")
    return list(csv.reader(io.StringIO(text, newline="")))


def assert_no_formula(rows: list[list[str]]) -> None:
    """Hold that no text is one; numbers may begin with a sign."""
    names = [row[0] for row in rows[1:]]
    assert not [name for name in names if name.startswith(FORMULA_STARTS)]
    tamed = {name.removeprefix("'")[:4] for name in names if name.startswith("'")}
    assert {"=HYP", "@SUM", "-2+3"} <= tamed


def test_what_is_run_is_seen(browsing: BrowserContext, tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    page = browsing.new_page()
    for end in (*POISON[:3], POISON[6], POISON[8], POISON[9]):
        file.write_text(f"<!doctype html><p>{end}", "utf-8")
        page.goto(file.as_uri())
        assert hits(page) != [], end


def test_nothing_runs_in_a_live_view(lab: Lab, lab_root: Path, hostile: Path) -> None:
    watch(lab.context)
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": KERNEL}, cells=cells)
    nbformat.write(notebook, lab_root / "notebooks" / "hostile.ipynb")
    lab.open("notebooks/hostile.ipynb")
    lab.run_all()
    widget = Widget(lab.widgets().first).settled()
    # The outputs below the view are HTML of a cell that was run here, which nobody sanitises.
    for at in range(len(CELLS)):
        lab.call("([at]) => window.jupyterapp.shell.currentWidget.content.scrollToItem(at)", at)
        lab.page.wait_for_timeout(200)
        assert hits(lab.page) == [], CELLS[at]
    lab.call("() => window.jupyterapp.shell.currentWidget.content.scrollToItem(0)")
    walk(widget)
    lab.screenshot("hostile-operators", widget.root)


@pytest.fixture(scope="module")
def report(hostile: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page that `to_html` writes of it."""
    with closing(nbprof.Explorer(hostile)) as view:
        return view.to_html(tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture
def browsing(browser: Browser) -> Iterator[BrowserContext]:
    """A window without a network, in which whatever is run is counted."""
    context = browser.new_context(viewport={"width": 1400, "height": 1300}, accept_downloads=True)
    context.set_default_timeout(PATIENCE_MS)
    context.route("**/*", _only_files)
    watch(context)
    yield context
    context.close()


def _only_files(route: Route) -> None:
    url = route.request.url
    if url.startswith("file:") or (is_local(url) and not url.startswith("http")):
        route.continue_()
    else:
        route.abort()


@pytest.mark.parametrize("policy", [True, False], ids=["as written", "without its policy"])
def test_nothing_runs_on_a_page(
    browsing: BrowserContext, report: Path, tmp_path: Path, policy: bool
) -> None:
    text = report.read_text("utf-8")
    bare = re.sub(
        r'<meta http-equiv="?Content-Security-Policy"?[^>]*>', "", text, flags=re.IGNORECASE
    )
    assert bare != text
    file = tmp_path / "page.html"
    file.write_text(text if policy else bare, "utf-8")
    page = browsing.new_page()
    page.goto(file.as_uri())
    assert "\\u202e" in page.locator("h1").inner_text()  # else it would turn what follows
    widget = Widget(page.locator(".nbp").first).settled()
    walk(widget)
    page.screenshot(path=ROOT / "screenshots" / "hostile-page.png")


def test_nothing_runs_in_an_export(browsing: BrowserContext, hostile: Path, tmp_path: Path) -> None:
    file = tmp_path / "static.html"
    with closing(nbprof.Explorer(hostile)) as view:
        body = view.static()._repr_mimebundle_()["text/html"]
    file.write_text(f"<!doctype html><meta charset=utf-8>{body}", "utf-8")
    page = browsing.new_page()
    page.goto(file.as_uri())
    assert page.locator("img").count() > 0
    assert hits(page) == []
