"""Every view in Chromium: drawn without an error, with the values that Python computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbprof.widgets.views.registry import VIEWS

if TYPE_CHECKING:
    import nbprof
    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("view", VIEWS.names())
def test_every_view_is_drawn(bare: Bare, samples_profile: nbprof.Profile, view: str) -> None:
    widget, explorer = bare.show(samples_profile, run="gpu_resnet_synthetic", view=view)
    assert explorer.active == view
    assert explorer.errors == []
    panel = widget.root.locator(f'[id$="-panel-{view}"]')
    panel.wait_for(state="visible")
    assert widget.root.locator(".nbp-error:visible").count() == 0
    drawn = panel.locator("canvas:visible, .nbp-figure:visible, table:visible").count()
    assert drawn > 0
    assert explorer.table.num_rows > 0
    assert bare.faults == []
