"""A memory snapshot in Chromium: blocks are drawn, a click selects one, nothing breaks."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

import nbprof
from tests.support.recordings.training_snapshot import training

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser

#: Whether the pixel of a canvas at a place, given as shares of its size, is painted.
PAINTED = """(canvas, [x, y]) => {
  const at = [Math.round(canvas.width * x), Math.round(canvas.height * y)];
  return canvas.getContext("2d").getImageData(...at, 1, 1).data[3] > 0;
}"""


def test_blocks_segments_and_a_selection(bare: Bare, tmp_path: Path) -> None:
    path = tmp_path / "training.pickle"
    path.write_bytes(pickle.dumps(training()))
    profile = nbprof.load(path, progress=False)
    widget, view = bare.show(profile, view="memory", width=1100)
    root = widget.root
    root.locator(".nbp-alloc .nbp-banner", has_text="was asked for").wait_for()
    chart = root.locator(".nbp-alloc-chart canvas")
    chart.wait_for()
    root.page.wait_for_function(
        "canvas => canvas.width > 300", arg=chart.element_handle(), timeout=5000
    )
    assert chart.evaluate(PAINTED, [0.5, 0.85])
    assert root.locator(".nbp-alloc-map canvas").evaluate(PAINTED, [0.2, 0.05])
    box = chart.bounding_box()
    assert box is not None
    root.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.85)
    details = root.locator(".nbp-alloc-details")
    details.get_by_text("Selected block").wait_for()
    assert "48.0 MiB" in details.inner_text()
    root.get_by_role("button", name="Snapshot", exact=True).click()
    root.get_by_text("the state of the snapshot").wait_for()
    assert root.locator(".nbp-error:visible").count() == 0
    assert view.errors == []
    bare.picture(widget, "snapshot-1100-light")
