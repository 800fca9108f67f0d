"""An export of Nsight Systems in Chromium: every view, a filter, and the properties of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbprof.widgets.views.registry import VIEWS
from tests.sources.nsight.exports import SECRET, write_export

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser


def test_every_view_of_an_export(bare: Bare, tmp_path: Path) -> None:
    path = write_export(tmp_path / "report.sqlite", pids=(100, 205))
    widget, explorer = bare.show(path)
    shown = [view.name for view in VIEWS.specs() if not view.optional]
    for view in shown:
        widget.open_view(VIEWS[view].title).settled()
        panel = widget.root.locator(f'[id$="-panel-{view}"]')
        panel.wait_for(state="visible")
        assert widget.root.locator(".nbp-error:visible").count() == 0
        drawn = panel.locator("canvas:visible, .nbp-figure:visible, table:visible").count()
        # Modules are not recorded, and the distributed view asks before it reads all workers.
        assert drawn > 0 or panel.inner_text().strip(), view
        assert SECRET not in widget.root.inner_text()
    assert explorer.errors == []
    assert bare.faults == []


def test_a_filter_on_steps(bare: Bare, tmp_path: Path) -> None:
    widget, explorer = bare.show(write_export(tmp_path / "report.sqlite"), view="kernels")
    assert explorer.table["calls"].to_pylist() == [2, 2, 2]
    explorer.filter = {"steps": [1, 1]}
    widget.settled()
    assert explorer.table["calls"].to_pylist() == [1, 1, 1]
    assert "CUDA graph 12" in widget.root.inner_text()
