"""Several workers in one timeline: chosen in its menu, below each other, on one clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.driving.timeline import Timeline

if TYPE_CHECKING:
    import nbprof
    from tests.browser.driving.bare import Bare
    from tests.browser.driving.widget import Widget

pytestmark = pytest.mark.browser

RUN = "gpu_resnet_synthetic"


def groups(widget: Widget) -> list[str]:
    """Read the names of the groups of lanes, from top to bottom."""
    read = """root => [...root.querySelectorAll('.nbp-tl-group')]
      .filter(one => one.checkVisibility())
      .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
      .map(one => one.innerText)"""
    return [str(text) for text in widget.root.evaluate(read)]


def test_workers_are_chosen_and_stand_below_each_other(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    height = {"timeline_height": 1100}
    widget, view = bare.show(samples_profile, run=RUN, view="timeline", width=1200, **height)
    timeline = Timeline(widget).ready()
    alone = groups(widget)
    assert alone
    assert not [name for name in alone if "worker1" in name]
    lanes = widget.root.get_by_role("button", name="Workers ▾")
    lanes.click()
    choice = widget.root.get_by_role("checkbox", name="worker1")
    own = widget.root.get_by_role("checkbox", name="worker0")
    assert own.is_checked()
    assert own.is_disabled(), "the worker on screen is chosen elsewhere"
    choice.check()
    widget.eventually(lambda: view.timeline_workers, ["worker1"])
    widget.settled()
    both = groups(widget)
    heads = [name for name in both if name.startswith(("▾ worker0", "▾ worker1"))]
    assert [name.split()[1] for name in heads] == ["worker0", "worker1"]
    assert "time 0 = its first event" in heads[0]
    assert "collective" in heads[1], "by default, clocks are aligned by what all workers do at once"
    assert [name for name in both if "GPU 1" in name], "the devices of both"
    bare.picture(widget, "timeline-workers")

    widget.root.get_by_role("button", name="Same step").click()
    widget.eventually(lambda: view.timeline_clock, "step")
    widget.eventually(
        lambda: any("step 2" in name.lower() for name in groups(widget)), expected=True
    )
    widget.root.get_by_role("button", name="Only this one").click()
    widget.eventually(lambda: view.timeline_workers, [])
    widget.settled()
    assert groups(widget) == alone
    timeline.ready()


def test_a_slice_of_another_worker_is_found_and_told_with_its_worker(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    chosen = {"timeline_workers": ["worker1"], "timeline_height": 1100}
    widget, view = bare.show(samples_profile, run=RUN, view="timeline", width=1200, **chosen)
    timeline = Timeline(widget).ready()
    second = widget.root.locator(".nbp-tl-group", has_text="GPU 1").first
    box, canvas = second.bounding_box(), timeline.canvas.bounding_box()
    assert box is not None
    assert canvas is not None
    # The first stream of the second GPU is the lane below the name of its group.
    y = box["y"] + box["height"] + 10
    for share in (0.06, 0.1, 0.14, 0.2, 0.3):
        widget.page.mouse.click(canvas["x"] + share * canvas["width"], y)
        widget.page.wait_for_timeout(300)
        if view.selection:
            break
    widget.settled()
    details = widget.root.locator(".nbp-tl-details").inner_text()
    assert "worker1" in details
