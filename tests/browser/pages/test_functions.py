"""The functions view in Chromium: what is selected leads to its callers and callees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import nbprof
from tests.support.recordings.python_profiles import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser


def test_a_function_leads_to_its_callers_and_callees(bare: Bare, tmp_path: Path) -> None:
    widget, view = bare.show(nbprof.load(recorded(tmp_path), progress=False))
    assert view.active == "functions"
    panel = widget.root.locator('[id$="-panel-functions"]')
    panel.get_by_text("Select a function to see its callers and callees.").wait_for()
    panel.get_by_text("Estimated from callers").wait_for()
    names = {row["function"]: row["name"] for row in view.table.to_pylist()}
    view.selection = [{"name": names["leaf"]}]
    panel.get_by_text(f"Callers and callees of {names['leaf']}").wait_for()
    calls = panel.locator(".nbp-calls")
    calls.get_by_text("2 functions", exact=True).first.wait_for()
    panel.locator(".nbp-flame canvas").click(position={"x": 40, "y": 25})  # the outermost frame
    panel.get_by_text(f"Callers and callees of {names['work']}").wait_for()
    assert view.selection == [{"name": names["work"]}]
    assert bare.faults == []
