"""Small charts in the headers of long tables in Chromium: seen, brushed, cleared, on pages too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbprof.widgets.requests.spreads import spreads_of

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator

    import nbprof
    from tests.browser.driving.bare import Bare
    from tests.browser.driving.widget import Widget

pytestmark = pytest.mark.browser

RUN = "gpu_resnet_synthetic"
#: What the bars of a column say, by the keys of columns.
_TIPS = """grid => {
    const keys = [...grid.querySelectorAll('thead th[data-at]')]
        .sort((a, b) => a.dataset.at - b.dataset.at).map(head => head.dataset.key);
    const cells = [...grid.querySelectorAll('.nbp-spreads td')];
    return Object.fromEntries(cells.map((cell, at) =>
        [keys[at], [...cell.querySelectorAll('i')].map(bar => bar.dataset.tip)])
        .filter(([, tips]) => tips.length));
}"""


def place(grid: Locator, key: str) -> int:
    return int(grid.locator(f'th[data-key="{key}"]').get_attribute("data-at") or -1)


def bars(grid: Locator, key: str) -> Locator:
    """Find the chart of a column, waiting for it."""
    return grid.locator(".nbp-spreads td").nth(place(grid, key)).locator(".nbp-spread")


def box_of(grid: Locator, key: str) -> dict[str, float]:
    """Measure the chart of a column in one step: the header may be drawn anew between two."""
    found: dict[str, float] = grid.evaluate(
        """(grid, at) => grid.querySelectorAll('.nbp-spreads td')[at]
            .querySelector('.nbp-spread').getBoundingClientRect().toJSON()""",
        place(grid, key),
    )
    return found


def brush(grid: Locator, key: str, start: float, end: float) -> None:
    """Drag over a part of a chart, from 0 to 1."""
    box = box_of(grid, key)
    mouse = grid.page.mouse
    mouse.move(box["x"] + start * box["width"], box["y"] + 5)
    mouse.down()
    mouse.move(box["x"] + end * box["width"], box["y"] + 20, steps=4)
    mouse.up()


def find(widget: Widget) -> Locator:
    return widget.root.get_by_role("textbox", name="Find in Operators")


def calls(widget: Widget) -> list[int]:
    """Read a column of whole numbers."""
    return [int(text.replace(",", "")) for text in widget.column("Operators", "calls")]


def marked(grid: Locator, key: str) -> list[bool]:
    found: list[bool] = bars(grid, key).evaluate(
        "box => [...box.children].map(bar => bar.hasAttribute('data-on'))"
    )
    return found


def test_a_brush_keeps_rows_and_a_click_shows_all(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, view = bare.show(samples_profile, run=RUN, view="operators", width=1300)
    table = view.trace.operators()
    spread = spreads_of(table)["calls"]
    grid = widget.grid("Operators")
    bars(grid, "calls").wait_for()
    tips = grid.evaluate(_TIPS)
    assert len(tips["calls"]) == len(spread["counts"])
    for tip, count in zip(tips["calls"], spread["counts"], strict=True):
        assert f": {count} row" in tip
    # The upper half of the bins, from right to left.
    brush(grid, "calls", 0.99, 0.51)
    half = len(spread["counts"]) // 2
    low, high = spread["edges"][half], spread["edges"][-1]
    said = f"calls >= {low:g} & calls <= {high:g}"
    widget.eventually(lambda: find(widget).input_value(), said)
    widget.settled()
    wanted = sorted(n for n in table["calls"].to_pylist() if low <= n <= high)
    assert 0 < len(wanted) < table.num_rows
    widget.eventually(lambda: sorted(calls(widget)), wanted)
    assert marked(grid, "calls") == [at >= half for at in range(len(spread["counts"]))]
    assert widget.access_faults() == []
    # Another column narrows further; what is in the field can be edited.
    brush(grid, "device_self_us", 0, 0)
    widget.eventually(lambda: find(widget).input_value().count("&"), 3)
    assert find(widget).input_value().startswith(f"{said} & device_self_us >= ")
    find(widget).fill(said)
    widget.settled()
    widget.eventually(lambda: sorted(calls(widget)), wanted)
    # The header still sorts.
    grid.locator('th[data-key="calls"] button').click()
    widget.settled()
    widget.eventually(lambda: calls(widget), sorted(wanted, reverse=True))
    brush(grid, "calls", 0.2, 0.2)
    widget.eventually(lambda: find(widget).input_value(), "")
    widget.root.get_by_text(f"{table.num_rows} names ·").wait_for()
    assert not any(marked(grid, "calls"))
    assert bare.faults == []
    assert view.errors == []


def test_bars_follow_filter_grouping_and_widths(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, view = bare.show(samples_profile, run=RUN, view="operators", width=1300)
    grid = widget.grid("Operators")
    bars(grid, "calls").wait_for()
    first = view.trace.model.steps.number.tolist()[0]
    view.filter = {"steps": [first, first]}
    table = view.trace.filter(steps=(first, first)).operators()
    counts = spreads_of(table)["calls"]["counts"]
    widget.eventually(
        lambda: [
            f": {n} row" in tip
            for n, tip in zip(counts, grid.evaluate(_TIPS)["calls"], strict=False)
        ],
        [True] * len(counts),
    )
    widget.settled()
    # The chart is as wide as its column.
    before = box_of(grid, "calls")
    grid.locator('th[data-key="calls"] button').focus()
    widget.page.keyboard.press("Shift+ArrowRight")
    widget.settled()
    after = box_of(grid, "calls")
    assert after["width"] == pytest.approx(before["width"] + 16, abs=1)
    # Few rows have none, and their header is as high as before.
    head = grid.locator("thead")
    high = head.bounding_box()
    view.filter = {"name": "conv"}
    widget.eventually(lambda: grid.locator(".nbp-spreads").count(), 0)
    low = head.bounding_box()
    assert high is not None
    assert low is not None
    assert high["height"] == pytest.approx(low["height"] + 21, abs=1)
    view.filter = {}
    widget.settled().group_by("Name + stack")
    bars(grid, "calls").wait_for()
    kernels = widget.open_view("Kernels").grid("Kernels")
    assert view.trace.kernels().num_rows <= 50
    assert kernels.locator(".nbp-spreads").count() == 0
    widget.group_by("Launches")
    kernels.locator(".nbp-spreads").wait_for()
    launches = view.trace.kernels(group_by="launch")
    shown = set(kernels.evaluate(_TIPS))
    assert shown <= set(spreads_of(launches))
    # A column of a single value has no chart.
    assert "device" not in shown
    assert bare.faults == []
    assert view.errors == []


@pytest.mark.parametrize("look", [(480, "dark"), (720, "light"), (1300, "dark")])
def test_a_page_has_them_too(
    bare: Bare,
    browser: Browser,
    samples_profile: nbprof.Profile,
    tmp_path: Path,
    look: tuple[int, str],
) -> None:
    width, theme = look
    live, view = bare.show(samples_profile, run=RUN, view="operators", width=width, theme=theme)
    grid = live.grid("Operators")
    bars(grid, "calls").wait_for()
    tips = grid.evaluate(_TIPS)
    assert len(tips) > 3
    path = tmp_path / "page.html"
    view.theme = theme
    view.to_html(path)
    context = browser.new_context(viewport={"width": width, "height": 1300})
    try:
        page = context.new_page()
        page.goto(path.as_uri())
        widget = type(live)(page.locator(".nbp").first).settled()
        grid = widget.grid("Operators")
        bars(grid, "calls").wait_for()
        assert grid.evaluate(_TIPS) == tips
        rows = widget.root.get_by_text(f"{view.trace.operators().num_rows} names ·")
        rows.wait_for()
        brush(grid, "calls", 0.5, 1)
        widget.eventually(lambda: "calls >= " in find(widget).input_value(), expected=True)
        rows.wait_for(state="detached")
        bare.picture(widget, f"spreads_{width}_{theme}")
        assert widget.misfits() == []
        # A filter of the page is followed as in a notebook.
        find(widget).fill("")
        if width < 600:
            widget.root.get_by_role("button", name="Filters ▾").click()
        widget.filter_name("a").settled()
        view.filter = {"name": "a"}
        live.settled()
        own = live.grid("Operators")
        live.eventually(lambda: own.evaluate(_TIPS) != tips, expected=True)
        widget.eventually(lambda: grid.evaluate(_TIPS) == own.evaluate(_TIPS), expected=True)
    finally:
        context.close()
    assert bare.faults == []


def test_a_header_without_groups_keeps_its_columns(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, _ = bare.show(samples_profile, run=RUN, view="memory", width=1300)
    grid = widget.grid("Allocations")
    for key in ("size_bytes", "duration_us"):
        bars(grid, key).wait_for()
        chart, head = box_of(grid, key), grid.locator(f'th[data-key="{key}"]')
        box, row = head.bounding_box(), grid.locator("tbody tr[data-line]").first.bounding_box()
        assert box is not None
        assert row is not None
        assert box["x"] <= chart["x"] < chart["x"] + chart["width"] <= box["x"] + box["width"]
        assert box["y"] + box["height"] <= chart["y"] < row["y"]
