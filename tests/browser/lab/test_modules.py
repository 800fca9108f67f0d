"""The modules view in JupyterLab: the tree, the flame graph, stacks, themes, widths."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.driving import looks
from tests.browser.driving.widget import Widget
from tests.browser.lab.test_lab import write
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

    from tests.browser.driving.lab import Lab

pytestmark = pytest.mark.browser

SHOW = 'import nbprof\nview = nbprof.show("../runs", view="modules"{more})\nview'
ROW = 18
#: Whether the graph is drawn for the width that it has.
FILLS = "canvas => parseFloat(canvas.style.width) === canvas.parentElement.clientWidth"
GPU = ', run="gpu_resnet_synthetic", flame_by="device"'
CPU = ', run="torch_cpu_convnet"'


def open_modules(lab: Lab, folder: Path, more: str = GPU) -> Widget:
    """Run a notebook that shows the modules view and give it with its flame graph drawn."""
    lab.open(write(folder, SHOW.format(more=more)))
    lab.run_all()
    widget = Widget(lab.widgets().first)
    widget.root.locator(".nbp-flame canvas").wait_for()
    return widget.settled()


def python(lab: Lab, expression: str) -> Any:
    """Evaluate in the notebook's kernel, where `view` is the view."""
    return json.loads(lab.python(f"import json\nprint(json.dumps({expression}))"))


def tree(widget: Widget) -> Locator:
    return widget.root.get_by_role("treegrid", name="Modules")


def lines(widget: Widget) -> list[tuple[str, str | None, str]]:
    """Read level, whether it is open, and name of the lines in sight."""
    found: list[tuple[str, str | None, str]] = tree(widget).evaluate(
        """grid => [...grid.querySelectorAll('tbody tr[aria-level]')].map(row => [
          row.ariaLevel, row.ariaExpanded,
          row.querySelector('.nbp-namecell > span:last-child').textContent])"""
    )
    return [(level, is_open, name) for level, is_open, name in found]


def names(widget: Widget) -> list[str]:
    return [name for _, _, name in lines(widget)]


def frame(lab: Lab, name: str) -> dict[str, Any]:
    """Give the first frame of a name, as the flame graph on screen has it."""
    found: dict[str, Any] = python(
        lab,
        "next(f for f in view.trace.flame(by=view.flame_by, order=view.flame_order).to_pylist()"
        f" if f['name'] == {name!r})",
    )
    return found


def click(lab: Lab, widget: Widget, name: str) -> dict[str, Any]:
    """Click in the middle of a frame of the whole graph."""
    found = frame(lab, name)
    total = python(
        lab,
        "max(f['offset_us'] + f['total_us'] for f in"
        " view.trace.flame(by=view.flame_by, order=view.flame_order).to_pylist())",
    )
    canvas = widget.root.locator(".nbp-flame canvas")
    box = canvas.bounding_box()
    assert box is not None
    x = (found["offset_us"] + found["total_us"] / 2) / total * box["width"]
    canvas.click(position={"x": x, "y": (found["depth"] + 1.5) * ROW})
    return found


def test_the_tree_opens_with_twisties_buttons_and_keys(lab: Lab, lab_root: Path) -> None:
    widget = open_modules(lab, lab_root)
    first = lines(widget)
    assert first[0] == ("1", "true", "ResNet_0")
    assert ("2", "false", "Sequential_0") in first
    row = tree(widget).locator("tr", has_text="Sequential_0")
    row.get_by_role("button").click()
    widget.eventually(lambda: ("2", "true", "Sequential_0") in lines(widget), expected=True)
    at = names(widget).index("Sequential_0")
    assert lines(widget)[at + 1] == ("3", "false", "BasicBlock_0")

    # Right goes in and opens, left goes out and closes.
    row.click()
    widget.eventually(lambda: python(lab, "view.selected['name'].to_pylist()"), ["Sequential_0"])
    keyboard = widget.page.keyboard

    def focus_is(name: str) -> None:
        text = "root => root.getRootNode().activeElement?.querySelector('.nbp-namecell')?.innerText"
        widget.eventually(lambda: (widget.root.evaluate(text) or "").endswith(name), expected=True)

    keyboard.press("ArrowRight")
    focus_is("BasicBlock_0")
    keyboard.press("ArrowRight")
    widget.eventually(lambda: ("3", "true", "BasicBlock_0") in lines(widget), expected=True)
    widget.settled()
    keyboard.press("ArrowRight")
    focus_is("Conv2d_1")
    keyboard.press("ArrowLeft")
    focus_is("BasicBlock_0")
    keyboard.press("ArrowLeft")
    widget.eventually(lambda: ("3", "false", "BasicBlock_0") in lines(widget), expected=True)

    count = python(lab, "view.table.num_rows")
    widget.root.get_by_role("button", name="Expand all").click()
    widget.eventually(lambda: f"of {count}" in widget.text(), expected=True)
    widget.root.get_by_role("button", name="Collapse all").click()
    widget.eventually(lambda: names(widget), ["ResNet_0"])


def test_siblings_are_sorted_and_go_back_to_the_order_they_ran_in(lab: Lab, lab_root: Path) -> None:
    widget = open_modules(lab, lab_root)
    ran = names(widget)
    head = tree(widget).locator('th[data-key="share_pct"]')
    for expected in ("descending", "ascending", "none"):
        head.get_by_role("button").click()
        widget.eventually(lambda: head.get_attribute("aria-sort"), expected)
        shares = [float(row["share_pct"].lstrip("<")) for row in rows(widget)][1:]
        if expected != "none":
            assert shares == sorted(shares, reverse=expected == "descending")
            assert names(widget)[0] == ran[0]
    widget.eventually(lambda: names(widget), ran)


def rows(widget: Widget) -> list[dict[str, str]]:
    """Read the lines in sight as texts by column."""
    found: list[dict[str, str]] = tree(widget).evaluate(
        """grid => {
          const left = cell => cell.getBoundingClientRect().left;
          const heads = [...grid.querySelectorAll('th[data-key]')];
          heads.sort((a, b) => left(a) - left(b));
          return [...grid.querySelectorAll('tbody tr[aria-level]')].map(row => Object.fromEntries(
            [...row.cells].map((cell, at) => [heads[at].dataset.key, cell.innerText.trim()])));
        }"""
    )
    return found


def test_a_search_opens_the_way_and_marks_frames(lab: Lab, lab_root: Path) -> None:
    widget = open_modules(lab, lab_root)
    assert "Conv2d_7" not in names(widget)
    plain = looks_of(widget)
    field = widget.root.get_by_role("textbox", name="Search modules and frames by name")
    field.fill("conv2d_7")
    widget.eventually(lambda: "Conv2d_7" in names(widget), expected=True)
    widget.eventually(lambda: python(lab, "view.search"), "conv2d_7")
    marked = tree(widget).locator(".nbp-match")
    assert marked.all_inner_texts() == ["Conv2d_7"]
    widget.root.get_by_text("frame matches").or_(
        widget.root.get_by_text("frames match")
    ).first.wait_for()
    widget.settled()
    assert looks_of(widget) != plain
    lab.screenshot("modules-search", widget.root)
    lab.python("view.search = ''")
    widget.eventually(lambda: "Conv2d_7" in names(widget), expected=False)


def looks_of(widget: Widget) -> str:
    picture: str = widget.root.locator(".nbp-flame canvas").evaluate("c => c.toDataURL()")
    return picture


def test_a_click_zooms_and_selects_and_escape_zooms_out(lab: Lab, lab_root: Path) -> None:
    widget = open_modules(lab, lab_root)
    whole = looks_of(widget)
    found = click(lab, widget, "Sequential_1")
    start, end = found["offset_us"], found["offset_us"] + found["total_us"]
    widget.eventually(
        lambda: [round(at, 3) for at in python(lab, "view.flame_range") or []],
        [round(start, 3), round(end, 3)],
    )
    widget.eventually(lambda: python(lab, "view.selected['name'].to_pylist()"), ["Sequential_1"])
    widget.settled()
    widget.root.get_by_text("Sequential_1 · module").wait_for()
    lab.screenshot("modules-zoomed", widget.root)
    widget.page.keyboard.press("Escape")
    widget.eventually(lambda: python(lab, "view.flame_range"), None)

    # The bar for everything leads out too, and Python leads in.
    lab.python(f"view.flame_range = [{start}, {end}]")
    widget.eventually(lambda: looks_of(widget) != whole, expected=True)
    widget.settled()
    widget.root.locator(".nbp-flame canvas").click(position={"x": 40, "y": ROW / 2})
    widget.eventually(lambda: python(lab, "view.flame_range"), None)

    widget.root.get_by_role("button", name="Host time", exact=True).click()
    widget.eventually(lambda: python(lab, "view.flame_by"), "host")
    widget.root.get_by_role("button", name="In time order").click()
    widget.eventually(lambda: python(lab, "view.flame_order"), "time")
    widget.settled()
    widget.root.get_by_role("button", name="View as table").click()
    widget.settled()
    widest = python(lab, "max(view.trace.flame(by='host', order='time')['total_us'].to_pylist())")
    assert widget.rows("Frames")[0]["name"].startswith("Thread")
    assert widest > 0


def test_a_frame_is_shown_in_the_timeline(lab: Lab, lab_root: Path) -> None:
    widget = open_modules(lab, lab_root)
    click(lab, widget, "Sequential_1")
    widget.settled()
    widget.root.locator(".nbp-flame canvas").press("t")
    widget.eventually(lambda: python(lab, "view.active"), "timeline")
    assert "Sequential_1" in python(lab, "view.search")
    widget.root.get_by_text("of 6").first.wait_for()  # one call a step


CURSOR = """() => {
  const {currentWidget} = window.jupyterapp.shell;
  const editor = currentWidget?.content?.editor;
  return editor ? [currentWidget.context.path, editor.getCursorPosition().line + 1] : null;
}"""


def test_stacks_are_a_tree_and_frames_open_their_source(lab: Lab, lab_root: Path) -> None:
    # The server's root has this file; libraries lie outside, and have no links.
    source = lab_root / "notebooks" / "train_cpu.py"
    source.write_bytes((ROOT / "samples" / "train_cpu.py").read_bytes())
    widget = open_modules(lab, lab_root, CPU).open_view("Operators")
    operators = widget.grid("Operators")
    row = operators.locator("tr", has_text="aten::convolution_backward").first
    row.get_by_role("button", name="Call stacks of").click()
    stacks = operators.locator(".nbp-sub")
    stacks.get_by_role("button", name="+ 6 frames").click()
    fold = stacks.get_by_role("button", name="5 library frames")
    fold.wait_for()
    before = stacks.count()
    fold.click()
    widget.eventually(lambda: stacks.count() > before, expected=True)
    copy = stacks.get_by_role("button", name="Copy train_cpu.py").first
    place = (copy.get_attribute("aria-label") or "").removeprefix("Copy ")
    assert place.startswith("train_cpu.py:")
    lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    copy.click()
    widget.eventually(lambda: lab.page.evaluate("() => navigator.clipboard.readText()"), place)
    lab.screenshot("operators-stacks", widget.root)
    assert widget.misfits() == []
    links = stacks.get_by_role("link")
    links.first.wait_for()
    assert {"train_cpu.py" in text for text in links.all_inner_texts()} == {True}
    line = int(place.removeprefix("train_cpu.py:"))
    href = f"/lab/tree/notebooks/train_cpu.py#line={line - 1}"
    links.and_(lab.page.locator(f'[href$="{href}"]')).first.click()
    lab.page.wait_for_function(CURSOR)
    widget.eventually(lambda: lab.page.evaluate(CURSOR), ["notebooks/train_cpu.py", line])
    source.unlink()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_in_both_themes(lab: Lab, lab_root: Path, theme: str) -> None:
    widget = open_modules(lab, lab_root)
    lab.theme(theme)
    canvas = widget.root.locator(".nbp-flame canvas")
    for width in (1200, 800, 420):
        lab.resize(width)
        widget.eventually(lambda: canvas.evaluate(FILLS), expected=True)
        widget.settled()
        widget.eventually(widget.misfits, [])  # the bars follow with the next frame
        lab.screenshot(f"modules-{width}-{theme}", widget.root)
    lab.resize(1200)
    widget.settled()
    assert widget.access_faults() == []
    colors = canvas.evaluate(
        """canvas => {
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          const seen = new Set();
          for (let at = 0; at < data.length; at += 4)
            seen.add(data.slice(at, at + 4).join());
          return seen.size;
        }"""
    )
    assert colors > 8


def test_without_modules_the_option_is_named(lab: Lab, lab_root: Path) -> None:
    events = [
        {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 5, "dur": 9}
    ]
    logs = lab_root / "no_modules"
    logs.mkdir(exist_ok=True)
    (logs / "w.1.pt.trace.json").write_text(json.dumps({"traceEvents": events}), "utf-8")
    lab.open(write(lab_root, f'import nbprof\nview = nbprof.ModulesView("{logs}")\nview'))
    lab.run_all()
    widget = Widget(lab.widgets().first)
    widget.root.get_by_text("No modules recorded").wait_for()
    widget.settled()
    assert "with_modules=True" in widget.text()
    assert looks.misfits(widget.root) == []
    lab.screenshot("modules-none", widget.root)
