"""A profile of Ascend NPUs on a bare page: every view, its figures, filters, searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.driving.timeline import Timeline
from tests.browser.driving.widget import Widget, assert_times
from tests.browser.pages.test_security import walk
from tests.conftest import ROOT
from tests.support.recordings.hostile_vendors import hostile_npu

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    import nbprof
    from nbprof import Explorer
    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser

SAMPLE = ROOT / "samples" / "npu_convnet_synthetic"
STEP = 13


def heads(widget: Widget) -> list[str]:
    """Read the titles of what is in sight."""
    return [text.split("\n")[0] for text in widget.root.locator("h3:visible").all_inner_texts()]


def cells(widget: Widget, title: str) -> list[list[str]]:
    """Read a small table of the overview, row by row, without its header."""
    table = widget.root.get_by_role("table", name=title, exact=True)
    rows: list[list[str]] = table.evaluate(
        "table => [...table.tBodies[0].rows].map(row => [...row.cells].map(c => c.innerText))"
    )
    return [[text.strip() for text in row] for row in rows]


def ranked(table: pa.Table, column: str) -> dict[str, list[Any]]:
    """Return a table as its view shows it first: most first."""
    found: dict[str, list[Any]] = table.sort_by([(column, "descending")]).to_pydict()
    return found


def find(widget: Widget, text: str) -> None:
    """Search the table in sight."""
    widget.root.get_by_role("textbox", name="Find").locator("visible=true").first.fill(text)
    widget.settled()


def only_step(widget: Widget, view: Explorer, step: int) -> None:
    """Type a step into the filter, its first and then its last."""
    whole = view.trace.steps()["step"].to_pylist()
    for end, range_ in (("first", [step, max(whole)]), ("last", [step, step])):
        field = widget.root.get_by_role("textbox", name=f"Steps, {end}")
        field.fill(str(step))
        field.press("Enter")
        widget.eventually(lambda: dict(view.filter).get("steps"), range_)
        widget.settled()


def test_the_overview_says_what_npus_do(bare: Bare) -> None:
    widget, view = bare.show(SAMPLE)
    widget.drawn(6)
    assert {"NPU steps", "Stages", "Recommendations"} <= set(heads(widget))
    assert "NPU utilization\n43.1" in widget.text()
    assert "AI Cores\n100.0" in widget.text()
    assert "Ascend NPU" in widget.text()
    # Lanes of communication are no streams to choose from.
    streams = widget.root.get_by_role("combobox", name="Stream").locator("option")
    assert streams.all_inner_texts() == ["all 1", "2"]
    rows = cells(widget, "NPU steps")
    wanted = view.trace.npu_steps().to_pydict()
    assert [row[0] for row in rows] == [str(step) for step in wanted["step"]] == ["12", "13", "14"]
    assert [row[1] for row in rows] == [f"{value:,.0f}" for value in wanted["computing_us"]]
    assert [row[5] for row in rows] == [f"{value:,.0f}" for value in wanted["free_us"]]
    assert len(cells(widget, "Stages")) == 6
    assert "the NPU is idle 46.6 % of its time, " in widget.text()
    bare.picture(widget, "npu-overview")


def test_a_step_narrows_every_view(bare: Bare) -> None:
    widget, view = bare.show(SAMPLE)
    whole = view.trace.kernels()
    table = widget.root.get_by_role("table", name="NPU steps")
    table.get_by_text(str(STEP), exact=True).click()
    widget.eventually(lambda: view.selection, [{"step": STEP}])
    widget.page.keyboard.press("Enter")
    widget.eventually(lambda: dict(view.filter), {"steps": [STEP, STEP]})
    widget.settled()
    assert [row[0] for row in cells(widget, "NPU steps")] == [str(STEP)]
    assert cells(widget, "Stages")[0][1] == "1"
    narrowed = view.trace
    assert sum(narrowed.kernels()["calls"].to_pylist()) < sum(whole["calls"].to_pylist())
    widget.open_view("Kernels")
    shown = ranked(narrowed.kernels(), "total_us")
    assert widget.column("Kernels", "name")[:8] == shown["name"][:8]
    assert_times(widget.times_us("Kernels", "total_us"), shown["total_us"])
    widget.open_view("Operators")
    shown = ranked(narrowed.operators(), "device_self_us")
    assert_times(widget.times_us("Operators", "device_self_us"), shown["device_self_us"])
    widget.open_view("Memory")
    blocks = narrowed.memory_events().num_rows
    assert f"{blocks} blocks" in widget.text()
    widget.open_view("Distributed")
    assert set(widget.column("Communication operators", "calls")) == {"2"}
    widget.root.get_by_role("button", name="Reset").click()
    widget.eventually(lambda: dict(view.filter), {})
    widget.settled()
    assert set(widget.column("Communication operators", "calls")) == {"6"}


def test_operators_tell_ai_cores(bare: Bare) -> None:
    widget, view = bare.show(SAMPLE, view="operators")
    widget.drawn(4)
    table = ranked(view.trace.operators(), "device_self_us")
    rows = widget.rows("Operators")
    assert [row["name"] for row in rows[:8]] == table["name"][:8]
    shown = [row["ai_core_eligible"] for row in rows[:8]]
    assert shown == ["Yes" if is_so else "No" for is_so in table["ai_core_eligible"][:8]]
    assert {"Yes", "No"} <= set(shown)
    assert rows[0]["ai_core_self_pct"] == f"{table['ai_core_self_pct'][0]:.1f}"
    assert "tensor_core_eligible" not in rows[0]
    widget.group_by("Name + shape")
    widget.eventually(
        lambda: "input_shapes" in (widget.rows("Operators") or [{}])[0], expected=True
    )
    widget.settled()
    shapes = ranked(view.trace.operators(group_by="name+shape"), "device_self_us")
    assert widget.column("Operators", "input_shapes")[1] == shapes["input_shapes"][1]
    find(widget, "aten::copy_")
    widget.eventually(lambda: set(widget.column("Operators", "name")), {"aten::copy_"})
    widget.grid("Operators").get_by_role("button", name="Call stacks of").first.click()
    stacks = widget.grid("Operators").locator(".nbp-sub")
    stacks.filter(has_text="train_npu.py").first.wait_for()
    assert widget.misfits() == []


def test_every_launch_is_searched_by_name_and_step(bare: Bare) -> None:
    widget, view = bare.show(SAMPLE, view="kernels")
    widget.drawn(2)
    assert "accelerator_core" in widget.rows("Kernels")[0]
    widget.group_by("Launches")
    widget.eventually(lambda: "step" in (widget.rows("Kernels") or [{}])[0], expected=True)
    widget.settled()
    launches = view.trace.kernels(group_by="launch")
    assert f"{launches.num_rows} kernels" in widget.text()
    heads_ = widget.grid("Kernels").locator("thead th[data-key]")
    keys = [head.get_attribute("data-key") for head in heads_.all()]
    metrics = [name for name in launches.column_names if name.startswith(("cube_", "aic_"))]
    assert metrics
    assert set(metrics) <= set(keys)
    find(widget, "Conv2DBackpropFilter")
    names = [name for name in launches["name"].to_pylist() if "Conv2DBackpropFilter" in name]
    widget.eventually(lambda: f"of {len(names)}" in widget.text(), expected=True)
    only_step(widget, view, STEP)
    rows = widget.rows("Kernels")
    assert {row["step"] for row in rows} == {str(STEP)}
    assert len(rows) == len(names) / 3
    assert all("Conv2DBackpropFilter" in row["name"] for row in rows)
    bare.picture(widget, "npu-launches")


def test_memory_is_there_by_operator_and_by_component(bare: Bare) -> None:
    widget, view = bare.show(SAMPLE, view="memory")
    widget.drawn(1)
    events = view.trace.memory_events()
    assert f"{events.num_rows} blocks" in widget.text()
    widget.root.get_by_role("button", name="Component", exact=True).click()
    peak = view.trace.memory_components().to_pylist()[0]
    size = peak["peak_reserved_bytes"] / 2**20
    widget.eventually(lambda: f"{peak['component']} {size:,.1f} MiB" in widget.text(), True)  # noqa: FBT003
    parts = widget.settled().column("Peaks by component", "component")
    assert {"APP", "PTA", "HCCL"} <= set(parts)


def test_workers_stand_side_by_side(bare: Bare, samples_profile: nbprof.Profile) -> None:
    widget, _ = bare.show(SAMPLE, view="distributed")
    widget.drawn(2)
    run = SAMPLE.name
    wanted = samples_profile.distributed_ops(run=run).to_pydict()
    rows = widget.rows("Communication operators")
    assert [row["worker"] for row in rows] == wanted["worker"] == ["worker0", "worker1"]
    assert_times(
        widget.times_us("Communication operators", "data_transfer_us"), wanted["data_transfer_us"]
    )
    card = widget.root.locator("section", has_text="Parts of communication").last
    card.get_by_role("combobox", name="Step").select_option(label="Step 14")
    widget.settled()
    card.get_by_role("button", name="View as table").click()
    waits = samples_profile.distributed_wait(run=run).to_pylist()
    slow = next(row for row in waits if row["step"] == 14 and row["worker"] == "worker0")
    assert f"{slow['synchronizing_us']:,.0f}" in card.inner_text()
    assert widget.text().count("Ascend NPU") == 2


def test_the_timeline_has_the_lanes_of_the_recorder(bare: Bare) -> None:
    widget, view = bare.show(SAMPLE, view="timeline")
    timeline = Timeline(widget).ready()
    share, colors = timeline.pixels()
    assert share > 0.02
    assert colors > 8
    widget.root.get_by_role("button", name="Lanes ▾").click()
    boxes = widget.root.locator(".nbp-tl-lanegroup")
    names = boxes.all_inner_texts()
    assert names[:2] == ["Arrows", "Ascend Hardware"], "device work comes first"
    assert {"Python", "CANN", "HCCL", "Overlap Analysis"} <= set(names)
    before = timeline.canvas.evaluate("canvas => canvas.toDataURL()")
    widget.root.get_by_role("checkbox", name="Show Python", exact=True).uncheck()
    widget.eventually(
        lambda: timeline.canvas.evaluate("canvas => canvas.toDataURL()") != before, expected=True
    )
    widget.page.keyboard.press("Escape")
    # A kernel is found by its name, and leads to the operator that it is of.
    timeline.search("Conv2DBackpropInput")
    widget.root.get_by_role("button", name="Next").click()
    widget.eventually(lambda: "Conv2DBackpropInput" in timeline.details(), expected=True)
    widget.settled()
    assert "MIX_AIC" in timeline.details()
    widget.eventually(lambda: view.selected.num_rows, 1)
    bare.picture(widget, "npu-timeline")


def test_names_are_texts(bare: Bare, tmp_path: Path) -> None:
    widget, _ = bare.show(hostile_npu(tmp_path))
    walk(widget)
    assert any("<img src=x" in name for name in widget.column("Operators", "name"))
