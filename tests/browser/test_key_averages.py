"""The table that PyTorch prints, in the operators view in Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import nbprof
    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser


def test_table_beside_operators(bare: Bare, samples_profile: nbprof.Profile) -> None:
    widget, explorer = bare.show(samples_profile, run="gpu_resnet_synthetic", view="operators")
    panel = widget.root.locator('[id$="-panel-operators"]')
    panel.get_by_role("button", name="Table", exact=True).click()
    grid = panel.get_by_role("grid", name="As PyTorch prints it")
    grid.wait_for(state="visible")
    averages = explorer.trace.key_averages(sort_by="self_cpu_time_total")
    first = averages["name"][0].as_py()
    grid.get_by_text(first, exact=True).first.wait_for(state="visible")
    counts = panel.get_by_text(f"{averages.num_rows} rows").first
    counts.wait_for(state="visible")
    by_shape = explorer.trace.key_averages(group_by="name+shape")
    panel.get_by_role("button", name="Name + shape").click()
    panel.get_by_text(f"{by_shape.num_rows} rows").first.wait_for(state="visible")
    widget.eventually(lambda: explorer.averages_by, "name+shape")
    panel.get_by_role("button", name="Operators", exact=True).click()
    widget.eventually(lambda: explorer.averages_by, "")
    panel.get_by_role("grid", name="Operators").wait_for(state="visible")
    assert explorer.errors == []
    assert bare.faults == []
