"""Profiles of Paddle on a bare page: every view, its figures, filters, choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.driving import looks
from tests.browser.driving.timeline import Timeline
from tests.browser.driving.widget import assert_times
from tests.browser.pages.test_npu import cells, find, heads, only_step, ranked
from tests.browser.pages.test_security import walk
from tests.conftest import ROOT
from tests.support.recordings.hostile_vendors import hostile_paddle
from tests.support.recordings.paddle.json import to_json
from tests.support.recordings.paddle.runs import generate

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

    from tests.browser.driving.bare import Bare
    from tests.browser.driving.widget import Widget

pytestmark = pytest.mark.browser

SAMPLE = ROOT / "samples" / "paddle_cpu_convnet"
STEP = 3
FILE = "run/worker0_time_2026_01_01_00_00_00_000001.paddle_trace.json"


@pytest.fixture
def gpu(tmp_path: Path) -> Path:
    """A recording with kernels, made up."""
    path = tmp_path / FILE
    path.parent.mkdir()
    path.write_text(to_json(generate(7)), "utf-8")
    return tmp_path


def card(widget: Widget, title: str) -> Locator:
    """Find a part of a view by its title."""
    head = widget.root.page.get_by_role("heading", name=title)
    return widget.root.locator("section:visible").filter(has=head).last


def choose(widget: Widget, title: str, label: str) -> None:
    """Press a switch of a part."""
    card(widget, title).get_by_role("button", name=label, exact=True).click()
    widget.settled()


@pytest.mark.parametrize("worker", ["worker0", "worker1"], ids=["json", "protobuf"])
def test_the_overview_has_its_seven_parts(bare: Bare, worker: str) -> None:
    widget, view = bare.show(SAMPLE, worker=worker)
    widget.drawn(4)
    parts = {"Stages", "Types of events", "User events", "Device and run"}
    assert parts <= set(heads(widget))
    busy = view.trace.device_summary().to_pylist()[0]
    assert f"CPU, this process\n{busy['process_cpu_pct']:.1f} %" in widget.text()
    assert f"CPU, all processes\n{busy['system_cpu_pct']:.1f} %" in widget.text()
    stages = view.trace.stage_summary().to_pydict()
    rows = cells(widget, "Stages")
    assert [row[0] for row in rows] == stages["stage"]
    assert [row[1] for row in rows] == [str(calls) for calls in stages["host_calls"]]
    assert [row[-1] for row in rows] == [f"{share:.1f}" for share in stages["host_pct"]]
    (loss,) = cells(widget, "User events")
    assert loss[:2] == ["loss", "3"]
    bare.picture(widget, f"paddle-overview-{worker}")


def test_events_are_shown_in_several_ways(bare: Bare) -> None:
    widget, view = bare.show(SAMPLE)
    title = "Types of events"
    card(widget, title).get_by_role("button", name="View as table").click()
    table = view.trace.events().to_pylist()
    inner = [row for row in table if row["event_type"] == "OperatorInner"]
    choose(widget, title, "Calls")
    widget.eventually(
        lambda: (
            str(sum(row["calls"] for row in inner)) in card(widget, title).inner_text()
            or str(inner[0]["calls"]) in card(widget, title).inner_text()
        ),
        expected=True,
    )
    choose(widget, title, "By stage")
    card(widget, title).get_by_role("button", name="View as chart").click()
    widget.drawn(4)
    assert widget.misfits() == []


def test_a_step_narrows_every_view(bare: Bare) -> None:
    widget, view = bare.show(SAMPLE)
    only_step(widget, view, STEP)
    narrowed = view.trace
    stages = narrowed.stage_summary().to_pydict()
    assert stages["host_calls"][0] == 1
    assert [row[-1] for row in cells(widget, "Stages")] == [f"{x:.1f}" for x in stages["host_pct"]]
    assert cells(widget, "User events")[0][1] == "1"
    widget.open_view("Operators")
    shown = ranked(narrowed.operators(), "host_self_us")
    assert widget.column("Operators", "name")[:6] == shown["name"][:6]
    assert_times(widget.times_us("Operators", "host_self_us"), shown["host_self_us"])
    assert_times(widget.times_us("Operators", "host_max_us"), shown["host_max_us"])
    widget.open_view("Memory")
    assert f"{narrowed.memory_events().num_rows} blocks" in widget.text()
    widget.filter_name("conv2d")
    widget.eventually(lambda: "conv2d" in dict(view.filter).get("name", ""), expected=True)
    widget.settled().open_view("Operators")
    assert all("conv2d" in name.lower() for name in widget.column("Operators", "name"))


def test_operators_open_into_their_parts(bare: Bare) -> None:
    widget, view = bare.show(SAMPLE, view="operators")
    widget.drawn(3)
    assert "Phases of operators" in heads(widget)
    name = ranked(view.trace.operators(), "host_self_us")["name"][0]
    parts = [row for row in view.trace.operator_parts().to_pylist() if row["operator"] == name]
    grid = widget.grid("Operators")
    row = grid.locator("tr[data-line]", has_text=name).first
    row.locator("button").first.click()
    inside = grid.locator(".nbp-sub")
    inside.filter(has_text=parts[0]["name"]).first.wait_for()
    assert parts[0]["name"] in inside.first.inner_text()
    card(widget, "Phases of operators").get_by_role("button", name="View as table").click()
    assert name in card(widget, "Phases of operators").inner_text()
    find(widget, "pool2d")
    widget.eventually(
        lambda: {"pool2d" in name.lower() for name in widget.column("Operators", "name")}, {True}
    )


def test_kernels_of_a_gpu(bare: Bare, gpu: Path) -> None:
    widget, view = bare.show(gpu, view="kernels")
    assert min(looks.chart_colors(widget.root)) >= 3  # one slice, its label, and the page
    table = ranked(view.trace.kernels(), "total_us")
    assert widget.column("Kernels", "name")[:5] == table["name"][:5]
    assert_times(widget.times_us("Kernels", "total_us"), table["total_us"])
    # Nothing tells whether this device has matrix units.
    assert "matrix_unit_used" not in widget.rows("Kernels")[0]
    widget.group_by("Name + launch")
    widget.eventually(lambda: "grid" in (widget.rows("Kernels") or [{}])[0], expected=True)
    widget.open_view("Overview")
    choose(widget, "Stages", "Each, device")
    widget.settled()
    assert "device_total_us" in str(view.trace.stage_summary().column_names)
    widget.open_view("Operators")
    choose(widget, "Phases of operators", "Device")
    assert "device_mean_us" in widget.rows("Operators")[0]


def test_the_timeline_has_lanes_of_both_languages(bare: Bare) -> None:
    widget, view = bare.show(SAMPLE, view="timeline")
    timeline = Timeline(widget).ready()
    widget.root.get_by_role("button", name="Lanes ▾").click()
    listed = widget.root.locator(".nbp-tl-lanerow").all_inner_texts()
    assert any("Python" in text for text in listed)
    assert any("C++" in text for text in listed)
    widget.page.keyboard.press("Escape")
    timeline.search("pool2d_grad kernel launch")
    widget.root.get_by_role("button", name="Next").click()
    widget.eventually(lambda: "pool2d_grad" in timeline.details(), expected=True)
    widget.settled()
    assert view.selected.num_rows == 1
    bare.picture(widget, "paddle-timeline")


def test_memory_has_addresses_and_who_releases(bare: Bare) -> None:
    widget, view = bare.show(SAMPLE, view="memory")
    widget.drawn(1)
    rows = widget.rows("Allocations")
    events = view.trace.memory_events().to_pylist()
    assert rows[0]["memory_type"] == "allocated"
    assert rows[0]["address"] in {event["address"] for event in events}
    assert f"{len(events)} blocks" in widget.text()


def test_workers_that_do_not_talk_are_told_so(bare: Bare) -> None:
    widget, _ = bare.show(SAMPLE, view="distributed")
    widget.root.get_by_text("No communication found").wait_for()
    assert "paddle.profiler" in widget.text()


def test_names_are_texts(bare: Bare, tmp_path: Path) -> None:
    widget, _ = bare.show(hostile_paddle(tmp_path))
    walk(widget)
    assert any("<img src=x" in name for name in widget.column("Operators", "name"))
