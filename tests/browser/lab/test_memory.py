"""The memory view in JupyterLab: brush, filter, marks, tables, themes, widths."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.driving.widget import Widget
from tests.browser.lab.test_lab import write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.lab import Lab

pytestmark = pytest.mark.browser

SHOW = 'import nbprof\nview = nbprof.show("../runs", view="memory"{more})\nview'


def open_memory(lab: Lab, folder: Path, more: str = "") -> Widget:
    """Run a notebook that shows the memory view and give it with its curve drawn."""
    lab.open(write(folder, SHOW.format(more=more)))
    lab.run_all()
    return Widget(lab.widgets().first).drawn(1)


def python(lab: Lab, expression: str) -> Any:
    """Evaluate in the notebook's kernel, where `view` is the view."""
    return json.loads(lab.python(f"import json\nprint(json.dumps({expression}))"))


def drag(widget: Widget, first: float, last: float) -> None:
    """Drag over the curve, from one share of its width to another."""
    brush = widget.root.locator(".nbp-brush")
    brush.scroll_into_view_if_needed()
    box = brush.bounding_box()
    assert box is not None
    mouse, y = widget.page.mouse, box["y"] + box["height"] / 2
    mouse.move(box["x"] + first * box["width"], y)
    mouse.down()
    mouse.move(box["x"] + (first + last) / 2 * box["width"], y)
    mouse.move(box["x"] + last * box["width"], y)
    mouse.up()


def shown_blocks(widget: Widget) -> list[tuple[str, float]]:
    """Read names and sizes in MiB of the allocations in sight."""
    rows = widget.rows("Allocations")
    return [(row["operator"], float(row["size_bytes"].replace(",", ""))) for row in rows]


def test_a_brush_narrows_the_tables_and_then_everything(lab: Lab, lab_root: Path) -> None:
    widget = open_memory(lab, lab_root)
    whole = python(lab, "view.trace.memory_events().num_rows")
    drag(widget, 0.2, 0.35)
    widget.eventually(lambda: python(lab, "view.memory_range") is not None, expected=True)
    first, last = python(lab, "view.memory_range")
    assert 0 < first < last < python(lab, "view.trace.metadata['end_ns'] / 1000")
    assert python(lab, "view.filter") == {}
    widget.settled()
    lab.python("view.group_by = 'events'")
    times = python(lab, "view.table['allocation_us'].drop_null().to_pylist()")
    assert 0 < len(times) < whole
    assert all(first <= time < last for time in times)
    exact = python(
        lab, "view.table.sort_by([('size_bytes', 'descending')])['size_bytes'].to_pylist()"
    )
    widget.eventually(
        lambda: [size for _, size in shown_blocks(widget)][:5],
        [round(size / 2**20, 1) for size in exact[:5]],
    )
    lab.screenshot("memory-brushed", widget.root)

    widget.root.get_by_role("button", name="Filter everything to the range").click()
    widget.eventually(lambda: python(lab, "view.filter"), {"time_us": [first, last]})
    widget.eventually(lambda: python(lab, "view.memory_range"), None)
    widget.settled()
    points = python(lab, "view.trace.memory_curve()['time_us'].to_pylist()")
    assert points
    assert all(first <= time < last for time in points)
    lab.screenshot("memory-filtered", widget.root)
    widget.root.get_by_role("button", name="Reset").click()
    widget.eventually(lambda: python(lab, "view.filter"), {})


def test_python_brushes_and_a_click_clears(lab: Lab, lab_root: Path) -> None:
    widget = open_memory(lab, lab_root)
    tint = widget.root.locator(".nbp-brushed")
    assert not tint.is_visible()
    lab.python("view.memory_range = [50_000, 100_000]")
    tint.wait_for()
    field = widget.root.get_by_role("textbox", name="Range, ms, first")
    widget.eventually(field.input_value, "50")
    drag(widget, 0.5, 0.5)
    widget.eventually(lambda: python(lab, "view.memory_range"), None)
    tint.wait_for(state="hidden")
    # The same by the keyboard.
    field.fill("20")
    field.press("Enter")
    widget.eventually(lambda: python(lab, "(view.memory_range or [None])[0]"), 20_000)
    widget.root.get_by_role("button", name="Clear the range").press("Enter")
    widget.eventually(lambda: python(lab, "view.memory_range"), None)


def test_a_row_marks_its_allocation_and_release(lab: Lab, lab_root: Path) -> None:
    widget = open_memory(lab, lab_root)
    rows = widget.grid("Allocations").locator("tbody tr[data-line]")
    rows.nth(0).hover()
    mark = widget.root.locator(".nbp-lifetime")
    mark.wait_for()
    assert mark.locator("i").count() == 2
    words = mark.inner_text()
    row = widget.rows("Allocations")[0]
    assert words.startswith(f"{row['size_bytes']} MiB, ")
    box, plane = mark.bounding_box(), widget.root.locator(".nbp-brush").bounding_box()
    assert box is not None
    assert plane is not None
    assert plane["x"] < box["x"] < plane["x"] + plane["width"]
    lab.screenshot("memory-marked", widget.root)
    rows.nth(0).click()
    widget.eventually(lambda: python(lab, "view.group_by"), "events")
    assert python(lab, "view.selected['size_bytes'].to_pylist()") == [
        python(lab, "max(view.table['size_bytes'].to_pylist())")
    ]
    widget.page.mouse.move(0, 0)
    mark.wait_for()  # a selected one stays marked
    rows.nth(0).press("Escape")
    widget.eventually(lambda: python(lab, "view.selection"), [])
    rows.nth(0).evaluate("row => row.blur()")  # the row in focus is marked, too
    mark.wait_for(state="hidden")
    rows.nth(0).press("Enter")
    widget.eventually(lambda: python(lab, "view.active"), "timeline")
    low, high = python(lab, "view.window")
    assert low < high


def test_holders_add_up_to_the_peak_and_open_their_stacks(lab: Lab, lab_root: Path) -> None:
    widget = open_memory(lab, lab_root)
    peak = python(lab, "view.trace.filter(devices=0).memory_peak()['peak_bytes'].to_pylist()")[0]
    lab.python("view.group_by = 'holders'")
    assert python(lab, "sum(view.table['bytes'].to_pylist())") == peak
    table = python(lab, "view.table.select(['operator', 'module', 'bytes']).to_pylist()")
    shown = widget.rows("Held at the peak")
    for row, exact in zip(shown, table, strict=False):
        assert row["operator"] == (exact["operator"] or "before the trace")
        assert row["pct"] == f"{100 * exact['bytes'] / peak:.1f}"
    grid = widget.grid("Held at the peak")
    grid.locator("tbody tr[data-line]").first.press("ArrowRight")
    widget.eventually(lambda: "train_resnet.py" in grid.inner_text(), expected=True)
    lab.screenshot("memory-stacks", widget.root)


def test_sizes_and_names_narrow_the_allocations(lab: Lab, lab_root: Path) -> None:
    widget = open_memory(lab, lab_root)
    field = widget.root.get_by_role("textbox", name="Size, MiB, last")
    field.fill("10")
    field.press("Enter")
    widget.eventually(lambda: max(size for _, size in shown_blocks(widget)) <= 10, expected=True)
    widget.root.get_by_role("textbox", name="Find in Allocations").fill("batch_norm")
    widget.eventually(
        lambda: all("batch_norm" in name for name, _ in shown_blocks(widget)), expected=True
    )
    assert shown_blocks(widget)


def test_the_curve_can_be_read_as_a_table(lab: Lab, lab_root: Path) -> None:
    widget = open_memory(lab, lab_root)
    image = widget.root.get_by_role("img", name="Allocated and reserved memory")
    assert "peak 1.49 GiB" in str(image.get_attribute("aria-label"))
    widget.root.get_by_role("button", name="View as table").click()
    widget.grid("Records").wait_for()
    rows = widget.settled().rows("Records")
    exact = python(lab, "view.trace.filter(devices=0).memory_curve()['time_us'].to_pylist()[:3]")
    assert [row["time_us"] for row in rows[:3]] == [f"{time / 1e3:.3f}" for time in exact]
    widget.root.get_by_role("button", name="View as chart").click()
    widget.drawn(1)


def test_devices_are_chosen_and_laid_over_each_other(lab: Lab, lab_root: Path) -> None:
    widget = open_memory(lab, lab_root)
    device = widget.root.get_by_role("group", name="Device", exact=True)
    device.get_by_role("button", name="CPU").click()
    widget.eventually(lambda: python(lab, "view.memory_device"), "cpu")
    widget.eventually(lambda: widget.settled().column("By operator", "name"), ["aten::pin_memory"])
    device.get_by_role("button", name="Overlay").click()
    widget.eventually(lambda: python(lab, "view.memory_device"), "all")
    kinds = "sorted(set(view.table['device_type'].to_pylist()))"
    assert python(lab, kinds) == ["cpu", "gpu"]
    assert "Peaks: GPU 0 1.49 GiB, CPU 73.5 MiB" in widget.drawn(1).text()
    lab.screenshot("memory-overlay", widget.root)
    lab.python("view.memory_device = 'gpu:0'")
    device.get_by_role("button", name="GPU 0", pressed=True).wait_for()


@pytest.mark.parametrize("width", [1200, 800, 420])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits(lab: Lab, lab_root: Path, theme: str, width: int) -> None:
    lab.resize(width)
    run = ', run="torch_cpu_convnet"' if theme == "dark" else ""
    widget = open_memory(lab, lab_root, run)
    lab.theme(theme)
    lab.python("view.memory_range = [30_000, 60_000]")
    widget.root.locator(".nbp-brushed").wait_for()
    widget.drawn(1)
    assert widget.misfits() == []
    lab.screenshot(f"memory-{width}-{theme}", widget.root)
    assert widget.access_faults() == []
