"""A baseline below the trace on screen: aligned, with its own rows, slices and selection."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from traitlets import TraitError

import nbprof
from nbprof.timeline.slices import Slices
from nbprof.widgets.saved.timeline import timeline_parts
from nbprof.widgets.session.align import Align
from nbprof.widgets.views.timeline.choice import Choice
from tests.widgets.conftest import write_trace
from tests.widgets.timeline.test_workers import rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page

NAMED = {"run": "before", "worker": "worker0", "span": 1}


@pytest.fixture
def page(tmp_path: Path, open_page: Any) -> Page:
    """Two runs: the candidate has the steps 3 to 5, the baseline 4 to 6."""
    logs = tmp_path / "logs"
    write_trace(logs / "after" / "worker0.1700000000001.pt.trace.json", steps=(3, 4, 5))
    write_trace(logs / "before" / "worker0.1700000000001.pt.trace.json", steps=(4, 5, 6))
    return open_page(logs, nbprof.TimelineView, run="after")


def ask(page: Page, op: str, **params: Any) -> tuple[Any, Any]:
    state = {**page.state(), "baseline": NAMED, **params.pop("state", {})}
    reply, buffers = page.ask(op, state=state, group_by="thread", **params)
    assert reply["ok"], reply
    return reply["result"], buffers


def slice_of(layout: Any, side: int, name: str, nth: int, view: Any) -> int:
    """Return the screen's number of the n-th slice with a name on a side."""
    model = view.profile.trace(run=("after", "before")[side]).model
    slices = Slices.of(model)
    ids = [i for i in range(len(slices)) if slices.names[slices.name[i]] == name]
    return int(layout["workers"][side]["first_slice"] + sorted(ids, key=slices.start.item)[nth - 1])


def test_the_groups_of_both_sides_stand_below_each_other_and_name_their_side(page: Page) -> None:
    layout, _ = ask(page, "timeline")
    labels = [group["label"].split()[0] for group in layout["groups"]]
    assert labels == ["Candidate", "Baseline"] * (len(labels) // 2)
    assert len(labels) == 6, "device, process, and curves of the device"
    assert "after · worker0" in layout["groups"][0]["detail"]
    assert "before · worker0" in layout["groups"][1]["detail"]
    assert layout["compared"] == {
        "baseline": NAMED,
        "align": {},
        "at_ns": 1_000_000,
        "end_ns": 1_900_000,
        "nth": 1,
        "count": 2,
        "place": "step 4",
        "words": "step 4 begins with step 4 of the candidate",
        "steps": [[4, 4], [5, 5]],
    }
    first, second = layout["workers"]
    assert second["baseline"] == NAMED
    assert "baseline" not in first
    assert second["shift_ns"] == 1_000_000
    assert [step["start_ns"] for step in second["steps"]] == [1_000_000, 2_000_000, 3_000_000]
    # The file of the baseline begins one step later, so the screen ends one step later as well.
    assert layout["end_ns"] == 3_900_000
    bands = {band["label"] for band in layout["minimap"]["bands"]}
    assert any(label.startswith("Baseline ") for label in bands)


def test_each_side_has_the_slices_that_it_has_alone(page: Page) -> None:
    layout, _ = ask(page, "timeline")
    second = layout["workers"][1]
    alone, _ = page.ask("timeline", state={**page.state(), "run": "before"}, group_by="thread")
    rows = max(lane["first_row"] + lane["depths"] for lane in alone["result"]["lanes"])
    low, shift, base = second["first_row"], second["shift_ns"], second["first_slice"]
    both = {"group_by": "thread", "state": {"baseline": NAMED}}
    extent = 0, 4_000_000
    together = rows_of(page, both, [[low, low + rows]], [time + shift for time in extent])
    own = rows_of(page, {"group_by": "thread", "state": {"run": "before"}}, [[0, rows]], extent)
    assert own
    assert together == [
        (row + low, [t + shift for t in start], width, [s + base for s in ids], names)
        for row, start, width, ids, names in own
    ]


def test_both_are_aligned_at_a_step_or_an_occurrence(page: Page) -> None:
    for align, at_ns, shift_ns in (
        ({"step": 5}, 2_000_000, 1_000_000),
        ({"name": "aten::add"}, 500_000, 0),
        ({"name": "aten::add", "nth": 3}, 2_500_000, 0),
        ({"name": "aten::add", "step": 5}, 2_500_000, 1_000_000),
        ({"name": "add_kernel", "nth": 2}, 1_530_000, 0),
    ):
        layout, _ = ask(page, "timeline", align=align)
        assert layout["compared"]["at_ns"] == at_ns, align
        assert layout["workers"][1]["shift_ns"] == shift_ns, align
        assert layout["compared"]["align"] == Align.parse(align).plain()
    layout, _ = ask(page, "timeline", align={"name": "aten::mm"})
    assert "there is no aten::mm in the candidate" in layout["compared"]["words"]
    reply, _ = page.ask("timeline", state=page.state(), group_by="thread", align={"stpe": 1})
    assert not reply["ok"]


def test_details_name_the_side_the_counterpart_and_the_place(page: Page) -> None:
    layout, _ = ask(page, "timeline")
    second = layout["workers"][1]
    own = slice_of(layout, 0, "aten::add", 2, page.view)
    other = slice_of(layout, 1, "aten::add", 1, page.view)
    found, _ = ask(page, "slice", slice=own)
    assert found["follow"][0]["kind"] == "counterpart"
    assert found["follow"][0]["target"]["slice"] == other
    assert found["follow"][0]["target"]["start_ns"] == 500_000 + second["shift_ns"]
    facts = dict(found["facts"])
    assert facts["In the baseline"] == "104 µs (the same)"
    assert found["align"] == {"step": 4, "name": "aten::add", "nth": 1}
    back, _ = ask(page, "slice", slice=other)
    assert back["follow"][0]["target"]["slice"] == own
    assert dict(back["facts"])["Side"] == "Baseline: before · worker0"
    assert back["align"] == found["align"], "in steps of the candidate"
    alone, _ = ask(page, "slice", slice=slice_of(layout, 0, "aten::add", 1, page.view))
    assert dict(alone["facts"])["In the baseline"] == "no counterpart", "step 3 is on one side only"


def test_details_of_a_slice_that_changed_say_by_how_much(tmp_path: Path, open_page: Any) -> None:
    logs = tmp_path / "logs"
    write_trace(logs / "after" / "worker0.1700000000001.pt.trace.json", steps=(40, 41))
    write_trace(logs / "before" / "worker0.1700000000001.pt.trace.json", steps=(10, 11))
    page = open_page(logs, nbprof.TimelineView, run="after")
    layout, _ = ask(page, "timeline")
    assert layout["compared"]["steps"] == [[40, 10], [41, 11]], "in order, as no number is shared"
    found, _ = ask(page, "slice", slice=slice_of(layout, 0, "aten::add", 1, page.view))
    assert dict(found["facts"])["In the baseline"] == "110 µs (candidate +30 µs, +27.3 %)"
    other = slice_of(layout, 1, "aten::add", 1, page.view)
    back, _ = ask(page, "slice", slice=other)
    assert dict(back["facts"])["In the candidate"] == "140 µs (candidate +30 µs, +27.3 %)"


def test_a_kernel_of_another_gpu_is_found_through_its_operator(
    tmp_path: Path, open_page: Any
) -> None:
    logs = tmp_path / "logs"
    write_trace(logs / "after" / "worker0.1700000000001.pt.trace.json", steps=(4, 5))
    file = write_trace(logs / "before" / "worker0.1700000000001.pt.trace.json", steps=(4, 5))
    file.write_text(file.read_text().replace("add_kernel", "amd::add"))
    page = open_page(logs, nbprof.TimelineView, run="after")
    layout, _ = ask(page, "timeline")
    kernel = slice_of(layout, 0, "add_kernel", 2, page.view)
    found, _ = ask(page, "slice", slice=kernel)
    assert found["follow"][0]["label"] == "amd::add"
    other = slice_of(layout, 1, "amd::add", 2, page.view)
    assert found["follow"][0]["target"]["slice"] == other
    assert found["align"] == {"step": 5, "name": "aten::add", "nth": 1}
    back, _ = ask(page, "slice", slice=other)
    assert back["follow"][0]["target"]["slice"] == kernel


def test_a_selection_names_the_baseline(page: Page) -> None:
    view = page.view
    view.baseline = "before"
    model = view.profile.trace(run="before").model
    view.selection = [{"side": "host", "row": 2, "baseline": True}]
    assert view.selected["name"][0].as_py() == model.tables["host"]["name"][2].as_py()
    lane = ask(page, "timeline")[0]["lanes"][0]["key"]
    area = {"lane": lane, "start_us": 0.0, "end_us": 900.0}
    view.selection = [area, {**area, "start_us": -1000.0, "end_us": -100.0, "baseline": True}]
    assert view.selected.num_rows > 0
    for wrong in ({"side": "host", "row": 2, "baseline": 1}, {**area, "baseline": False}):
        with pytest.raises(TraitError):
            view.selection = [wrong]
    view.selection = [{"side": "host", "row": 2, "baseline": True}]
    view.baseline = {}
    with pytest.raises(nbprof.NbprofError, match="there is no baseline"):
        _ = view.selected


def test_a_baseline_that_cannot_be_read_is_named_and_the_rest_shown(page: Page) -> None:
    gone = {"run": "nowhere", "worker": "worker0", "span": 1}
    layout, _ = ask(page, "timeline", state={"baseline": gone})
    assert "compared" not in layout
    assert "nowhere" in layout["failed"]["baseline"]
    assert layout["lanes"]


def test_saved_state_keeps_both_sides_and_their_alignment(page: Page) -> None:
    view = page.view
    view.baseline = "before"
    session, state = view._session, view._state()
    parts = timeline_parts(session, state, Choice("thread", align=Align(step=5)))
    about = json.loads(parts[0])
    assert about["layout"]["compared"]["align"] == {"step": 5}
    assert about["layout"]["compared"]["at_ns"] == 2_000_000
    assert len(about["layout"]["workers"]) == 2
    view.baseline = {}
    alone = json.loads(timeline_parts(session, view._state(), Choice("thread"))[0])
    assert "compared" not in alone["layout"]
