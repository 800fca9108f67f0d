"""The connection badge: busy, restarted and interrupted kernels, and two tabs."""

from __future__ import annotations

import os
import shutil
import signal
from typing import TYPE_CHECKING

import pytest

from tests.browser.driving.lab import Lab
from tests.browser.driving.widget import Widget
from tests.browser.lab.test_lab import SHOW, first_view, write
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

PAGE = "notebooks/page.ipynb"
COPY = "notebooks/copy.ipynb"
KERNEL = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"


@pytest.fixture
def second(browser: Browser, server: str) -> Iterator[Lab]:
    """JupyterLab in a second browser, as another tab or another computer has it."""
    page = Lab(browser, server, ROOT / "screenshots")
    yield page
    page.context.close()
    assert page.faults == []


def badge(widget: Widget) -> str:
    """Read the badge of the connection; empty where Python answers."""
    look = "root => root.querySelector('.nbp-badge:not([hidden])')?.textContent ?? ''"
    return str(widget.root.evaluate(look)).removesuffix(" ▾")


def sentence(widget: Widget) -> str:
    return widget.root.locator(".nbp-sentence").inner_text()


def stop_while_idle(pid: int, *tabs: Lab) -> None:
    """Stop a kernel between two messages: one that stops within a message stays busy."""
    idle = f"() => {KERNEL}.status === 'idle'"
    while True:
        for tab in tabs:
            tab.page.wait_for_function(idle)
        os.kill(pid, signal.SIGSTOP)
        for tab in tabs:
            tab.page.wait_for_timeout(200)  # for what the kernel had sent
        if all(tab.call(idle) for tab in tabs):
            return
        os.kill(pid, signal.SIGCONT)


def test_a_busy_kernel_is_busy_and_a_restarted_one_is_gone(lab: Lab, lab_root: Path) -> None:
    lab.open(write(lab_root, SHOW))
    # Kernels without subshells answer nothing while a cell runs.
    lab.call(f"() => {{ {KERNEL}.commsOverSubshells = 'disabled'; }}")
    lab.run_all()
    widget = Widget(lab.widgets().first).settled().open_view("Operators")
    assert badge(widget) == ""
    top = widget.grid("Operators").bounding_box()
    code = "import time; time.sleep(9)"
    lab.call(f"([code]) => {{ {KERNEL}.requestExecute({{code}}); }}", code)
    widget.filter_name("conv")
    widget.eventually(lambda: badge(widget), "Kernel is busy")
    assert "answers when that is done" in sentence(widget)
    assert widget.grid("Operators").bounding_box() == top  # nothing has moved
    lab.screenshot("connection-busy", widget.root)
    widget.eventually(lambda: badge(widget), "")
    widget.settled()
    assert all("conv" in name.lower() for name in widget.column("Operators", "name"))

    lab.call("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    widget.eventually(lambda: badge(widget), "Disconnected")
    assert "The kernel was restarted" in sentence(widget)
    widget.root.get_by_role("button", name="Try again").click()
    widget.root.get_by_role("button", name="Try once more").wait_for()
    assert "it does not have this view" in sentence(widget)
    lab.screenshot("connection-restarted", widget.root)
    lab.run_all()
    again = Widget(lab.widgets().first).settled()
    assert badge(again) == ""


def test_two_tabs_lose_no_reply_when_one_is_cut_off(lab: Lab, second: Lab, lab_root: Path) -> None:
    live = first_view(lab, lab_root).open_view("Operators")
    lab.save_with_widgets()
    second.open(PAGE)
    other = Widget(second.widgets().first).settled()
    assert badge(other) == badge(live) == ""
    pid = int(lab.python("import os; print(os.getpid())"))
    stop_while_idle(pid, lab, second)
    try:
        other.filter_name("conv")
        other.eventually(lambda: badge(other), "No answer yet")
        second.context.set_offline(True)
        second.call(f"() => {{ void {KERNEL}.reconnect().catch(() => {{}}); }}")
        other.eventually(lambda: badge(other), "Reconnecting")
    finally:
        os.kill(pid, signal.SIGCONT)
    # What Python answers now reaches only the first tab.
    live.eventually(lambda: badge(live), "")
    live.page.wait_for_timeout(1500)
    second.context.set_offline(False)
    other.eventually(lambda: badge(other), "")
    other.settled()
    names = other.column("Operators", "name")
    assert names == live.settled().column("Operators", "name")
    assert all("conv" in name.lower() for name in names)


def test_a_view_without_connection_finds_its_kernel(lab: Lab, second: Lab, lab_root: Path) -> None:
    first_view(lab, lab_root).open_view("Operators")
    lab.save_with_widgets()
    shutil.copy(lab_root / PAGE, lab_root / COPY)
    kernel = lab.call(f"() => {KERNEL}.id")
    # The copy gets a kernel of its own, which has no such view.
    second.open(COPY)
    other = Widget(second.widgets().first)
    other.eventually(lambda: badge(other), "Saved state: not connected")
    other.eventually(lambda: "run the cell to filter again" in sentence(other), expected=True)
    second.screenshot("connection-other-kernel", other.root)
    change = "([id]) => window.jupyterapp.shell.currentWidget.sessionContext.changeKernel({id})"
    second.call(f"{change}.then(() => null)", kernel)
    other.eventually(lambda: badge(other), "")
    other.settled().filter_name("conv")
    other.eventually(
        lambda: all("conv" in name.lower() for name in other.column("Operators", "name")),
        expected=True,
    )
