"""Every view in Chromium: drawn without an error, with the values that Python computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.widgets.views.registry import VIEWS
from tests.support.recordings.python_profiles import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("view", VIEWS.names())
def test_every_view_is_drawn(
    bare: Bare, samples_profile: nbprof.Profile, tmp_path: Path, view: str
) -> None:
    profile, run = samples_profile, "gpu_resnet_synthetic"
    if "functions" in VIEWS[view].needs:  # which only profiles of Python have
        profile, run = nbprof.load(recorded(tmp_path), progress=False), tmp_path.name
    more = {"baseline": {"worker": "worker1"}} if "comparison" in VIEWS[view].content else {}
    widget, explorer = bare.show(profile, run=run, view=view, **more)
    assert explorer.active == view
    assert explorer.errors == []
    panel = widget.root.locator(f'[id$="-panel-{view}"]')
    panel.wait_for(state="visible")
    assert widget.root.locator(".nbp-error:visible").count() == 0
    drawn = panel.locator("canvas:visible, .nbp-figure:visible, table:visible").count()
    assert drawn > 0
    assert explorer.table.num_rows > 0
    assert bare.faults == []
