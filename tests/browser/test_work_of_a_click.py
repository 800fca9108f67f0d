"""What a click makes the page do, counted in Chromium: figures, looks, cells anew or clipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    import nbprof
    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser

#: Keeps the data of every figure of BokehJS, with its place on the page.
_KEEP = """() => {
    const data = view => view.model.renderers.map(({ data_source }) => data_source.data);
    const figures = [...Bokeh.index.roots].filter(view => view.model.renderers);
    window.keptData = figures.map(view => [view, data(view)]);
}"""
#: Tells for every such figure whether it is in sight, and whether its data was exchanged.
_EXCHANGED = """() => window.keptData.map(([view, before]) => [
    view.el.getBoundingClientRect().top < innerHeight
        && view.el.getBoundingClientRect().bottom > 0,
    view.model.renderers.some(({ data_source }, at) => data_source.data !== before[at]),
])"""
#: Notes for every renderer of BokehJS which of its glyphs it computes, looks of the same rows.
_NOTE_LOOKS = """() => {
    const noted = window.computedLooks = new Map();
    const renderers = [...Bokeh.index.roots].flatMap(
        view => [...view.renderer_views?.values() ?? []]);
    let glyphs = renderers.find(one => one.glyph).glyph;
    while (!Object.hasOwn(glyphs, 'set_visuals')) glyphs = Object.getPrototypeOf(glyphs);
    const { set_visuals } = glyphs;
    glyphs.set_visuals = function (...values) {
        if (!noted.has(this.parent)) noted.set(this.parent, new Set());
        noted.get(this.parent).add(this);
        return set_visuals.apply(this, values);
    };
}"""
#: Tells for every renderer that got data the number of its looks that were computed, and of those
#: that Python sets beside the plain one.
_LOOKS = """() => [...window.computedLooks].map(([{ model }, looks]) => [
    looks.size, Object.keys(model.attributes).filter(
        name => /^(hover|selection|nonselection|muted)_glyph$/.test(name) && model[name]).length,
])"""
#: Keeps the texts of the style sheets that place titles; then tells how many still stand.
_KEEP_PLACES = """() => {
    const renderers = [...Bokeh.index.roots].flatMap(
        view => [...view.renderer_views?.values() ?? []]);
    window.keptPlaces = renderers.filter(({ glyph, position }) => !glyph && position)
        .map(({ position }) => [position.el, position.el.firstChild]);
}"""
_KEPT_PLACES = """() => {
    const places = window.keptPlaces.filter(([, text]) => text);
    return [places.length, places.filter(([el, text]) => el.firstChild === text).length];
}"""
#: The canvases over the figures, shown or not, before and after a box is drawn there.
_LAYERS = """async () => {
    const figures = [...Bokeh.index.roots].filter(view => view.canvas_view);
    const shown = ({ canvas_view }) => canvas_view.overlays.el.checkVisibility();
    const before = figures.filter(shown).length;
    const boxes = figures.flatMap(view => [...view.renderer_views.values()]
        .filter(({ model }) => model.level === 'overlay').map(({ model }) => [view, model]));
    const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    const set = async values => {
        for (const [, box] of boxes) box.setv(values);
        await frame();
        await frame();
        return boxes.filter(([view]) => shown(view)).length;
    };
    const drawn = await set({ left: 10, right: 60, top: 60, bottom: 10, visible: true });
    const after = await set({ visible: false });
    return [figures.length, before, boxes.length, drawn, after];
}"""
#: Keeps the cells of the tables above and beside the charts; then tells how many are still there.
_KEEP_CELLS = "root => { window.keptCells = [...root.querySelectorAll('.nbp-body td')]; }"
_KEPT_CELLS = """() => {
    const cells = window.keptCells;
    return [cells.length, cells.filter(cell => cell.isConnected).length];
}"""
#: The cells of a grid, and those of them that clip.
_CELLS = """grid => {
    const cells = [...grid.querySelectorAll('tbody td')];
    const clips = cell => getComputedStyle(cell).overflowX !== 'visible';
    return [cells.length, cells.filter(clips).length];
}"""
#: Cells whose text is wider than they are and is not clipped.
_SPILLS = """grid => [...grid.querySelectorAll('tbody td')].filter(cell =>
    cell.scrollWidth > cell.clientWidth + 1 && getComputedStyle(cell).overflowX === 'visible'
).map(cell => cell.textContent)"""


def exchanged(page: Page) -> list[tuple[bool, bool]]:
    """Tell for every figure whether it is in sight, and whether its data was exchanged."""
    return [(bool(sight), bool(new)) for sight, new in page.evaluate(_EXCHANGED)]


def test_a_filter_leaves_figures_out_of_sight_until_they_come_near(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, view = bare.show(samples_profile, run="gpu_resnet_synthetic", view="overview")
    page = widget.root.page
    page.set_viewport_size({"width": 1200, "height": 500})
    widget.drawn(6).settled()
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    page.evaluate(_KEEP)
    field = widget.root.get_by_role("textbox", name="Steps, last")
    field.fill(str(view.trace.steps()["step"][1].as_py()))
    field.press("Enter")
    widget.settled()
    found = exchanged(page)
    assert (True, True) in found
    assert (False, False) in found, "all figures were exchanged, although some are out of sight"
    assert (True, False) not in found
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    widget.eventually(lambda: all(new for sight, new in exchanged(page) if sight), expected=True)


def test_a_figure_out_of_sight_tells_in_words_what_a_filter_changed(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, view = bare.show(samples_profile, run="gpu_resnet_synthetic", view="overview")
    page = widget.root.page
    page.set_viewport_size({"width": 1200, "height": 300})
    widget.drawn(6).settled()
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    page.evaluate(_KEEP)
    donut = widget.root.get_by_role("img", name="Time by category")
    before = donut.get_attribute("aria-label")
    steps = view.trace.steps()["step"]
    view.filter = {"steps": (steps[1].as_py(), steps[1].as_py())}
    widget.eventually(lambda: donut.get_attribute("aria-label") != before, expected=True)
    waiting = donut.get_attribute("aria-label")
    assert waiting is not None
    assert waiting.startswith("Time by category: ")
    assert (False, False) in exchanged(page)
    page.evaluate("scrollTo(0, 0)")
    widget.eventually(lambda: any(new for sight, new in exchanged(page) if sight), expected=True)
    assert donut.get_attribute("aria-label") == waiting


def test_a_filter_computes_no_look_that_is_never_shown(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, view = bare.show(samples_profile, run="gpu_resnet_synthetic", view="overview")
    page = widget.root.page
    widget.drawn(6).settled()
    page.evaluate(_NOTE_LOOKS)
    field = widget.root.get_by_role("textbox", name="Steps, last")
    field.fill(str(view.trace.steps()["step"][1].as_py()))
    field.press("Enter")
    widget.settled()
    widget.eventually(lambda: len(page.evaluate(_LOOKS)) > 0, expected=True)
    for computed, own in page.evaluate(_LOOKS):
        assert computed <= 1 + own


def test_layers_over_figures_are_shown_only_while_used(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, _ = bare.show(samples_profile, run="gpu_resnet_synthetic", view="overview")
    widget.drawn(6).settled()
    figures, before, boxes, drawn, after = widget.root.page.evaluate(_LAYERS)
    assert figures > 4
    assert boxes > 0
    assert (before, drawn, after) == (0, boxes, 0)


def test_a_filter_keeps_the_places_of_titles(bare: Bare, samples_profile: nbprof.Profile) -> None:
    widget, view = bare.show(samples_profile, run="gpu_resnet_synthetic", view="overview")
    page = widget.root.page
    widget.drawn(6).settled()
    page.evaluate(_KEEP_PLACES)
    page.evaluate(_KEEP)
    field = widget.root.get_by_role("textbox", name="Steps, last")
    field.fill(str(view.trace.steps()["step"][1].as_py()))
    field.press("Enter")
    widget.settled()
    widget.eventually(lambda: any(new for _, new in exchanged(page)), expected=True)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    places, kept = page.evaluate(_KEPT_PLACES)
    assert places > 4
    assert kept == places


def test_a_filter_keeps_the_cells_of_tables_beside_charts(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, view = bare.show(samples_profile, run="gpu_resnet_synthetic", view="overview")
    widget.drawn(6).settled()
    widget.root.evaluate(_KEEP_CELLS)
    texts = widget.root.locator(".nbp-summary table").inner_text()
    field = widget.root.get_by_role("textbox", name="Steps, last")
    field.fill(str(view.trace.steps()["step"][1].as_py()))
    field.press("Enter")
    widget.settled()
    assert widget.root.locator(".nbp-summary table").inner_text() != texts
    cells, kept = widget.root.page.evaluate(_KEPT_CELLS)
    assert cells > 40
    assert kept > cells * 0.9, f"{cells - kept} of {cells} cells were made anew"


@pytest.mark.parametrize(("view", "title"), [("operators", "Operators"), ("kernels", "Kernels")])
def test_few_cells_clip_and_none_spills(
    bare: Bare, samples_profile: nbprof.Profile, view: str, title: str
) -> None:
    shown: dict[str, Any] = {"run": "gpu_resnet_synthetic", "view": view}
    widget, _ = bare.show(samples_profile, width=1400, **shown)
    grid = widget.grid(title)
    cells, clipping = grid.evaluate(_CELLS)
    assert cells > 100
    assert clipping < cells / 10, f"{clipping} of {cells} cells clip, which each frame pays for"
    assert grid.evaluate(_SPILLS) == []


def test_names_stay_in_sight_only_where_a_table_scrolls_sideways(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    place = "grid => getComputedStyle(grid.querySelector('tbody tr[aria-rowindex] td')).position"
    for width, expected in ((1400, "static"), (600, "sticky")):
        shown: dict[str, Any] = {"run": "gpu_resnet_synthetic", "view": "operators"}
        widget, _ = bare.show(samples_profile, width=width, **shown)
        assert widget.grid("Operators").evaluate(place) == expected


def test_the_table_of_a_card_is_made_when_it_is_shown(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    widget, _ = bare.show(samples_profile, run="gpu_resnet_synthetic", view="overview")
    cards = widget.root.locator(".nbp-cards section")
    before = cards.locator("table").count()
    cards.get_by_role("button", name="View as table").first.click()
    assert cards.locator("table").count() == before + 1
    assert cards.locator("tbody tr").first.is_visible()
