"""Notes on the timeline: written with a key, found again after a change, and carried by pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.driving.timeline import Timeline
from tests.browser.driving.widget import Widget

if TYPE_CHECKING:
    from pathlib import Path

    import nbprof
    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser

SAMPLE = "gpu_resnet_synthetic"
TEXT = "slow <b>here</b>"


def test_a_note_is_written_found_again_and_carried_by_a_page(
    bare: Bare, samples_profile: nbprof.Profile, tmp_path: Path
) -> None:
    model = samples_profile.trace(run=SAMPLE).model
    launch = int(model.links.launch[model.links.launch >= 0][0])
    chosen = [{"side": "host", "row": launch}]
    widget, view = bare.show(samples_profile, run=SAMPLE, view="timeline", selection=chosen)
    timeline = Timeline(widget).ready()
    details = widget.root.locator(".nbp-tl-details")
    details.locator("dl").first.wait_for()
    timeline.canvas.focus()
    timeline.page.keyboard.press("t")
    field = details.get_by_role("textbox", name="Note")
    field.wait_for()
    timeline.page.keyboard.type(TEXT)
    timeline.page.keyboard.press("Enter")
    widget.eventually(lambda: [one["text"] for one in view.notes], expected=[TEXT])
    (note,) = view.notes
    assert (note["side"], note["row"], note["worker"]) == ("host", launch, "worker0")
    assert note["end_ns"] > note["start_ns"]
    lines = details.locator(".nbp-tl-notelist li")
    assert TEXT in lines.first.inner_text()
    # the keys are those of the timeline again
    before = view.window
    timeline.page.keyboard.press("0")
    widget.eventually(lambda: view.window is None or view.window != before, expected=True)

    widget.filter_name("conv").settled()
    assert lines.count() == 1
    worker = widget.root.get_by_role("combobox", name="Worker")
    worker.select_option("worker1")
    widget.settled()
    widget.eventually(lines.count, expected=0)
    worker.select_option("worker0")
    widget.settled()
    widget.eventually(lines.count, expected=1)

    path = view.to_html(tmp_path / "notes.html")
    page = timeline.page.context.new_page()
    page.goto(path.as_uri())
    shown = Widget(page.locator(".nbp").first).settled()
    details = shown.root.locator(".nbp-tl-details")
    details.get_by_role("tab", name="Notes (1)").click()
    line = details.locator(".nbp-tl-notelist li")
    assert TEXT in line.inner_text()
    line.get_by_role("button", name="Edit").click()
    details.get_by_role("textbox", name="Note").fill("read on the page")
    details.get_by_role("button", name="Save").click()
    shown.eventually(lambda: "read on the page" in line.inner_text(), expected=True)
    line.get_by_role("button", name="Delete").click()
    shown.eventually(line.count, expected=0)
    assert bare.faults == []
