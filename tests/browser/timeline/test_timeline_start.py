"""The timeline on first view: device work first, frames folded, names as colours, no key lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.driving.timeline import Timeline

if TYPE_CHECKING:
    import nbprof
    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser

SAMPLE = "gpu_resnet_synthetic"

#: Colours of the canvas of the lanes that fill many pixels, by how many they fill.
COLORS = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const found = {};
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] === 255) {
      const color = data.slice(at, at + 3).join();
      found[color] = (found[color] ?? 0) + 1;
    }
  return Object.entries(found).filter(([, many]) => many > 100).map(([color]) => color);
}"""


def hues(colors: list[str]) -> int:
    """Return the number of colours that are neither grey nor green, as kernels are."""
    found = [tuple(map(int, color.split(","))) for color in colors]
    return sum(max(one) - min(one) > 25 and max(one) != one[1] for one in found)


def test_it_starts_with_device_work_and_folded_frames(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, _ = bare.show(samples_profile, run=SAMPLE, view="timeline")
    timeline = Timeline(widget).ready()
    bands = widget.root.locator(".nbp-tl-group")
    assert "GPU 0" in bands.nth(0).inner_text()
    assert "python" in bands.nth(1).inner_text()
    bare.picture(widget, "timeline-start")
    assert hues(timeline.canvas.evaluate(COLORS)) >= 6
    frames = widget.root.locator(".nbp-tl-lane", has_text="Python frames, open")
    height = frames.bounding_box()["height"]  # type: ignore[index]
    frames.click()
    opened = widget.root.locator('.nbp-tl-lane[aria-expanded="true"]', has_text="Python frames")
    opened.wait_for()
    assert opened.bounding_box()["height"] > 5 * height  # type: ignore[index]
    assert bare.faults == []


def test_keys_typed_fast_act_in_their_order(bare: Bare, samples_profile: nbprof.Profile) -> None:
    model = samples_profile.trace(run=SAMPLE).model
    launch = int(model.links.launch[model.links.launch >= 0][0])
    chosen = [{"side": "host", "row": launch}]
    widget, view = bare.show(samples_profile, run=SAMPLE, view="timeline", selection=chosen)
    timeline = Timeline(widget).ready()
    widget.root.locator(".nbp-tl-name").wait_for()
    timeline.canvas.focus()
    # To the kernel, back to its launch, to its operator, and closer, without waiting for an answer.
    widget.root.page.keyboard.type("kl[www", delay=0)
    operator = int(model.links.operator[model.links.launch == launch][0])
    widget.eventually(lambda: view.selection, [{"side": "host", "row": operator}])
    widget.eventually(lambda: timeline.length_us() > 0, expected=True)
    # Keys act after a click on a button of the toolbar, too.
    before = timeline.length_us()
    widget.root.get_by_role("button", name="Fit").click()
    widget.eventually(lambda: timeline.length_us() > before, expected=True)
    whole = timeline.length_us()
    widget.root.page.keyboard.type("ww", delay=0)
    widget.eventually(lambda: timeline.length_us() < 0.7 * whole, expected=True)
    assert bare.faults == []


def test_arrows_of_all_launches_have_a_switch(bare: Bare, samples_profile: nbprof.Profile) -> None:
    widget, _ = bare.show(samples_profile, run=SAMPLE, view="timeline")
    timeline = Timeline(widget).ready()
    drawn = timeline.pixels()[0]
    widget.root.get_by_role("button", name="Lanes ▾").click()
    switches = widget.root.get_by_role("group", name="Arrows").get_by_role("checkbox")
    assert switches.count() == 2  # only NPUs have a task queue
    switches.first.check()
    widget.eventually(lambda: timeline.pixels()[0] > drawn + 0.005, expected=True)
    bare.picture(widget, "timeline-arrows")
    switches.first.uncheck()
    widget.eventually(lambda: abs(timeline.pixels()[0] - drawn) < 0.002, expected=True)
    assert bare.faults == []


def test_the_full_screen_and_the_lower_edge_change_the_height(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, _ = bare.show(samples_profile, run=SAMPLE, view="timeline")
    timeline = Timeline(widget).ready()

    def height() -> float:
        return float(timeline.canvas.evaluate("canvas => canvas.getBoundingClientRect().height"))

    usual = height()
    grip = widget.root.get_by_role("separator")
    box = grip.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    widget.page.mouse.move(x, y)
    widget.page.mouse.down()
    widget.page.mouse.move(x, y - 150)
    widget.page.mouse.up()
    widget.eventually(lambda: usual - 200 < height() < usual - 100, expected=True)
    grip.focus()
    widget.page.keyboard.press("Home")
    widget.eventually(height, usual)

    widget.root.get_by_role("button", name="Timeline on the full screen").click()
    widget.eventually(lambda: height() > usual + 100, expected=True)
    assert widget.page.evaluate("document.fullscreenElement !== null")
    assert not widget.root.get_by_role("tablist", name="Views").is_visible()
    bare.picture(widget, "timeline-full")
    widget.root.get_by_role("button", name="Timeline on the full screen").click()
    widget.eventually(height, usual)
    assert widget.root.get_by_role("tablist", name="Views").is_visible()
    assert bare.faults == []
