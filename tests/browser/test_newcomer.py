"""Ten questions of somebody who sees a profile for the first time: where the answer stands.

Each is asked from the first picture on, and has its answer after the actions that the test does and
no others. Their number and the time are printed.
"""

from __future__ import annotations

import re
import sys
import time
from typing import TYPE_CHECKING

import pytest

import nbprof
from tests.browser.driving.timeline import Timeline
from tests.browser.driving.widget import Widget

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser


class Newcomer:
    """Somebody who acts on a view, and counts."""

    def __init__(self) -> None:
        self.actions = 0
        self.began = time.perf_counter()

    def act(self, action: Callable[[], object]) -> None:
        """Do one thing: a click, a drag, a key, or a word with Enter."""
        self.actions += 1
        action()

    def has_answer(self, question: str) -> None:
        """Say how much it took until the answer stood there."""
        spent = time.perf_counter() - self.began
        sys.stdout.write(f"{question}: {self.actions} actions, {spent:.1f} s\n")


def test_which_step_is_the_slowest(bare: Bare, shared_data: Path) -> None:
    person = Newcomer()
    widget, view = bare.show(shared_data / "h200/gpt_train")
    steps = [row for row in view.trace.steps().to_pylist() if row["complete"]]
    slowest = max(steps, key=lambda row: row["total_us"])["step"]
    assert f"(step {slowest})" in widget.text()
    person.has_answer("slowest step")


def test_why_the_device_was_idle(bare: Bare, shared_data: Path) -> None:
    person = Newcomer()
    widget, view = bare.show(shared_data / "h200/decode")
    cause = view.trace.idle_time().to_pylist()[0]["host_operator"]
    assert cause in widget.text()
    person.has_answer("cause of idle time")


def test_which_kernel_takes_longest_and_which_line_calls_it(bare: Bare, shared_data: Path) -> None:
    person = Newcomer()
    widget, view = bare.show(shared_data / "h200/gpt_train")
    table = view.trace.kernels(group_by="name+stack").sort_by([("total_us", "descending")])
    person.act(lambda: widget.open_view("Kernels"))
    person.act(lambda: widget.group_by("Name + stack"))
    row = widget.rows("Kernels")[0]
    assert row["name"] == table["name"][0].as_py()
    line = row["call_stack"].partition(":")[0]
    assert re.fullmatch(r"\S+\.py\(\d+\)", line)
    assert line in table["call_stack"][0].as_py()
    person.has_answer("top kernel and its line")


def test_which_operators_ran_in_a_range(bare: Bare, shared_data: Path) -> None:
    person = Newcomer()
    widget, view = bare.show(shared_data / "h200/gpt_train")
    person.act(lambda: widget.open_view("Timeline"))
    timeline = Timeline(widget).ready()
    person.act(lambda: timeline.drag((0.3, 0.5), (0.6, 0.5), held="Shift"))
    person.act(lambda: widget.page.keyboard.press("Enter"))
    widget.eventually(lambda: "time_us" in view.filter, expected=True)
    person.act(lambda: widget.open_view("Operators"))
    table = view.trace.operators().sort_by([("device_self_us", "descending")])
    assert widget.column("Operators", "name")[:5] == table["name"].to_pylist()[:5]
    person.has_answer("range to operators")


def test_which_line_holds_the_memory_at_the_peak(bare: Bare, shared_data: Path) -> None:
    person = Newcomer()
    widget, _ = bare.show(shared_data / "h200/gpt_train")
    person.act(lambda: widget.open_view("Memory"))
    grid = widget.grid("Held at the peak")
    first = grid.locator("tbody tr[data-line]", has_text="aten::").first
    person.act(first.click)
    person.act(lambda: widget.page.keyboard.press("ArrowRight"))
    widget.eventually(lambda: bool(re.search(r"\.py:?\(?\d+", grid.inner_text())), expected=True)
    person.has_answer("memory peak to line")


def test_prefill_against_decode(bare: Bare, shared_data: Path) -> None:
    person = Newcomer()
    widget, view = bare.show(shared_data / "h200/decode")
    rows = widget.root.locator("tr").all_inner_texts()
    stages = {row["stage"]: row for row in view.trace.stage_summary().to_pylist()}
    for name in ("Prefill", "Decode"):
        (shown,) = [row.split() for row in rows if row.split()[:1] == [name]]
        assert shown[1] == str(stages[name]["host_calls"])
        assert f"{stages[name]['host_mean_us'] / 1000:.1f}" in shown
    person.has_answer("prefill against decode")


def test_two_ranks_stand_beside_each_other(bare: Bare, shared_data: Path) -> None:
    person = Newcomer()
    widget, _ = bare.show(shared_data / "h200/gloo")
    person.act(lambda: widget.open_view("Distributed"))
    shown = set(widget.column("Communication operators", "worker"))
    assert shown == {"rank0", "rank1"}
    person.has_answer("two ranks")


def test_what_changed(bare: Bare, shared_data: Path) -> None:
    person = Newcomer()
    before, after = (nbprof.load(shared_data / f"h200/resnet_{one}") for one in ("before", "after"))
    widget, _ = bare.show(after, view="diff", baseline=before)
    assert nbprof.diff(before, after).reason() in widget.text()
    person.has_answer("before against after")


def test_what_a_page_shows_without_python(bare: Bare, shared_data: Path, tmp_path: Path) -> None:
    view = nbprof.show(shared_data / "h200/gpt_train", view="kernels")
    view.to_html(tmp_path / "page.html")
    person = Newcomer()
    page = bare.browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    widget = Widget(page.locator(".nbp").first).settled()
    names = view.trace.filter(name="nvjet").kernels().num_rows
    every = view.trace.kernels().num_rows
    person.act(lambda: widget.filter_name("nvjet"))
    widget.eventually(lambda: f"{names} of {every} kernels" in widget.text(), expected=True)
    person.has_answer("opened without a kernel, and filtered")
    page.close()


def test_export(bare: Bare, shared_data: Path) -> None:
    person = Newcomer()
    widget, view = bare.show(shared_data / "h200/gpt_train", view="kernels")
    person.act(widget.root.get_by_role("button", name="Export ▾").locator("visible=true").click)
    button = widget.root.locator(".nbp-export").get_by_role(
        "button", name="Kernels: CSV", exact=True
    )
    with widget.page.expect_download() as coming:
        person.act(button.click)
    lines = coming.value.path().read_text("utf-8").splitlines()
    assert len(lines) == 1 + view.trace.kernels().num_rows
    person.has_answer("export")
