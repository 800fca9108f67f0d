"""The diff view in Chromium: a baseline is chosen, the waterfall filters, and the tree opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.browser.driving.widget import Widget
from tests.diffs.runs import NET, changed, run

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser

RUN = "torch_cpu_convnet"


def panel_of(widget: Widget) -> Locator:
    return widget.root.locator('[id$="-panel-diff"]')


def test_a_baseline_is_chosen_and_both_sides_are_filtered(bare: Bare, samples_profile: Any) -> None:
    widget, view = bare.show(samples_profile, run=RUN, worker="worker0", view="diff")
    panel = panel_of(widget)
    panel.get_by_text("Choose a baseline", exact=True).wait_for()
    panel.get_by_label("Compare with").select_option(
        '{"run":"torch_cpu_convnet","worker":"worker1","span":1}'
    )
    panel.get_by_role("heading", name="Largest changes").wait_for()
    assert (view.baseline["run"], view.baseline["worker"]) == (RUN, "worker1")
    widget.settled()
    assert widget.misfits() == []
    assert widget.access_faults() == []
    bars = panel.locator("button.nbp-fall")
    name = bars.first.locator(".nbp-fallname").inner_text()
    bars.first.click()
    widget.eventually(lambda: bool(view.filter), expected=True)
    assert name in next(iter(view.filter.values()))
    widget.settled()
    pressed = panel.locator("button.nbp-fall[aria-pressed=true]")
    pressed.first.click()
    widget.eventually(lambda: view.filter, {})


def test_the_tree_opens_and_tables_change(bare: Bare, samples_profile: Any) -> None:
    widget, view = bare.show(
        samples_profile, run=RUN, worker="worker0", view="diff", baseline={"worker": "worker1"}
    )
    panel = panel_of(widget)
    tree = panel.get_by_role("treegrid")
    widget.settled()
    before = int(tree.get_attribute("aria-rowcount") or 0)
    closed = tree.locator('tr[aria-expanded="false"] button').first
    closed.scroll_into_view_if_needed()
    widget.settled()
    closed.hover()
    widget.page.mouse.down()
    scroll = "grid => grid.parentElement.dispatchEvent(new Event('scroll'))"
    tree.evaluate(f"grid => {{ ({scroll})(grid); return new Promise(requestAnimationFrame); }}")
    widget.page.mouse.up()  # while its line is drawn anew
    widget.eventually(lambda: int(tree.get_attribute("aria-rowcount") or 0) > before, expected=True)
    panel.get_by_label("Table of differences").select_option("step")
    widget.eventually(lambda: view.group_by, "step")
    panel.get_by_label("Table of differences").select_option("operator+shape")
    panel.get_by_role("button", name="First").click()
    widget.settled()
    assert view.table.num_rows > 0
    panel.get_by_label("Table of differences").select_option("memory")
    row = panel.get_by_role("grid", name="Differences").locator("tbody tr[data-line]").first
    row.locator("td").first.click()
    widget.page.keyboard.press("Enter")
    widget.eventually(lambda: view.active, "memory")
    widget.root.get_by_text("baseline").first.wait_for()
    widget.open_view("Diff").settled()
    panel.get_by_role("button", name="Both curves").click()
    widget.eventually(lambda: view.active, "memory")
    widget.open_view("Diff").settled()
    for width in (900, 480):
        widget.page.set_viewport_size({"width": width, "height": 1000})
        widget.eventually(widget.settled().misfits, [])
    bare.picture(widget, "diff-narrow")


def test_workers_are_chosen(bare: Bare, samples_profile: Any) -> None:
    sides = {"run": RUN, "worker": "worker0", "baseline": {"run": RUN, "worker": "worker1"}}
    widget, view = bare.show(samples_profile, view="diff", **sides)
    panel = panel_of(widget)
    panel.get_by_role("button", name="Choose the workers of the baseline").click()
    menu = widget.root.get_by_role("group", name="Workers of the baseline")
    menu.get_by_label("worker0").check()
    widget.eventually(lambda: view.baseline.get("workers"), ["worker0", "worker1"])
    panel.get_by_text("mean of 2: worker1, worker0").wait_for()
    assert "means over 2 workers in the baseline and 1 in the candidate" in panel.inner_text()
    menu.get_by_label("worker1").uncheck()
    widget.eventually(lambda: view.baseline.get("worker"), "worker0")
    assert "workers" not in view.baseline


def test_rows_of_either_side_lead_to_their_slices(bare: Bare, tmp_path: Path) -> None:
    """T finds renamed calls by the candidate's name, removed ones in the baseline's lanes."""
    ops = [op for op in changed(NET, 5, name="aten::mul_") if op.name != "aten::relu"]
    run(tmp_path / "runs" / "a", NET)
    run(tmp_path / "runs" / "b", ops, seed=2)
    sides = {"run": "b", "baseline": {"run": "a"}}
    widget, view = bare.show(nbprof.load(tmp_path / "runs"), view="diff", **sides)
    for name, words in (("aten::mul_", "→"), ("aten::relu", "removed")):
        panel = panel_of(widget)
        panel.get_by_label("Search the calls of both sides by name").fill(name)
        row = panel.get_by_role("treegrid").locator("tr[data-line]").filter(has_text=name)
        row.filter(has_text=words).first.locator("td").nth(1).click()
        widget.page.keyboard.press("t")
        widget.eventually(lambda: view.active, "timeline")
        widget.settled()
        assert view.search == f"/^{name}$/"
        details = widget.root.locator('[id$="-panel-timeline"]')
        details.get_by_text("no counterpart" if words == "removed" else name).first.wait_for()
        assert "Not accepted" not in widget.text()
        widget.open_view("Diff").settled()


def test_two_profiles_change_places(bare: Bare, tmp_path: Path) -> None:
    run(tmp_path / "one" / "before", NET)
    run(tmp_path / "other" / "after", changed(NET, 0, device=90.0), seed=2)
    widget, view = bare.show(nbprof.diff(tmp_path / "one", tmp_path / "other"), view="diff")
    panel = panel_of(widget)
    panel.get_by_text("slower", exact=True).first.wait_for()
    panel.get_by_role("button", name="Swap sides").click()
    panel.get_by_text("faster", exact=True).first.wait_for()
    assert (view.run, view.baseline["run"]) == ("before", "after")
    widget.settled()
    assert "Not accepted" not in widget.text()
    panel.get_by_role("button", name="Swap sides").click()
    panel.get_by_text("slower", exact=True).first.wait_for()
    assert view.run == "after"


def test_a_page_shows_both_sides_and_filters_them(
    bare: Bare, samples_profile: Any, tmp_path: Path
) -> None:
    sides = {"run": RUN, "worker": "worker0", "baseline": {"run": RUN, "worker": "worker1"}}
    _, view = bare.show(samples_profile, view="diff", filter={"steps": [3, 4]}, **sides)
    place = view.to_html(tmp_path / "diff.html")
    page = bare.browser.new_page()
    try:
        page.goto(place.as_uri())
        widget = Widget(page.locator(".nbp").first).settled()
        panel = panel_of(widget)
        panel.get_by_role("heading", name="Largest changes").wait_for()
        # the page holds all steps, and compares those of the filter by itself
        assert "2 compared" in panel.inner_text()
        diff = samples_profile.diff(run=RUN, worker="worker1", to_worker="worker0")
        wanted = diff.filter(steps=(3, 4)).operators()["name"].to_pylist()
        assert widget.column("Differences", "name")[:10] == wanted[:10]
        assert f"{diff.filter(steps=(3, 4)).tree().num_rows:,} rows" in panel.inner_text()
        widget.filter_name("conv")
        kept = diff.filter(steps=(3, 4), name="conv").operators()["name"].to_pylist()
        widget.eventually(lambda: widget.column("Differences", "name"), kept)
        assert "waterfall cannot be filtered by name without Python" in panel.inner_text()
        assert widget.misfits() == []
        panel.get_by_role("button", name="Show it without this filter").first.click()
        panel.get_by_role("treegrid").locator("tbody tr[data-line]").first.wait_for()
        widget.eventually(lambda: "3 compared" in panel.inner_text(), expected=True)
    finally:
        page.close()


def test_changes_are_seen_without_scrolling_in_a_cell(bare: Bare, samples_profile: Any) -> None:
    baseline = {"worker": "worker1"}
    widget, _ = bare.show(
        samples_profile, run=RUN, worker="worker0", view="diff", baseline=baseline
    )
    widget.page.set_viewport_size({"width": 720, "height": 1000})
    widget.settled()
    room = """table => {
        const cells = [...table.querySelectorAll("th")];
        const cell = cells.find((one) => one.textContent.includes("Change"));
        const box = cell.closest("table").parentElement;
        return box.getBoundingClientRect().right - cell.getBoundingClientRect().right;
    }"""
    for table in panel_of(widget).locator(".nbp-diffrest > *").all():
        widget.eventually(lambda at=table: at.evaluate(room) >= 0, expected=True)
        title = table.locator(".nbp-head > h3")
        assert title.evaluate("title => title.clientHeight") < 30  # one line
