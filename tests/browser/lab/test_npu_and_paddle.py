"""The notebook about Ascend NPUs and Paddle in JupyterLab: all of its views are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import nbformat
import pytest

from tests.browser.driving.timeline import Timeline
from tests.browser.driving.widget import Widget
from tests.conftest import ROOT

if TYPE_CHECKING:
    from tests.browser.driving.lab import Lab

pytestmark = pytest.mark.browser

NOTEBOOK = "notebooks/npu_and_paddle.ipynb"
#: The cells with views, how many charts each has, and what stands in it.
VIEWS = {
    "npu-show": (6, "NPU steps"),
    "npu-kernels-view": (2, "Accelerator core"),
    "npu-memory-view": (1, "Peaks by component"),
    "distributed-show": (2, "Parts of communication"),
    "timeline-show": (0, "Overlap Analysis"),
    "paddle-show": (4, "Types of events"),
    "paddle-operators": (3, "Phases of operators"),
}


def test_the_notebook_draws_its_views(lab: Lab) -> None:
    places = [cell.id for cell in nbformat.read(ROOT / NOTEBOOK, as_version=4).cells]
    lab.open(NOTEBOOK)
    lab.run_all()
    for name, (charts, words) in VIEWS.items():
        at = places.index(name)
        lab.call("([at]) => window.jupyterapp.shell.currentWidget.content.scrollToItem(at)", at)
        cell = lab.page.locator(f".jp-Cell[data-windowed-list-index='{at}']")
        widget = Widget(cell.locator(".nbp").first).drawn(charts)
        if not charts:
            Timeline(widget).ready()
        assert words in widget.text(), name
        assert widget.misfits() == [], name
        lab.screenshot(f"notebook-{name}", widget.root)
