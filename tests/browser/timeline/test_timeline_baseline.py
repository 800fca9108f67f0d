"""Two runs in one timeline, aligned at a step or a slice, and their memory in one chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.driving.timeline import Timeline
from tests.browser.timeline.test_timeline_workers import groups

if TYPE_CHECKING:
    import nbprof
    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser

RUN = "gpu_resnet_synthetic"
BASELINE = {"run": RUN, "worker": "worker1", "span": 1}


def test_two_runs_are_aligned_and_scroll_together(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    shown = {"run": RUN, "baseline": BASELINE, "timeline_height": 900}
    widget, view = bare.show(samples_profile, view="timeline", width=1200, **shown)
    Timeline(widget).ready()
    sides = [name.split()[1] for name in groups(widget)]
    assert sides[:3] == ["Candidate", "Baseline", "Candidate"]
    bar = widget.root.locator(".nbp-tl-alignbar")
    assert "begins with step" in bar.inner_text()
    choice = bar.get_by_role("combobox", name="Align both runs at")
    first = choice.input_value()
    bar.get_by_role("button", name="Align at the next one").click()
    widget.eventually(lambda: view.timeline_align.get("step"), int(first) + 1)
    widget.eventually(lambda: view.window is not None, expected=True)
    widget.settled()
    bare.picture(widget, "timeline-baseline")


def test_both_are_aligned_at_a_slice(bare: Bare, samples_profile: nbprof.Profile) -> None:
    shown = {"run": RUN, "baseline": BASELINE, "timeline_align": {"step": 3}}
    widget, view = bare.show(samples_profile, view="timeline", width=1200, **shown)
    timeline = Timeline(widget).ready()
    bar = widget.root.locator(".nbp-tl-alignbar")
    # A kernel of the baseline: the first stream below the second name of a device.
    second = widget.root.locator(".nbp-tl-group", has_text="Baseline · GPU").first
    box, canvas = second.bounding_box(), timeline.canvas.bounding_box()
    assert box is not None
    assert canvas is not None
    for share in (0.3, 0.34, 0.4, 0.5, 0.6):
        widget.page.mouse.click(
            canvas["x"] + share * canvas["width"], box["y"] + box["height"] + 10
        )
        widget.page.wait_for_timeout(300)
        if view.selection:
            break
    widget.eventually(lambda: [one.get("baseline") for one in view.selection], [True])
    widget.settled()
    details = widget.root.locator(".nbp-tl-details")
    assert f"Baseline: {RUN} · worker1" in details.inner_text()
    bar.get_by_role("button", name="Align at selected slice").click()
    widget.eventually(lambda: bool(view.timeline_align.get("name")), expected=True)
    widget.settled()
    assert "of the candidate" in bar.inner_text()
    details.get_by_role("button", name="Counterpart:").click()
    widget.eventually(lambda: [one.get("baseline") for one in view.selection], [None])


def test_the_curve_of_the_baseline_is_dashed_and_both_peaks_are_told(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, view = bare.show(samples_profile, run=RUN, view="memory", baseline=BASELINE, width=1000)
    caption = widget.root.locator("h3", has_text="Memory over time").locator("small")
    widget.eventually(lambda: "baseline 1.49 GiB (" in caption.inner_text(), expected=True)
    widget.settled()
    bare.picture(widget, "memory-baseline")
    view.baseline = {}
    widget.open_view("Kernels").open_view("Memory")  # the page asks, and so hears of the trait
    widget.eventually(lambda: "baseline" in caption.inner_text(), expected=False)
