"""Keys typed into a view in JupyterLab stay in the view, whatever they do in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.lab.test_lab import first_view

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.lab import Lab

pytestmark = pytest.mark.browser

#: In a notebook: insert cells, copy, cut, paste and delete them, change their kind, interrupt.
KEYS = "abcxvddmyii"


def test_typing_a_name_does_not_edit_the_notebook(lab: Lab, lab_root: Path) -> None:
    widget = first_view(lab, lab_root)
    field = widget.root.get_by_role("combobox", name="Name", exact=True)
    field.click()
    lab.page.keyboard.type(KEYS)
    expect(field).to_have_value(KEYS)
    expect(lab.page.locator(".jp-Cell")).to_have_count(1)
    expect(lab.page.locator(".jp-CodeCell")).to_have_count(1)
