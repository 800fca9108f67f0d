"""Lanes of the timeline in Chromium: dragged, pinned and resized, in a widget and on its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import nbprof
from tests.browser.driving.timeline import Timeline
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

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


def test_quiet_streams_are_one_lane_and_empty_lanes_are_thin(bare: Bare, tmp_path: Path) -> None:
    # A busy first half on one stream and a deep stack; ten streams with a kernel in the second.
    events = [kernel(ts=100 * at, dur=60, device=0, stream=7) for at in range(500)]
    events += [
        kernel(ts=52_000 + 4_000 * at, dur=500, device=0, stream=9 + 2 * at) for at in range(10)
    ]
    events += [op(f"level {depth}", ts=depth, dur=49_000 - 2 * depth) for depth in range(6)]
    profile = nbprof.load(write(tmp_path / "w0.1700000000000.pt.trace.json", events))
    widget, view = bare.show(profile, view="timeline")
    timeline = Timeline(widget).ready()
    root = widget.root
    quiet, thread = head(root, "device:0:quiet"), root.locator('[data-key^="cpu:"]')
    assert "10 quiet streams" in quiet.inner_text()
    assert "1 slice each" in quiet.inner_text()
    assert quiet.get_attribute("aria-expanded") == "false"
    assert head(root, "gpu:0:9").count() == 0
    tall, stream = box_of(thread)["height"], box_of(head(root, STREAM))["height"]
    bare.picture(widget, "timeline-quiet-streams")

    # It opens into lanes below a band, and closes to one lane again.
    quiet.click()
    head(root, "gpu:0:9").wait_for()
    assert quiet.get_attribute("aria-expanded") == "true"
    quiet.click(position={"x": 40, "y": 10})  # its band reaches under the canvas
    head(root, "gpu:0:9").wait_for(state="detached")

    # The thread has nothing in the second half: it is thin there, and busy rows have its room.
    view.window = (60_000, 90_000)
    widget.eventually(lambda: box_of(thread)["height"], 20)
    widget.eventually(lambda: box_of(quiet)["height"] > 24, expected=True)
    bare.picture(widget, "timeline-thin-lanes")
    timeline.canvas.press("0")
    widget.eventually(lambda: box_of(thread)["height"], tall)
    widget.eventually(lambda: box_of(head(root, STREAM))["height"], stream)
