"""Tables in Chromium: names that fit, columns that are resized, scrolling, keys, stacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator

    import nbprof
    from tests.browser.driving.bare import Bare
    from tests.browser.driving.widget import Widget

pytestmark = pytest.mark.browser

RUN = "gpu_resnet_synthetic"
#: Names that a cell clips after they were shortened already.
_CLIPPED = """grid => [...grid.querySelectorAll('.nbp-namecell > span:last-child')]
    .filter(name => name.scrollWidth > name.clientWidth).map(name => name.textContent)"""
#: How often names end before half of their cell although they were shortened.
_SHORT = """grid => [...grid.querySelectorAll('.nbp-namecell > span:last-child')]
    .filter(name => name.textContent.includes('…')
        && name.offsetWidth < name.closest('td').clientWidth / 2).length"""
_LINES = """grid => [...grid.querySelectorAll('tbody tr[data-line]')].filter(row => {
    const [own, all] = [row, grid.parentElement].map(e => e.getBoundingClientRect());
    return own.top >= all.top + 40 && own.bottom <= all.bottom + 1;
}).length"""
#: The focused element, through shadow roots.
_FOCUS = """() => {
    let found = document.activeElement;
    while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
    return [found?.tagName, found?.getAttribute('aria-label') ?? ''];
}"""


def head(grid: Locator, key: str) -> Locator:
    return grid.locator(f'th[data-key="{key}"]')


def width(grid: Locator, key: str) -> float:
    box = head(grid, key).bounding_box()
    assert box is not None
    return box["width"]


def names(grid: Locator) -> list[str]:
    return grid.locator(".nbp-namecell > span:last-child").all_inner_texts()


def test_names_fit_and_columns_are_resized(bare: Bare, samples_profile: nbprof.Profile) -> None:
    widget, _ = bare.show(samples_profile, run=RUN, view="kernels", width=1400)
    grid = widget.grid("Kernels")
    for size in (1400, 900, 700):
        widget.page.set_viewport_size({"width": size, "height": 1000})
        widget.page.wait_for_timeout(400)  # sizes settle
        widget.settled()
        assert grid.evaluate(_CLIPPED) == [], size
        assert grid.evaluate(_SHORT) == 0, size
        # Twenty letters cannot tell all kernels apart, whose names differ in several places.
        least = 1 if size == 1400 else 0.9
        assert len(set(names(grid))) >= least * len(names(grid)), size
    assert any("…" in name for name in names(grid))
    # A double click on the edge makes room for names, and leaves some for other columns.
    widget.page.set_viewport_size({"width": 1400, "height": 1000})
    widget.page.wait_for_timeout(400)
    cut = sum("…" in name for name in names(grid))
    head(grid, "name").locator(".nbp-grip").dblclick(position={"x": 3, "y": 20})
    widget.eventually(lambda: sum("…" in name for name in names(grid)) < cut, expected=True)
    assert grid.evaluate(_CLIPPED) == []
    # The edge follows the pointer, and the names follow the column.
    before = width(grid, "name")
    calls = width(grid, "calls")
    grip = head(grid, "name").locator(".nbp-grip")
    start = grip.bounding_box()
    assert start is not None
    x, y = start["x"] + 3, start["y"] + 20
    widget.page.mouse.move(x, y)
    widget.page.mouse.down()
    widget.page.mouse.move(x - 200, y, steps=3)
    assert width(grid, "name") == pytest.approx(before - 200, abs=2)
    widget.page.mouse.up()
    widget.settled()
    assert grid.evaluate(_CLIPPED) == []
    assert width(grid, "calls") == pytest.approx(calls, abs=1), "other columns keep their width"
    # Other views come and go, and the width stays.
    widget.open_view("Operators").open_view("Kernels")
    assert width(widget.grid("Kernels"), "name") == pytest.approx(before - 200, abs=2)
    # Short names need less room than they have.
    grid = widget.open_view("Operators").grid("Operators")
    before = width(grid, "name")
    head(grid, "name").locator(".nbp-grip").dblclick(position={"x": 3, "y": 20})
    widget.eventually(lambda: width(grid, "name") < before, expected=True)
    assert not any("…" in name for name in names(grid))
    assert bare.faults == []


def test_they_grow_scroll_on_and_are_few_steps_away(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, view = bare.show(samples_profile, run=RUN, view="operators", width=1200)
    grid = widget.grid("Operators")
    assert view.trace.operators().num_rows > 20
    assert 20 <= grid.evaluate(_LINES) <= 21
    frame = grid.locator("xpath=..")
    page = widget.page
    page.set_viewport_size({"width": 1200, "height": 700})
    grid.scroll_into_view_if_needed()
    page.evaluate("() => { document.body.style.paddingBottom = '2000px'; }")
    frame.evaluate("frame => frame.scrollIntoView({block: 'center'})")
    frame.hover()
    widget.eventually(lambda: frame.evaluate("e => e.scrollTop > 0") or wheel(page), expected=True)
    frame.evaluate("frame => { frame.scrollTop = frame.scrollHeight; }")
    top = page.evaluate("() => scrollY")
    widget.eventually(
        lambda: page.evaluate("top => scrollY > top", top) or wheel(page), expected=True
    )
    # From the search field: the columns' menu, the header, the rows, and out again.
    widget.root.get_by_role("textbox", name="Find in Operators").focus()
    seen = []
    for _ in range(4):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(_FOCUS)[0])
    assert seen[:3] == ["BUTTON", "BUTTON", "TR"]
    assert not grid.evaluate("grid => grid.contains(grid.getRootNode().activeElement)")
    # Shift and arrows resize the column of the focused header.
    before = width(grid, "calls")
    head(grid, "calls").get_by_role("button").focus()
    page.keyboard.press("Shift+ArrowRight")
    widget.eventually(lambda: round(width(grid, "calls") - before), 16)
    assert page.evaluate(_FOCUS)[0] == "BUTTON"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(_FOCUS)[0] == "TR"
    assert bare.faults == []


def wheel(page: object) -> bool:
    """Turn the wheel once, as a new gesture; a page scrolls on only with the next one."""
    page.mouse.wheel(0, 240)  # type: ignore[attr-defined] # a Page
    page.wait_for_timeout(300)  # type: ignore[attr-defined]
    return False


def test_stacks_are_a_tree_on_a_page_too_without_links(
    bare: Bare, browser: Browser, samples_profile: nbprof.Profile, tmp_path: Path
) -> None:
    widget, view = bare.show(samples_profile, run="torch_cpu_convnet", view="operators")
    live = opened(widget)
    path = tmp_path / "page.html"
    view.to_html(path)
    context = browser.new_context(viewport={"width": 1200, "height": 1300})
    try:
        page = context.new_page()
        page.goto(path.as_uri())
        found = type(widget)(page.locator(".nbp").first).settled()
        assert opened(found) == live
        assert found.root.get_by_role("link").count() == 0
    finally:
        context.close()
    assert bare.faults == []


def opened(widget: Widget) -> list[str]:
    """Open the stacks of an operator with keys, and a branch, and read the lines."""
    grid = widget.grid("Operators")
    row = grid.locator("tr", has_text="aten::convolution_backward").first
    row.focus()
    row.press("ArrowRight")
    lines = grid.locator(".nbp-sub")
    lines.nth(2).wait_for()
    keys = widget.page.keyboard
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    before = lines.count()
    keys.press("ArrowRight")
    widget.eventually(lambda: lines.count() > before, expected=True)
    texts: list[str] = lines.all_inner_texts()
    calls = [int(line.locator("td").nth(1).inner_text()) for line in lines.all()]
    # The line of what all share, its two branches, and the two below the first.
    assert calls == [30, 28, 27, 1, 2]
    return texts


def test_memory_and_shares_of_operators_are_chosen(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, explorer = bare.show(samples_profile, run=RUN, view="operators", width=1400)
    grid = widget.grid("Operators")
    assert head(grid, "device_mean_us").count() == 1
    assert head(grid, "device_memory_self_bytes").count() == 0  # hidden at first
    widget.root.get_by_role("button", name="Columns ▾").click()
    for words in ("Device memory: self", "Device memory: total", "Device time: self share"):
        widget.root.get_by_role("checkbox", name=words, exact=True).check()
    widget.page.keyboard.press("Escape")
    bare.picture(widget, "operators_memory")
    rows = {row["name"]: row for row in explorer.trace.operators().to_pylist()}
    shown = widget.rows("Operators")
    assert len(shown) > 10
    for row in shown[:10]:
        wanted = rows[row["name"]]["device_self_pct"]
        assert float(row["device_self_pct"]) == pytest.approx(wanted, abs=0.051)
    assert any(row["device_memory_self_bytes"] not in ("0", "") for row in shown)
    assert explorer.errors == []
