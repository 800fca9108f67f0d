"""Layout: one line for each bar, the first chart visible, and nothing that jumps."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.bare import Bare
    from tests.browser.driving.widget import Widget

pytestmark = pytest.mark.browser

GPU = ROOT / "tests/samples/gpu_resnet_synthetic"
WIDTHS = (1400, 900, 700)
#: How far below the top of the cell the first chart may begin, CSS px.
SIGHT = 180
VIEWS = ("Overview", "Operators", "Kernels", "Timeline", "Memory", "Modules", "Distributed")
#: Top and height of each bar, what is cut off at its right, and where the first chart begins.
BOXES = """root => {
  const top = root.getBoundingClientRect().top;
  const bars = [...root.querySelectorAll('.nbp-bar, .nbp-tabrow')].filter(
    bar => bar.checkVisibility());
  const chart = [...root.querySelectorAll('.nbp-chart, .nbp-body canvas')].find(
    one => one.checkVisibility() && one.getBoundingClientRect().height > 20);
  return {
    bars: bars.map(bar => {
      const box = bar.getBoundingClientRect();
      const ends = [...bar.querySelectorAll('button, label, .nbp-field')].filter(
        one => one.checkVisibility()).map(one => one.getBoundingClientRect());
      return [Math.round(box.top - top), Math.round(box.height),
        ends.every(end => end.right <= box.right + 1 && end.bottom <= box.bottom + 1)];
    }),
    chart: chart ? Math.round(chart.getBoundingClientRect().top - top) : null,
  };
}"""
PLACES = """root => Object.fromEntries(
  [...root.querySelectorAll('.nbp-bar > *, .nbp-tabs, .nbp-filter')].filter(
    one => one.checkVisibility() && !one.matches('.nbp-connection')).map((one, at) => {
      const {left, top, width} = one.getBoundingClientRect();
      return [`${at} ${one.className}`, [left, top, width].map(Math.round).join()];
    }))"""


def boxes(widget: Widget) -> Any:
    return widget.root.evaluate(BOXES)


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many runs and workers with long names, and files that cannot be read."""
    root = tmp_path_factory.mktemp("troubled")
    traces = sorted(GPU.rglob("*.pt.trace.json*"))
    for run in ("a-run-with-a-name-that-nobody-would-type-by-hand-twice", "second", "third"):
        (root / run).mkdir()
        for at in (0, 1):
            name = f"worker-on-a-host-with-a-long-name-in-a-cluster-of-many-{at}.{traces[0].name}"
            (root / run / name.replace("worker0", "")).write_bytes(traces[0].read_bytes())
        (root / run / "broken.1.pt.trace.json").write_text('{"traceEvents": [{"ph": "X", ')
    return root


@pytest.mark.parametrize("width", WIDTHS)
def test_bars_have_one_line_and_the_first_chart_is_in_sight(
    bare: Bare, troubled: Path, width: int
) -> None:
    for source, theme in ((GPU, "light"), (troubled, "dark")):
        widget, view = bare.show(source, width=width, theme=theme)
        for name in VIEWS:
            widget.open_view(name)
            found = boxes(widget)
            assert [height for _, height, _ in found["bars"]] == [36, 36, 36], (name, source)
            assert all(fits for _, _, fits in found["bars"]), (name, source)
            in_sight = found["chart"] is None or found["chart"] <= SIGHT
            assert in_sight, (name, source, found)
            assert widget.misfits() == [], (name, source)
            bare.picture(widget, f"layout-{name.lower()}-{width}-{theme}")
        widget.open_view("Operators")
        before = widget.root.evaluate(PLACES), boxes(widget)
        view.filter = {
            "name": "conv",
            "within": "backward",
            "steps": [3, 5],
            "time_us": [1234.567, 87654.321],
            "kinds": ["operator"],
        }
        widget.root.locator(".nbp-chip").first.wait_for()
        widget.settled()
        assert (widget.root.evaluate(PLACES), boxes(widget)) == before
        # A value that is rejected lies over the view.
        view.set_state({"time_unit": "years"})
        widget.page.evaluate(
            "() => nbprofModel.send({v: 1, id: 1, op: 'hello', gen: 0, params: {}})"
        )
        widget.root.get_by_text("Not accepted").wait_for()
        assert (widget.root.evaluate(PLACES), boxes(widget)) == before
        bare.picture(widget, f"layout-filtered-{width}-{theme}")


@pytest.mark.parametrize("width", [700, 480])
def test_recommendations_come_first(bare: Bare, width: int) -> None:
    """At 700 px one line of them, since the first chart is to be in sight, and else all."""
    widget, view = bare.show(GPU, width=width)
    found = view.trace.recommendations()["message"].to_pylist()
    assert len(found) > 1
    heading = widget.root.get_by_role("heading", name="Recommendations")
    chart = widget.root.locator(".nbp-chart").first.bounding_box()
    assert chart is not None
    if width == 480:
        top = heading.bounding_box()
        assert top is not None
        assert top["y"] < chart["y"]
        return
    line = widget.root.locator(".nbp-lead")
    above = line.bounding_box()
    assert above is not None
    assert above["y"] + above["height"] <= chart["y"]
    assert above["height"] < 24
    assert line.get_by_role("paragraph").get_attribute("title") == found[0]
    assert "of all work" not in line.inner_text()
    view.filter = {"name": "conv"}  # which does not apply to what is said of whole devices
    line.get_by_text("of all work", exact=True).wait_for()
    line.get_by_role("button", name=f"All {len(found)} recommendations").click()
    assert heading.evaluate("one => one.getRootNode().activeElement === one")


def test_names_are_suggested_and_chosen_with_keys(bare: Bare, tmp_path: Path) -> None:
    widget, view = bare.show(GPU, width=900, view="operators")
    field = widget.root.get_by_role("combobox", name="Name", exact=True)
    field.click()
    field.press_sequentially("conv")
    names = widget.root.get_by_role("listbox", name="Names in this trace").get_by_role("option")
    names.first.wait_for()
    shown = names.evaluate_all("lines => lines.map(line => line.title)")
    assert all("conv" in text.lower() for text in shown)
    assert field.get_attribute("aria-expanded") == "true"
    bare.picture(widget, "layout-suggestions")
    field.press("ArrowDown")
    chosen = names.first.get_attribute("title")
    field.press("Enter")
    widget.eventually(lambda: "/^" in view.filter.get("name", ""), expected=True)
    assert field.input_value() == chosen  # plain text, although a pattern filters
    assert names.count() == 0 or not names.first.is_visible()
    widget.settled()
    assert widget.column("Operators", "name") == [chosen]
    # All text is selected where the field is entered, so that typing replaces it.
    widget.root.get_by_role("tab", name="Operators").focus()
    field.focus()
    selected = field.evaluate("one => one.value.slice(one.selectionStart, one.selectionEnd)")
    assert selected == chosen
    field.press_sequentially("relu")
    names.first.wait_for()
    field.press("Escape")
    assert not names.first.is_visible()
    field.press("Enter")
    widget.eventually(lambda: view.filter.get("name"), "relu")
    assert field.input_value() == "relu"


def test_names_of_a_trace_that_are_markup_are_suggested_as_text(bare: Bare, tmp_path: Path) -> None:
    evil = "evil<img src=x onerror=window.hacked=1>\u202e"
    event = {"ph": "X", "pid": 1, "tid": 1, "cat": "cpu_op", "ts": 0, "dur": 5, "name": evil}
    path = tmp_path / "worker0.1.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [event]}), "utf-8")
    widget, _ = bare.show(path, width=700, view="operators")
    field = widget.root.get_by_role("combobox", name="Name", exact=True)
    field.click()
    field.press_sequentially("EVIL")
    option = widget.root.get_by_role("listbox").get_by_role("option").first
    option.wait_for()
    assert option.get_attribute("title") == evil
    assert widget.page.locator("img").count() == 0


def test_keys_reach_everything(bare: Bare) -> None:
    widget, view = bare.show(GPU, width=900, view="operators")
    page = widget.page
    focused = "root => root.getRootNode().activeElement?.className ?? ''"
    widget.root.get_by_role("button", name="Keys").wait_for()
    page.wait_for_timeout(1000)  # the keys come after the first picture
    page.keyboard.press("Tab")
    assert "nbp-skip" in widget.root.evaluate(focused)
    page.keyboard.press("Enter")  # two keys to the first row
    row = "root => root.getRootNode().activeElement?.closest('[role=grid]')?.ariaLabel ?? ''"
    widget.eventually(lambda: widget.root.evaluate(row), "Operators")
    page.keyboard.press("?")
    widget.root.get_by_text("Go to the name filter").wait_for()
    bare.picture(widget, "layout-keys")
    page.keyboard.press("Escape")
    page.keyboard.press("]")
    widget.eventually(lambda: view.active, "kernels")
