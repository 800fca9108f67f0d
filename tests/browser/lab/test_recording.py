"""JupyterLab: the magic records a cell, and its profile appears beside the value of the cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.lab.test_lab import first_view, python

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.lab import Lab

pytestmark = pytest.mark.browser
pytest.importorskip("torch", reason="needs PyTorch to record profiles")

SETUP = "%load_ext nbprof\nimport nbprof, torch\nlayer = torch.nn.Linear(64, 64)"
RECORDED = """%%nbprof -n 3 -o kept --view operators
loss = layer(torch.ones(8, 64)).sum()
loss.backward()
'the value'"""


def test_a_cell_is_recorded_and_shown(lab: Lab, lab_root: Path) -> None:
    widget = first_view(lab, lab_root, SETUP, RECORDED)
    lab.screenshot("lab-recorded", widget.root)
    assert widget.misfits() == []
    assert "aten::addmm" in widget.column("Operators", "name")
    assert python(lab, "nbprof.load(kept).trace().steps()['step'].to_pylist()") == [0, 1, 2]
    assert lab.widgets().count() == 1
    assert "the value" in lab.page.locator(".jp-OutputArea-executeResult").last.inner_text()
    widget.open_view("Modules")
    lab.screenshot("lab-recorded-modules", widget.root)
    assert "Linear" in widget.text()
    lab.theme("dark")
    widget.open_view("Timeline").settled()
    lab.screenshot("lab-recorded-timeline-dark", widget.root)
