"""The trait of column widths: accepted and rejected values, and where they are saved."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from traitlets import TraitError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page

WIDE = {"operators": {"name": 320, "calls": 90}}


def test_widths_can_be_given_observed_and_assigned(open_page: Any, logs: Path) -> None:
    page: Page = open_page(logs, view="operators", column_widths=WIDE)
    assert page.view.column_widths == WIDE
    seen: list[Any] = []
    page.view.observe(lambda change: seen.append(change["new"]), "column_widths")
    page.save(column_widths={**WIDE, "kernels": {"calls": 40}})
    page.save(column_widths={"operators": {}, "kernels": {"calls": 40}})
    assert seen == [{**WIDE, "kernels": {"calls": 40}}, {"kernels": {"calls": 40}}]
    page.view.column_widths = None
    assert page.view.column_widths == {}
    assert open_page(logs).view.column_widths == {}


@pytest.mark.parametrize("change", [{"run": "runB"}, {"active": "kernels"}])
def test_they_are_kept_for_other_traces_and_views(open_page: Any, logs: Path, change: Any) -> None:
    page: Page = open_page(logs, view="operators", column_widths=WIDE)
    page.save(**change)
    assert page.view.column_widths == WIDE


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"operators": 90}, "'operators' has a dict from columns to pixels, not 90"),
        ({"operators": {"calls": 35}}, "'calls' of 'operators' takes 36 to 2,000 pixels"),
        ({"operators": {"calls": 2001}}, "not 2001"),
        ({"operators": {"calls": 90.5}}, "a whole number, not 90.5"),
        ({"operators": {"calls": True}}, "not True"),
        ([90], "a dict from tables to a dict from columns"),
    ],
)
def test_anything_else_is_refused(open_page: Any, logs: Path, value: Any, words: str) -> None:
    view = open_page(logs, view="operators", column_widths=WIDE).view
    with pytest.raises(TraitError, match=words):
        view.column_widths = value
    assert view.column_widths == WIDE


def test_pages_and_saved_notebooks_have_them(open_page: Any, logs: Path, tmp_path: Path) -> None:
    view = open_page(logs, view="operators", column_widths=WIDE).view
    assert view.get_state()["column_widths"] == WIDE
    text = view.to_html(tmp_path / "page.html").read_text("utf-8")
    assert re.search(r'"column_widths":\s*\{"operators":\s*\{"name":\s*320', text)
