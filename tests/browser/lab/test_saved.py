"""A notebook saved with its widgets and opened without a kernel."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from nbprof.widgets.saved.writer import VERSION
from tests.browser.driving.timeline import _PIXELS as PIXELS
from tests.browser.driving.widget import CHARTS, Widget
from tests.browser.lab.test_lab import first_view, python

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.lab import Lab

pytestmark = pytest.mark.browser

PAGE = "notebooks/page.ipynb"
#: The tables of each view.
TABLES: dict[str, list[str]] = {
    "Overview": [],
    "Operators": ["Operators"],
    "Kernels": ["Kernels"],
    "Roofline": ["Operator costs"],
    "Timeline": [],
    "Memory": ["Held at the peak", "By operator", "Allocations"],
    "Modules": [],
    "Distributed": [],
}
BADGE = "Saved state: not connected"


def reopened(lab: Lab, kept: str = "catalog") -> Widget:
    lab.save_with_widgets(f'"{kept}"')
    lab.reopen_without_kernel(PAGE)
    widget = Widget(lab.widgets().first)
    widget.eventually(widget.root.locator(".nbp-badge:visible").all_inner_texts, [f"{BADGE} ▾"])
    return widget.settled()


def saved_bytes(root: Path) -> dict[str, int]:
    """Return how many bytes each trait of bytes takes in the notebook."""
    notebook = json.loads((root / PAGE).read_text("utf-8"))
    (state,) = notebook["metadata"]["widgets"].values()
    found: dict[str, int] = {}
    for model in state["state"].values():
        for buffer in model.get("buffers", []):
            name = buffer["path"][0]
            found[name] = found.get(name, 0) + len(buffer["data"]) * 3 // 4
    return found


def test_every_view_is_there(lab: Lab, lab_root: Path) -> None:
    live = first_view(lab, lab_root)
    seen: dict[str, Any] = {}
    for view, tables in TABLES.items():
        live.open_view(view)
        seen[view] = [live.rows(table) for table in tables]
    live.open_view("Overview")
    widget = reopened(lab, "distributed")  # which is kept once all workers have been read
    saved = saved_bytes(lab_root)
    assert 0 < saved.pop("_scripts") <= 400_000  # of all views, once
    assert sum(saved.values()) <= 1_000_000
    for view, tables in TABLES.items():
        widget.open_view(view)
        assert [widget.rows(table) for table in tables] == seen[view], view
        if view in ("Timeline", "Modules"):  # which draw on a canvas
            canvas = widget.root.locator("canvas:visible").last
            widget.eventually(lambda: canvas.evaluate(PIXELS)[1] >= 4, expected=True)  # noqa: B023
        else:
            charts = widget.root.locator(".nbp-figure svg:not(.nbp-picks):visible")
            widget.eventually(charts.count, CHARTS[view])
        for theme in ("light", "dark"):
            lab.theme(theme)
            widget.eventually(widget.misfits, [])
            lab.screenshot(f"saved-{view.lower()}-{theme}", widget.root)


def test_a_table_is_sorted_searched_and_grouped(lab: Lab, lab_root: Path) -> None:
    live = first_view(lab, lab_root).open_view("Kernels")
    by_time = live.rows("Kernels")
    live.grid("Kernels").get_by_role("columnheader", name="Calls").click()
    live.eventually(lambda: live.rows("Kernels") != by_time, expected=True)
    by_calls = live.rows("Kernels")
    widget = reopened(lab, "table:kernels:name+stack")
    widget.settled()
    assert widget.rows("Kernels") != by_calls
    widget.grid("Kernels").get_by_role("columnheader", name="Calls").click()
    widget.eventually(lambda: widget.rows("Kernels"), by_calls)
    widget.root.get_by_role("textbox", name="Find in Kernels").fill("/ge(m)+/")
    widget.eventually(lambda: {"gemm" in name for name in widget.column("Kernels", "name")}, {True})
    widget.group_by("Name + stack")
    widget.eventually(lambda: "call_stack" in (widget.rows("Kernels") or [{}])[0], expected=True)
    thread = widget.root.get_by_role("combobox", name="Thread")
    assert thread.is_disabled()
    title = thread.locator("xpath=ancestor::label").get_attribute("title")
    assert title == "Filtering needs Python. Run the cell again."
    lab.screenshot("saved-searched", widget.root)
    for width in (760, 480):
        lab.resize(width)
        widget.settled()
        widget.eventually(widget.misfits, [])
        lab.screenshot(f"saved-{width}", widget.root)


def test_steps_and_names_are_filtered_without_a_kernel(lab: Lab, lab_root: Path) -> None:
    live = first_view(lab, lab_root).open_view("Kernels")
    step = python(lab, "view.trace.steps()['step'][0].as_py()")
    seen = []
    for filter_ in ({"steps": [step, step]}, {"steps": [step, step], "name": "gemm"}):
        python(lab, f"view.set_trait('filter', {filter_!r})")
        live.settled()
        seen.append(live.rows("Kernels"))
    assert seen[0] != seen[1]
    python(lab, "view.set_trait('filter', {})")
    live.settled()
    widget = reopened(lab, "partials:kernels:name")
    whole = widget.rows("Kernels")
    for end in ("first", "last"):
        field = widget.root.get_by_role("textbox", name=f"Steps, {end}")
        field.fill(str(step))
        field.press("Enter")
    widget.eventually(lambda: widget.settled().rows("Kernels"), seen[0])
    assert seen[0] != whole
    name = widget.root.get_by_role("combobox", name="Name", exact=True)
    name.fill("gemm")
    name.press("Enter")
    widget.eventually(lambda: widget.settled().rows("Kernels"), seen[1])
    lab.screenshot("saved-filtered", widget.root)
    widget.root.get_by_role("button", name="Reset").click()
    widget.eventually(lambda: widget.settled().rows("Kernels"), whole)


def test_after_a_restart_what_was_kept_goes_on(lab: Lab, lab_root: Path) -> None:
    live = first_view(lab, lab_root).open_view("Kernels")
    lab.save_with_widgets()
    before = live.rows("Kernels")
    lab.call("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    live.root.get_by_text("Disconnected").first.wait_for()
    assert live.rows("Kernels") == before
    live.grid("Kernels").get_by_role("columnheader", name="Calls").click()
    live.eventually(lambda: live.rows("Kernels") != before, expected=True)
    live.open_view("Operators")  # which was not on screen before
    assert len(live.rows("Operators")) > 5
    lab.screenshot("saved-restarted", live.root)


def test_what_cannot_be_read_says_what_to_do(lab: Lab, lab_root: Path) -> None:
    first_view(lab, lab_root)
    lab.save_with_widgets()
    own, other = (f'"version":{number}' for number in (VERSION, 9))
    lab.python(f"assert b'{own}' in view.snapshot\nview._saver.close()")
    lab.python(f"view.snapshot = view.snapshot.replace(b'{own}', b'{other}')")
    lab.save_with_widgets(other)
    lab.reopen_without_kernel(PAGE)
    widget = Widget(lab.widgets().first)
    widget.root.get_by_text("was written by nbprof").first.wait_for()
    assert "run the cell again." in widget.text()
    lab.screenshot("saved-other-version", widget.root)
