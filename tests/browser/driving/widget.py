"""Drives one nbprof widget on a page: tabs, tables, charts and filters."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

from tests.browser.driving import looks
from tests.browser.driving.lab import PATIENCE_MS

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator

T = TypeVar("T")

_ROWS = """grid => {
  const left = cell => cell.getBoundingClientRect().left;
  const heads = [...grid.querySelectorAll('thead th[data-key]')].sort((a, b) => left(a) - left(b));
  const keys = heads.map(head => head.dataset.key);
  const text = cell => (cell.querySelector('.nbp-hidden-text')
    ?? cell.querySelector('.nbp-namecell > span:last-child') ?? cell).textContent.trim();
  return [...grid.querySelectorAll('tbody tr[data-line]:not(.nbp-sub)')].map(row =>
    Object.fromEntries([...row.cells].map((cell, at) => [keys[at], text(cell)])));
}"""

_UNIT = """(grid, key) => {
  const head = grid.querySelector(`thead th[data-key="${key}"]`);
  const own = head.querySelector('em');
  if (own) return own.innerText.trim();
  const middle = head.getBoundingClientRect().left + 2;
  for (const group of grid.querySelectorAll('thead th[scope=colgroup]')) {
    const box = group.getBoundingClientRect();
    if (box.left <= middle && middle <= box.right)
      return group.querySelector('em')?.innerText.trim();
  }
  return null;
}"""

#: The views, and how many charts each has of the GPU sample.
CHARTS = {
    "Overview": 6,
    "Operators": 4,
    "Kernels": 2,
    "Roofline": 1,
    "Timeline": 0,
    "Memory": 1,
    "Modules": 0,
    "Distributed": 2,
}
#: Microseconds in one of each unit of time.
UNITS = {"µs": 1.0, "ms": 1e3, "s": 1e6}


class Widget:
    """What can be done with a widget, and what it shows."""

    def __init__(self, root: Locator) -> None:
        self.root = root
        self.page = root.page

    def eventually(self, read: Callable[[], T], expected: T) -> None:
        """Wait until something reads as expected; fails with what it read last."""
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while (found := read()) != expected:
            assert time.monotonic() < deadline, f"expected {expected!r}, and it stays {found!r}"
            self.page.wait_for_timeout(50)  # between two looks

    def settled(self) -> Widget:
        """Wait until nothing is being read or computed, and every chart in sight is drawn."""
        self.root.wait_for()
        self.eventually(self._busy, [])
        return self

    def _busy(self) -> list[str]:
        return self.root.evaluate(
            """root => {
              const seen = (root.shadowRoot ?? root).querySelectorAll(
                '[aria-busy=true], [data-asking], [data-waits], .nbp-wait, .nbp-bone, '
                  + '.nbp-progress:not([hidden])');
              const busy = [...seen].filter(element => element.checkVisibility());
              const empty = [...(root.shadowRoot ?? root).querySelectorAll('.nbp-figure')].filter(
                figure => figure.checkVisibility() && !figure.childElementCount);
              const body = (root.shadowRoot ?? root).querySelector('.nbp-body');
              return [...busy, ...empty].map(element => element.className)
                .concat(body ? [] : ['no view yet']);
            }"""
        )

    # -- what a person does --------------------------------------------------------------------

    def open_view(self, name: str) -> Widget:
        """Go to a view by its tab."""
        self.root.get_by_role("tab", name=name, exact=True).click()
        self.root.get_by_role("tab", name=name, exact=True, selected=True).wait_for()
        # The view before stays in sight until the script of this one is loaded.
        self.root.get_by_role("tabpanel", name=name, exact=True).wait_for()
        return self.settled()

    def group_by(self, label: str) -> Widget:
        """Press a button of "Group by", and wait for its rows: those before go meanwhile."""
        group = self.root.get_by_role("group", name="Group by").locator("visible=true")
        group.get_by_role("button", name=label, exact=True).click()
        return self.settled()

    def choose_view(self, name: str) -> Widget:
        """Go to a view by the select that narrow cells have in place of tabs."""
        self.root.get_by_role("combobox", name="View").select_option(label=name)
        return self.settled()

    def filter_name(self, text: str) -> Widget:
        """Type into the filter's name field and press Enter."""
        field = self.root.get_by_role("combobox", name="Name", exact=True)
        field.fill(text)
        field.press("Enter")
        return self

    # -- what a person sees --------------------------------------------------------------------

    def grid(self, title: str) -> Locator:
        """Find a table by its title."""
        return self.root.get_by_role("grid", name=title, exact=True)

    def rows(self, title: str) -> list[dict[str, str]]:
        """Read the rows in sight as texts by column."""
        return self.grid(title).evaluate(_ROWS)

    def column(self, title: str, key: str) -> list[str]:
        """Read a column of the rows in sight."""
        return [row[key] for row in self.rows(title)]

    def times_us(self, title: str, key: str) -> list[tuple[float, float]]:
        """Read a column of times in µs, each with half of its last digit."""
        unit = UNITS[self.grid(title).evaluate(_UNIT, key)]
        found = []
        for text in self.column(title, key):
            decimals = len(text.partition(".")[2])
            found.append((float(text.replace(",", "")) * unit, 0.5 * 10**-decimals * unit))
        return found

    def text(self) -> str:
        """Read everything in sight."""
        return self.root.inner_text()

    def drawn(self, charts: int) -> Widget:
        """Wait until so many charts are in sight, none of them blank, and nothing is under way."""
        self.eventually(
            lambda: ["drawn" if n >= 4 else f"{n} colors" for n in looks.chart_colors(self.root)],
            ["drawn"] * charts,
        )
        return self.settled()

    def misfits(self) -> list[str]:
        """List what is cut, sticks out, or scrolls the page sideways."""
        return looks.misfits(self.root)

    def access_faults(self) -> list[Any]:
        """List what axe-core finds serious."""
        return looks.access_faults(self.root)


def assert_times(shown: list[tuple[float, float]], exact: list[float]) -> None:
    """Hold times on the screen to Python's, to the last digit that is shown."""
    assert shown, "no row in sight"
    for (value, half), wanted in zip(shown, exact, strict=False):
        assert abs(value - wanted) <= half * 1.0001, (value, wanted)
