"""Names of tens of thousands of letters: every view opens, and every row comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser

#: Of so long names, fifteen rows fit into a message.
LONG = "very_long_template_name<float, 128>::" * 1600
NAMES = 40


@pytest.mark.parametrize(("width", "theme"), [(1200, "light"), (700, "dark")])
def test_views_of_very_long_names(bare: Bare, tmp_path: Path, width: int, theme: str) -> None:
    events = []
    for at in range(NAMES):
        launch = {"correlation": at + 1}
        events.append(op(f"aten::{LONG}{at}", 20 * at, 15))
        events.append(op("cudaLaunchKernel", 20 * at + 1, 2, cat="cuda_runtime", args=launch))
        events.append(kernel(f"void {LONG}{at}", 20 * at + 5, 3 + 0.1 * at, **launch))
        events.append(op("aten::b", 20 * at, 2, tid=2 + at))
        named = {"name": f"{at} {LONG}"}
        events.append({"ph": "M", "name": "thread_name", "pid": 1, "tid": 2 + at, "args": named})
    write(tmp_path / "a.pt.trace.json", events)
    widget, view = bare.show(tmp_path, width=width, theme=theme)
    for name in ("Overview", "Operators", "Kernels", "Timeline"):
        widget.open_view(name)
        assert widget.misfits() == [], name
        bare.picture(widget, f"long-{name.lower()}-{width}")
    widget.open_view("Kernels")
    rows = widget.grid("Kernels")
    rows.get_by_role("row").nth(3).click()
    widget.page.keyboard.press("End")
    widget.settled()
    last = view.trace.kernels()["total_us"].to_pylist()[-1]
    widget.eventually(lambda: [float(n) for n in widget.column("Kernels", "total_us")][-1], last)
    assert view.errors == []
