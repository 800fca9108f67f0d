"""The timeline of a page under a filter of names: other slices are dimmed, the rest counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbprof.timeline.search import find

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    import nbprof
    from nbprof.model.trace.model import TraceModel
    from tests.browser.driving.bare import Bare
    from tests.browser.driving.widget import Widget

pytestmark = pytest.mark.browser

RUN = "gpu_resnet_synthetic"
#: What is painted on the canvas of the lanes.
_PAINTED = """root => [...(root.shadowRoot ?? root).querySelectorAll('.nbp-tl canvas')]
    .map(canvas => canvas.toDataURL()).join()"""


def painted(widget: Widget) -> str:
    found: str = widget.root.evaluate(_PAINTED)
    return found


def said(widget: Widget) -> str:
    return widget.root.locator(".nbp-tl-foot").get_by_role("status").inner_text()


@pytest.mark.parametrize("look", [(1300, "light"), (480, "dark")])
def test_a_page_marks_the_slices_of_a_name_as_a_notebook_does(
    bare: Bare,
    browser: Browser,
    samples_profile: nbprof.Profile,
    tmp_path: Path,
    look: tuple[int, str],
) -> None:
    width, theme = look
    options = {"run": RUN, "view": "timeline", "width": width, "theme": theme}
    live, view = bare.show(samples_profile, **options)
    path = tmp_path / "page.html"
    view.theme = theme
    view.to_html(path)
    view.filter = {"name": "conv"}
    count = find(view.trace.model, "conv").count
    words = f"{count:,} slices match the name filter"
    live.eventually(lambda: said(live), words)
    context = browser.new_context(viewport={"width": width, "height": 1300})
    try:
        page = context.new_page()
        page.goto(path.as_uri())
        widget = type(live)(page.locator(".nbp").first).settled()
        page.wait_for_timeout(300)  # the second level is drawn like the first
        plain = painted(widget)
        assert said(widget) == ""
        if width < 600:
            widget.root.get_by_role("button", name="Filters ▾").click()
        widget.filter_name("conv")
        widget.eventually(lambda: said(widget), words)
        widget.eventually(lambda: painted(widget) != plain, expected=True)
        bare.picture(widget, f"timeline_page_name_{width}_{theme}")
        bare.picture(live, f"timeline_live_name_{width}_{theme}")
        assert widget.misfits() == []
        marked = painted(widget)
        widget.filter_name("no such name")
        widget.eventually(lambda: said(widget), "0 slices match the name filter")
        widget.eventually(lambda: painted(widget) not in (plain, marked), expected=True)
        widget.filter_name("")
        widget.eventually(lambda: said(widget), "")
        widget.eventually(lambda: painted(widget) == plain, expected=True)
        if width > 600:
            assert_searched(widget, view.trace.model)
            live.filter_name("")
            assert_searched(live, view.trace.model)
    finally:
        context.close()
    assert bare.faults == []


def assert_searched(widget: Widget, model: TraceModel) -> None:
    """Search for names, and go to matches by keys."""
    field = widget.root.get_by_role("textbox", name="Search slices by name")
    count = widget.root.locator(".nbp-tl-count")
    for text in ("conv", "/^aten::.*relu/"):
        matches = find(model, text).count
        assert matches > 2
        field.fill(text)
        widget.eventually(count.inner_text, f"1 of {matches:,}")
        field.press("Enter")
        field.press("Enter")
        widget.eventually(count.inner_text, f"2 of {matches:,}")
        field.press("Shift+Enter")
        widget.eventually(count.inner_text, f"1 of {matches:,}")
        field.press("Shift+Enter")
        widget.eventually(count.inner_text, f"{matches:,} of {matches:,}")
    field.fill("no such name")
    widget.eventually(count.inner_text, "No match")
