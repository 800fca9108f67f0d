"""Tooltips go with what they belong to: a view, a row, a bar, a slice, or its place on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from nbprof import Explorer
    from tests.browser.driving.bare import Bare
    from tests.browser.driving.widget import Widget

pytestmark = pytest.mark.browser

GPU = ROOT / "tests/samples/gpu_resnet_synthetic"
#: The texts of the tooltips in sight; those of BokehJS stand outside of the widget.
SHOWN = """() => {
  const found = [];
  const look = root => {
    for (const one of root.querySelectorAll('*')) {
      if (one.matches('.nbp-tip, .bk-Tooltip') && one.checkVisibility()) {
        const inside = one.shadowRoot?.querySelector('.rows')?.textContent ?? '';
        found.push(one.textContent + inside);
      }
      if (one.shadowRoot) look(one.shadowRoot);
    }
  };
  look(document);
  return found;
}"""


def shown(widget: Widget) -> set[str]:
    """Return the texts of the tooltips in sight."""
    return set(widget.page.evaluate(SHOWN))


def told(widget: Widget) -> None:
    """Bring to the page what was changed in Python: this host speaks only when it is spoken to."""
    hello = "{v: 1, id: 1, op: 'hello', gen: 0, params: {}}"
    widget.page.evaluate(f"() => nbprofModel.send({hello})")
    widget.settled()


def rest_on(widget: Widget, x: float, y: float) -> None:
    """Move the pointer to a place on the page and wait until something is said of it."""
    widget.page.mouse.move(x - 3, y - 3)
    widget.page.mouse.move(x, y)
    widget.eventually(lambda: bool(shown(widget)), expected=True)


def bar(widget: Widget) -> tuple[float, float]:
    """Return a place in the chart of steps."""
    widget.open_view("Overview")
    chart = widget.root.locator("section", has_text="Step time breakdown").last.locator(
        ".nbp-chart"
    )
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box
    return box["x"] + 80, box["y"] + 180


def part(widget: Widget) -> tuple[float, float]:
    """Return a place on the ring of a donut."""
    widget.open_view("Operators")
    chart = widget.root.locator(".nbp-chart").locator("visible=true").first
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box
    return box["x"] + box["width"] / 2 + 40, box["y"] + 20 + (box["height"] - 20) / 2


def head(widget: Widget) -> tuple[float, float]:
    """Return a place on the heading of a table."""
    widget.open_view("Operators")
    heading = widget.root.get_by_role("grid", name="Operators").locator("thead th[data-tip]").nth(1)
    heading.scroll_into_view_if_needed()
    box = heading.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def slice_(widget: Widget) -> tuple[float, float]:
    """Return a place on a slice in the lanes."""
    widget.open_view("Timeline")
    box = widget.root.locator(".nbp-tl-lanes canvas").first.bounding_box()
    assert box
    return box["x"] + box["width"] / 3, box["y"] + 60


def other_view(view: Explorer, widget: Widget) -> None:
    view.active = "kernels"


def filtered(view: Explorer, widget: Widget) -> None:
    view.filter = {"name": "conv", "steps": [3, 4]}


def scrolled(view: Explorer, widget: Widget) -> None:
    widget.page.evaluate("() => scrollBy(0, 400)")


def rolled(view: Explorer, widget: Widget) -> None:
    widget.page.mouse.wheel(0, 400)


CHANGES = (other_view, filtered, scrolled, rolled)
#: A filter leaves the slice under the pointer; a table scrolls under its heading.
STAYS = (("slice", filtered), ("head", rolled))
PLACES = {"bar": bar, "part": part, "head": head, "slice": slice_}


@pytest.mark.parametrize("place", PLACES)
def test_tooltips_go_with_what_they_belong_to(bare: Bare, place: str) -> None:
    widget, view = bare.show(GPU, width=1000)
    widget.page.set_viewport_size({"width": 1000, "height": 700})
    widget.page.evaluate("() => { document.body.style.paddingBottom = '900px'; }")
    for change in CHANGES:
        if (place, change) in STAYS:
            continue
        widget.page.mouse.move(2, 2)
        widget.page.evaluate("() => scrollTo(0, 0)")
        view.filter = {}
        told(widget)
        rest_on(widget, *PLACES[place](widget))
        before = shown(widget)
        change(view, widget)
        told(widget)
        widget.eventually(lambda: shown(widget) & before, set())  # noqa: B023 - used at once
