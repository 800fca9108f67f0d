"""Notebook 7 and Voila: views in boxes, linked views, and layouts."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import nbformat
import pytest

from tests.browser.driving.server import jupyter
from tests.browser.driving.widget import CHARTS, Widget
from tests.conftest import ROOT
from tests.hosts.seven import EXPOSED, Seven
from tests.hosts.voila import NETWORKS, Dashboard, voila
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.browser.driving.lab import Lab

pytestmark = pytest.mark.browser

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
#: Every form of embedding: a view, a box of two that share a filter, a figure in a Bokeh layout.
SINGLE = 'import nbprof\nview = nbprof.show("../samples")\nview'
BOXES = """import ipywidgets, traitlets
kernels = nbprof.KernelsView("../samples")
operators = nbprof.OperatorsView("../samples")
link = traitlets.link((kernels, "filter"), (operators, "filter"))
ipywidgets.HBox([kernels, operators])"""
LAYOUT = """from bokeh.io import output_notebook, show
from bokeh.layouts import row
from bokeh.plotting import figure
from bokeh.resources import INLINE
output_notebook(INLINE, hide_banner=True)
own = figure(width=300, height=200)
own.line([0, 1], [0, 1], line_color="firebrick")
show(row(view.figure, own))"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the notebook and the samples."""
    folder = tmp_path_factory.mktemp("hosts")
    (folder / "notebooks").mkdir()
    (folder / "samples").symlink_to(RUNS, target_is_directory=True)
    cells = [nbformat.v4.new_code_cell(cell) for cell in (SINGLE, BOXES, LAYOUT)]
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": KERNEL}, cells=cells)
    nbformat.write(notebook, folder / "notebooks" / "embedded.ipynb")
    return folder


@pytest.fixture
def host(
    request: pytest.FixtureRequest, browser: Browser, root: Path, tmp_path: Path
) -> Iterator[Lab]:
    """A page of the host that the test names, with the notebook run."""
    with ExitStack() as stack:
        page: Lab
        if request.param == "notebook":
            address = stack.enter_context(jupyter("notebook", root, tmp_path, EXPOSED))
            page = Seven(browser, address, ROOT / "screenshots")
        else:
            address = stack.enter_context(voila(root, tmp_path))
            page = Dashboard(browser, address, ROOT / "screenshots")
        stack.callback(page.close)
        page.resize(1400, 3200)  # room for every cell, so that all are drawn
        page.open("notebooks/embedded.ipynb")
        page.run_all()
        yield page
        assert page.faults == []


def drawn_by_bokeh(page: Lab) -> list[int]:
    """Count the colours of every figure of the layout, which lies outside the widgets."""
    return page.page.evaluate(
        """() => {
          const deep = root => [...root.querySelectorAll('*')].flatMap(
            element => [element, ...(element.shadowRoot ? deep(element.shadowRoot) : [])]);
          const inside = element => {
            for (let up = element; up; up = up.parentElement ?? up.getRootNode().host)
              if (up.matches('.nbp')) return true;
            return false;
          };
          const colors = canvas => {
            const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            const found = new Set();
            for (let i = 0; i < data.length; i += 4)
              if (data[i + 3] === 255) found.add(data.slice(i, i + 3).join());
            return found.size;
          };
          return deep(document).filter(element => element.matches('.bk-Figure') && !inside(element))
            .map(figure => Math.max(...deep(figure.shadowRoot ?? figure).filter(
              element => element.tagName === 'CANVAS' && element.width).map(colors)));
        }"""
    )


@pytest.mark.parametrize("host", ["notebook", "voila"], indirect=True)
def test_views_work_where_they_are_embedded(host: Lab) -> None:
    name = type(host).__name__.lower()
    single, left, right = (Widget(host.widgets().nth(at)) for at in range(3))
    for view, charts in CHARTS.items():
        single.open_view(view).drawn(charts)
        assert single.misfits() == [], view
        host.screenshot(f"{name}-{view.lower()}", single.root)

    # Two views in a box share their filter, and each shows it in its own table.
    for half, charts in ((left, 2), (right, 4)):
        half.settled().drawn(charts)
        assert half.misfits() == []
    filters = left.root.get_by_role("button", name="Filters")
    if filters.is_visible():  # half of a notebook is narrow
        filters.click()
    left.filter_name("conv")
    left.eventually(lambda: all("conv" in n for n in left.column("Kernels", "name")), expected=True)
    right.eventually(
        lambda: all("conv" in n.lower() for n in right.column("Operators", "name")), expected=True
    )
    assert right.rows("Operators")
    host.screenshot(f"{name}-boxes")
    single.open_view("Kernels")
    assert not all("conv" in n for n in single.column("Kernels", "name"))

    # The figure of a view stands beside the reader's own.
    single.eventually(lambda: [n > 3 for n in drawn_by_bokeh(host)], [True, True])

    # Fonts and icons that a host looks for elsewhere did not come, and nothing of nbprof's asked.
    allowed = NETWORKS if isinstance(host, Dashboard) else set()
    assert {urlsplit(url).hostname for url in host.outside} <= allowed
