"""JupyterLab end to end: quickstart, filters, groupings, clicks, themes, errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

from tests.browser.driving.widget import CHARTS, Widget, assert_times

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.lab import Lab

pytestmark = pytest.mark.browser

SHOW = 'import nbprof\nview = nbprof.show("../runs")\nview'
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def write(folder: Path, *cells: str) -> str:
    """Write a notebook beside the quickstart; gives its path on the server."""
    notebook = nbformat.v4.new_notebook(
        metadata={"kernelspec": KERNEL}, cells=[nbformat.v4.new_code_cell(cell) for cell in cells]
    )
    nbformat.write(notebook, folder / "notebooks" / "page.ipynb")
    return "notebooks/page.ipynb"


def first_view(lab: Lab, folder: Path, *cells: str) -> Widget:
    """Run a notebook of these cells and give the first widget on it."""
    lab.open(write(folder, *(cells or (SHOW,))))
    lab.run_all()
    return Widget(lab.widgets().first).settled()


def python(lab: Lab, expression: str) -> Any:
    """Evaluate in the notebook's kernel, where `view` is the view."""
    return json.loads(lab.python(f"import json\nprint(json.dumps({expression}))"))


def test_the_quickstart_draws_its_views(lab: Lab) -> None:
    lab.open("notebooks/quickstart.ipynb")
    lab.run_all()
    widget = Widget(lab.widgets().first)
    for theme in ("light", "dark"):
        lab.theme(theme)
        for view, charts in CHARTS.items():
            # There is nothing to compare in a run of one worker.
            widget.open_view(view).drawn(0 if view == "Distributed" else charts)
            assert widget.misfits() == [], (view, theme)
            lab.screenshot(f"lab-{view.lower()}-{theme}", widget.root)
    background = widget.root.evaluate("root => getComputedStyle(root).backgroundColor")
    assert background == "rgb(17, 17, 17)"


def test_a_filter_shows_what_python_computes(lab: Lab, lab_root: Path) -> None:
    widget = first_view(lab, lab_root).open_view("Kernels")
    everything = widget.column("Kernels", "name")
    widget.filter_name("conv")
    widget.eventually(lambda: python(lab, "view.filter"), {"name": "conv"})
    table = python(lab, "view.table.sort_by([('total_us', 'descending')]).to_pydict()")
    widget.eventually(lambda: widget.column("Kernels", "name")[:8], table["name"][:8])
    assert widget.column("Kernels", "name") != everything
    shown = [int(text.replace(",", "")) for text in widget.column("Kernels", "calls")]
    assert shown == table["calls"][: len(shown)]
    assert_times(widget.times_us("Kernels", "total_us"), table["total_us"])
    lab.screenshot("lab-filtered", widget.root)

    lab.python("view.filter = {'name': 'conv', 'steps': [4, 5]}")
    fewer = python(lab, "view.table['calls'].to_pylist()")
    assert sum(fewer) < sum(table["calls"])
    widget.eventually(
        lambda: sum(int(text.replace(",", "")) for text in widget.column("Kernels", "calls")),
        sum(fewer),
    )
    # A device is not idle because its kernels are filtered out: the advice says what it is about.
    widget.open_view("Overview").eventually(
        lambda: "of all work; the name filter does not apply here" in widget.text(), expected=True
    )


def test_a_grouping_shows_what_python_computes(lab: Lab, lab_root: Path) -> None:
    widget = first_view(lab, lab_root).open_view("Operators")
    widget.group_by("Name + shape")
    widget.eventually(lambda: python(lab, "view.group_by"), "name+shape")
    order = "[('device_self_us', 'descending')]"
    table = python(lab, f"view.trace.operators(group_by='name+shape').sort_by({order}).to_pydict()")
    widget.eventually(
        lambda: "input_shapes" in (widget.rows("Operators") or [{}])[0], expected=True
    )
    widget.settled()
    assert widget.column("Operators", "name")[0] == table["name"][0]
    assert widget.column("Operators", "input_shapes")[0] == table["input_shapes"][0]
    assert_times(widget.times_us("Operators", "device_self_us"), table["device_self_us"])
    lab.screenshot("lab-grouped", widget.root)


def test_a_selected_step_filters_everything(lab: Lab, lab_root: Path) -> None:
    widget = first_view(lab, lab_root)
    whole = python(lab, "view.table.to_pydict()")
    steps = python(lab, "view.trace.steps()['step'].to_pylist()")
    chart = widget.root.get_by_role("application", name="Step time breakdown")
    box = chart.bounding_box()
    assert box is not None
    # The bars stand side by side over the width of the plot; one in the middle is safe to hit.
    chart.click(position={"x": box["width"] * 0.5, "y": box["height"] * 0.75})
    widget.eventually(lambda: len(python(lab, "view.selection")), 1)
    lab.page.keyboard.press("Enter")
    widget.eventually(lambda: "steps" in python(lab, "view.filter"), expected=True)
    first, last = python(lab, "view.filter")["steps"]
    assert first == last
    assert first in steps
    assert python(lab, "view.table.to_pydict()") != whole
    widget.settled()
    assert f"Step {first}" in widget.text() or f"step {first}" in widget.text()
    lab.screenshot("lab-step", widget.root)
    widget.root.get_by_role("button", name="Back", exact=True).click()
    widget.eventually(lambda: python(lab, "view.filter"), {})


def test_two_views_of_one_model_follow_each_other(lab: Lab, lab_root: Path) -> None:
    widget = first_view(lab, lab_root, SHOW, "view")
    other = Widget(lab.widgets().nth(1)).settled()
    widget.open_view("Kernels")
    other.root.get_by_role("tab", name="Kernels", selected=True).wait_for()
    other.filter_name("gemm")
    widget.eventually(lambda: all("gemm" in n for n in widget.column("Kernels", "name")), True)  # noqa: FBT003
    assert widget.column("Kernels", "name") == other.settled().column("Kernels", "name")
    lab.page.evaluate(
        """() => {
          const {content} = window.jupyterapp.shell.currentWidget;
          content.activeCellIndex = 0;
        }"""
    )
    lab.execute("notebook:clear-cell-output")
    remaining = Widget(lab.widgets().first)
    remaining.eventually(lambda: lab.widgets().count(), 1)
    remaining.root.get_by_role("button", name="Reset").click()
    remaining.open_view("Operators")
    assert len(remaining.rows("Operators")) > 0


def test_errors_are_shown_where_they_happen(lab: Lab, lab_root: Path) -> None:
    widget = first_view(lab, lab_root).open_view("Kernels")
    widget.filter_name("/(/")
    name = widget.root.get_by_role("combobox", name="Name", exact=True)
    widget.eventually(lambda: name.get_attribute("aria-invalid"), "true")
    assert python(lab, "view.filter") == {}
    # What the browser cannot know to be wrong, Python says: RE2 has no look-behind.
    widget.filter_name("/(?<=a)gemm/")
    widget.root.get_by_text("regular expression").first.wait_for()
    lab.screenshot("lab-error-filter", widget.root)
    assert python(lab, "view.filter") == {}
    assert python(lab, "len(view.errors)") >= 1
    widget.filter_name("gemm")
    widget.eventually(lambda: python(lab, "view.filter"), {"name": "gemm"})


def test_a_folder_without_profiles_says_what_was_looked_for(lab: Lab, lab_root: Path) -> None:
    lab.open(write(lab_root, 'import nbprof\nview = nbprof.show("nowhere")\nview'))
    lab.run_all()
    root = lab.widgets().first
    root.get_by_text("nowhere").first.wait_for()
    assert "Traceback" not in root.inner_text()
    lab.screenshot("lab-nothing", root)


@pytest.mark.parametrize("width", [1200, 800, 420])
def test_a_narrow_notebook_is_usable(lab: Lab, lab_root: Path, width: int) -> None:
    lab.resize(width)
    widget = first_view(lab, lab_root)
    for view, charts in CHARTS.items():
        # In a narrow cell a select stands in place of the tabs.
        tabs = widget.root.get_by_role("tablist", name="Views").is_visible()
        assert tabs == (width > 480), view
        (widget.open_view if tabs else widget.choose_view)(view).drawn(charts)
        assert widget.misfits() == [], view
    lab.screenshot(f"lab-{width}")


def test_the_kernel_goes_and_the_view_says_so(lab: Lab, lab_root: Path) -> None:
    widget = first_view(lab, lab_root).open_view("Kernels")
    before = widget.column("Kernels", "name")
    lab.call("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    widget.root.get_by_text("Disconnected").first.wait_for()
    assert widget.column("Kernels", "name") == before
    lab.screenshot("lab-disconnected", widget.root)
