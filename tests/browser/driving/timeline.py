"""Drives the timeline of a widget on a page, and reads what it shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.browser.driving.widget import UNITS

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.browser.driving.widget import Widget

_RANGE = re.compile(r"([\d,.]+) to ([\d,.]+) (µs|ms|s) \(")

#: The share of pixels of a canvas that are not its most common color, and how many colors it has.
_PIXELS = """canvas => {
  const {width, height} = canvas;
  const data = new Uint32Array(
    canvas.getContext('2d').getImageData(0, 0, width, height).data.buffer);
  const counts = new Map();
  for (const pixel of data) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  return [1 - Math.max(...counts.values()) / data.length, counts.size];
}"""

#: Share of the columns of a canvas, left and right half, in which something is drawn.
_COLUMNS = """canvas => {
  const {width, height} = canvas;
  const data = new Uint32Array(
    canvas.getContext('2d').getImageData(0, 0, width, height).data.buffer);
  const counts = new Map();
  for (const pixel of data) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const ground = [...counts].sort((a, b) => b[1] - a[1])[0][0];
  const drawn = [0, 0];
  for (let x = 0; x < width; x += 1) {
    let other = 0;
    for (let y = 0; y < height; y += 1) if (data[y * width + x] !== ground) other += 1;
    if (other > height / 20) drawn[x < width / 2 ? 0 : 1] += 1;
  }
  return drawn.map(count => count / (width / 2));
}"""


class Timeline:
    """What can be done with the timeline of a widget, and what it shows."""

    def __init__(self, widget: Widget) -> None:
        self.widget = widget
        self.page = widget.page
        self.canvas: Locator = widget.root.locator(".nbp-tl-lanes canvas")

    def ready(self) -> Timeline:
        """Wait until the lanes are drawn and nothing is asked for any more."""
        self.canvas.wait_for()
        self.widget.settled()
        self.widget.eventually(lambda: self.pixels()[1] >= 4, expected=True)
        return self

    # -- what a person does --------------------------------------------------------------------

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Give the place on the page of shares of the canvas."""
        box = self.canvas.bounding_box()
        assert box is not None
        return box["x"] + x * box["width"], box["y"] + y * box["height"]

    def wheel(self, down: float, *, held: str = "", x: float = 0.5, y: float = 0.3) -> None:
        """Turn the wheel over the lanes, with a key held down."""
        self.page.mouse.move(*self.at(x, y))
        if held:
            self.page.keyboard.down(held)
        self.page.mouse.wheel(0, down)
        if held:
            self.page.keyboard.up(held)

    def drag(
        self, start: tuple[float, float], end: tuple[float, float], held: str = ""
    ) -> list[list[float]]:
        """Drag from one share of the canvas to another; gives what was drawn meanwhile."""
        if held:
            self.page.keyboard.down(held)
        self.page.mouse.move(*self.at(*start))
        self.page.mouse.down()
        seen = []
        for step in range(1, 9):
            share = step / 8
            place = [a + (b - a) * share for a, b in zip(start, end, strict=True)]
            self.page.mouse.move(*self.at(place[0], place[1]))
            self.page.wait_for_timeout(20)  # a hand is no faster
            seen.append(self.columns())
        self.page.mouse.up()
        if held:
            self.page.keyboard.up(held)
        return seen

    def click(self, x: float, y: float) -> None:
        """Click at shares of the canvas."""
        self.page.mouse.click(*self.at(x, y))

    def press(self, key: str) -> None:
        """Press a key with the focus on the lanes."""
        self.canvas.focus()
        self.page.keyboard.press(key)

    def search(self, text: str) -> None:
        """Type a name to search for."""
        self.widget.root.get_by_label("Search slices by name").fill(text)

    # -- what a person sees --------------------------------------------------------------------

    def window_us(self) -> tuple[float, float]:
        """Read the window that the toolbar names."""
        text = self.widget.root.locator(".nbp-tl-range").text_content() or ""
        found = _RANGE.match(text)
        assert found, text
        scale = UNITS[found[3]]
        first, last = (float(found[n].replace(",", "")) * scale for n in (1, 2))
        return first, last

    def length_us(self) -> float:
        """Read how long the window is."""
        first, last = self.window_us()
        return last - first

    def count(self) -> str:
        """Read the count beside the search."""
        return self.widget.root.locator(".nbp-tl-count").inner_text()

    def details(self) -> str:
        """Read what stands under the lanes."""
        return self.widget.root.locator(".nbp-tl-details").inner_text()

    def pixels(self) -> tuple[float, int]:
        """Give the share of pixels that are drawn on, and the number of colors."""
        share, colors = self.canvas.evaluate(_PIXELS)
        return share, colors

    def columns(self) -> list[float]:
        """Give the share of columns, in the left and the right half, with anything in them."""
        shares: list[Any] = self.canvas.evaluate(_COLUMNS)
        return [float(share) for share in shares]
