"""Selecting in charts with pointer and keys in Chromium, and filters made of what is selected."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import nbprof

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

    from tests.browser.driving.bare import Bare
    from tests.browser.driving.widget import Widget

pytestmark = pytest.mark.browser


def charts(widget: Widget) -> Locator:
    """Return the charts in sight whose items can be selected."""
    return widget.root.locator(".nbp-figure[role=application]").locator("visible=true")


def steps_of(view: nbprof.Explorer) -> list[Any]:
    return [key.get("step") for key in view.selection]


def press(widget: Widget, *keys: str) -> None:
    for key in keys:
        widget.root.page.keyboard.press(key)


def bar(widget: Widget, index: int, count: int) -> tuple[float, float]:
    """Return where a bar of the step chart is on the page."""
    box = charts(widget).first.bounding_box()
    assert box is not None
    veil = widget.root.locator(".nbp-picks [data-part=veil]").first
    assert veil.count() == 1
    left, right = 40.0, 112.0
    slot = (box["width"] - left - right) / count
    return box["x"] + left + slot * (index + 0.5), box["y"] + box["height"] - 60


def test_steps_are_selected_and_become_the_filter(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, view = bare.show(samples_profile, run="gpu_resnet_synthetic", view="overview")
    numbers = view.trace.steps()["step"].to_pylist()
    mouse = widget.root.page.mouse
    charts(widget).first.scroll_into_view_if_needed()
    mouse.click(*bar(widget, 1, len(numbers)))
    widget.eventually(lambda: steps_of(view), [numbers[1]])
    assert view.filter == {}, "a click only selects"
    veil = widget.root.locator(".nbp-picks [data-part=veil]").first
    assert veil.get_attribute("d"), "all other steps are muted"
    press(widget, "Shift+ArrowRight")
    widget.eventually(lambda: steps_of(view), numbers[1:3])
    press(widget, "Control+ArrowRight", "Control+ArrowRight", "Control+Space")
    widget.eventually(lambda: steps_of(view), [*numbers[1:3], numbers[4]])
    assert view.selected["step"].to_pylist() == [*numbers[1:3], numbers[4]]
    press(widget, "Escape")
    widget.eventually(lambda: steps_of(view), [])
    assert not veil.get_attribute("d")
    mouse.move(*bar(widget, 1, len(numbers)))
    mouse.down()
    mouse.move(*bar(widget, 2, len(numbers)), steps=4)
    mouse.up()
    widget.eventually(lambda: steps_of(view), numbers[1:3])
    press(widget, "Enter")
    widget.eventually(lambda: dict(view.filter), {"steps": numbers[1:3]})
    widget.eventually(lambda: steps_of(view), [])
    widget.settled()
    # A muted step is still there, and can be chosen instead.
    mouse.click(*bar(widget, 4, len(numbers)))
    widget.eventually(lambda: steps_of(view), [numbers[4]])
    widget.root.get_by_role("button", name=f"Filter to step {numbers[4]}").click()
    widget.eventually(lambda: dict(view.filter), {"steps": [numbers[4]] * 2})
    bare.picture(widget, "selected_steps")


def test_a_name_is_selected_in_charts_table_and_timeline(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, view = bare.show(samples_profile, run="gpu_resnet_synthetic", view="operators")
    bars = charts(widget).nth(1)
    bars.focus()
    press(widget, "Home")
    widget.eventually(lambda: len(view.selection), 1)
    [key] = view.selection
    assert set(key) == {"name"}
    row = widget.root.locator("tr[aria-selected=true]").first
    row.wait_for(state="attached")
    widget.open_view("Timeline").settled()
    widget.eventually(lambda: view.selection, [key])
    assert set(view.selected["name"].to_pylist()) == {key["name"]}
    widget.open_view("Operators").settled()
    widget.eventually(lambda: view.selection, [key])
    charts(widget).nth(1).focus()
    press(widget, "Enter")
    widget.eventually(lambda: list(view.filter), ["name"])
    widget.settled()
    assert view.trace.operators()["name"].to_pylist() == [key["name"]]
    assert view.selection == []


def test_an_exported_page_keeps_what_is_outside_of_its_filter(
    bare: Bare, samples_profile: nbprof.Profile, tmp_path: Path
) -> None:
    view = nbprof.Explorer(samples_profile, run="gpu_resnet_synthetic", view="overview")
    numbers = view.trace.steps()["step"].to_pylist()
    path = tmp_path / "page.html"
    view.to_html(path)
    page = bare.browser.new_context(viewport={"width": 1200, "height": 1300}).new_page()
    page.goto(path.as_uri())
    figure = page.locator(".nbp-figure[role=application]").first
    figure.wait_for()
    bars = figure.locator("rect[data-tip^=Step]")
    assert bars.count() == len(numbers)
    figure.focus()
    for key in ("Home", "Shift+ArrowRight", "Enter"):
        page.keyboard.press(key)
    page.locator(".nbp-chip", has_text=f"steps {numbers[0]} to {numbers[1]}").wait_for()
    muted = figure.locator("rect[data-tip*='Outside of the filter']")
    muted.first.wait_for(state="attached")
    assert (bars.count(), muted.count()) == (len(numbers), len(numbers) - 2)
    page.context.close()


def test_a_point_of_the_roofline_is_selected_and_becomes_the_filter(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, view = bare.show(samples_profile, run="gpu_resnet_synthetic", view="roofline")
    chart = charts(widget).first
    box = chart.bounding_box()
    assert box is not None
    chart.focus()
    press(widget, "Home")
    widget.eventually(lambda: len(view.selection), 1)
    chosen = widget.root.locator(".nbp-picks [data-part=chosen]").first
    outline = chosen.get_attribute("d") or ""
    left, top, radius = (float(one) for one in re.findall(r"[\d.]+", outline)[:3])
    press(widget, "Escape")
    widget.eventually(lambda: view.selection, [])
    widget.root.page.mouse.click(box["x"] + left + radius, box["y"] + top)
    widget.eventually(lambda: len(view.selection), 1)
    name = view.selection[0]["name"]  # a smaller point may lie above the largest
    veil = widget.root.locator(".nbp-picks [data-part=veil]").first
    assert veil.get_attribute("d"), "all other points are muted"
    press(widget, "Enter")
    widget.eventually(lambda: "name" in dict(view.filter), True)  # noqa: FBT003 - what it becomes
    widget.settled()
    assert set(view.table["name"].to_pylist()) == {name}
    bare.picture(widget, "roofline")


def test_the_points_of_the_roofline_can_be_kernels(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, view = bare.show(samples_profile, run="gpu_resnet_synthetic", view="roofline")
    widget.root.get_by_text("Kernels", exact=True).last.click()
    widget.settled()
    charts(widget).first.focus()
    press(widget, "Home")
    kernels = view.trace.operator_costs(group_by="kernel")
    largest = next(row for row in kernels.to_pylist() if row["tflops_per_s"])
    widget.eventually(lambda: view.selection, [{"name": largest["kernel"]}])
    press(widget, "Enter")
    widget.eventually(lambda: list(view.filter), ["name"])
    widget.settled()
    assert view.trace.filter(**view.filter).kernels()["name"].to_pylist() == [largest["kernel"]]
    bare.picture(widget, "roofline_kernels")
