"""Lanes of the timeline in Chromium: dragged, pinned and resized, in a widget and on its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.driving.timeline import Timeline

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

    import nbprof
    from tests.browser.driving.bare import Bare
    from tests.browser.driving.widget import Widget

pytestmark = pytest.mark.browser

STREAM = "gpu:0:7"
CURVE = "utilization:0"
HEADS = """root => [...root.querySelectorAll("[data-key]")]
  .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
  .map(head => head.dataset.key)"""


def head(root: Locator, key: str) -> Locator:
    """Return the name of a lane beside the canvas."""
    return root.locator(f'[data-key="{key}"]')


def box_of(locator: Locator) -> dict[str, float]:
    """Return where something is."""
    found = locator.bounding_box()
    assert found is not None
    return dict(found)


def drag(widget: Widget, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag on the page, and leave the button down."""
    mouse = widget.page.mouse
    mouse.move(*start)
    mouse.down()
    mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    mouse.move(*end)


def test_lanes_are_arranged_by_hand_and_stay_so(
    bare: Bare, samples_profile: nbprof.Profile, tmp_path: Path
) -> None:
    widget, view = bare.show(samples_profile, run="gpu_resnet_synthetic", view="timeline")
    Timeline(widget).ready()
    root, page = widget.root, widget.page
    stream, curve = head(root, STREAM), head(root, CURVE)
    before = box_of(stream)

    x, low = before["x"] + 40, before["y"] + before["height"] - 3
    drag(widget, (x, low), (x, low + 40))
    widget.eventually(lambda: box_of(stream)["height"], before["height"] + 40)
    page.mouse.up()
    widget.eventually(lambda: view.lanes, {"heights": {STREAM: 58}})

    drag(widget, (x, box_of(curve)["y"] + 9), (x, before["y"] + 9))
    mark = root.locator(".nbp-tl-drop")
    assert abs(box_of(mark)["y"] - before["y"]) <= 3
    bare.picture(widget, "timeline-lane-drag")
    page.mouse.up()
    arranged = {"order": [CURVE], "heights": {STREAM: 58}}
    widget.eventually(lambda: view.lanes, arranged)
    widget.eventually(lambda: root.evaluate(HEADS)[:3], ["device:0", CURVE, STREAM])

    # The menu of a lane, and the keys on its name, which also hide it.
    head(root, STREAM).click(button="right")
    root.get_by_role("group", name="Stream 7").get_by_role("button", name="Pin").click()
    widget.eventually(lambda: view.lanes, {**arranged, "pinned": [STREAM]})
    root.locator(".nbp-tl-scroll").evaluate("bar => { bar.scrollTop = 150; }")
    widget.eventually(lambda: not curve.is_visible(), expected=True)
    widget.eventually(lambda: root.evaluate(HEADS)[:2], ["pinned", STREAM])
    bare.picture(widget, "timeline-pinned")
    pinned = box_of(stream)
    timeline = Timeline(widget)
    timeline.click(0.45, 0.1)  # on what is pinned, not on what is under it
    widget.eventually(lambda: "kernel" in timeline.details(), expected=True)
    stream.focus()
    page.keyboard.press("h")
    widget.eventually(lambda: view.lanes.get("hidden"), [STREAM])
    view.lanes = {**view.lanes, "hidden": []}
    timeline.press("w")  # the page hears of it with the next message
    stream.wait_for(state="visible")
    widget.eventually(lambda: box_of(stream)["height"], pinned["height"])
    kept = dict(view.lanes)
    assert kept["pinned"] == [STREAM]

    # A page shows the same arrangement, and can be arranged on.
    path = view.to_html(tmp_path / "page.html")
    other = page.context.new_page()
    other.goto(path.as_uri())
    alone = other.locator(".nbp").first
    alone.locator(".nbp-tl-lanes canvas").wait_for()
    head(alone, STREAM).wait_for()
    assert box_of(head(alone, STREAM))["height"] == pinned["height"]
    assert alone.evaluate(HEADS)[:3] == ["pinned", STREAM, "device:0"]
    alone.get_by_role("button", name="Lanes ▾").click()
    alone.get_by_role("button", name="Reset lanes").click()
    head(alone, "pinned").wait_for(state="detached")
    other.close()

    root.get_by_role("button", name="Lanes ▾").click()
    root.get_by_role("button", name="Reset lanes").click()
    widget.eventually(lambda: view.lanes, {})
    root.locator(".nbp-tl-scroll").evaluate("bar => { bar.scrollTop = 0; }")
    widget.eventually(lambda: box_of(stream)["height"], before["height"])
    assert bare.faults == []
