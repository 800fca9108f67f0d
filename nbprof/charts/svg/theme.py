"""Colours of static drawings, which have to be legible on light and dark pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from nbprof.charts.theme import PALETTES, Palette, palette

_LIGHT: Final = PALETTES["light"]

#: The gray that stands out equally, 4.3:1, from white and from the darkest page of notebooks; no
#: colour reaches more on both. Tables beside the drawings have all numbers in the page's own ink.
_INK: Final = "#797979"

#: Colours with 3:1 at least on white and on #111 alike. Images cannot ask which theme a notebook
#: has: they have no background, and fit both.
EITHER: Final = replace(
    _LIGHT,
    background="none",
    raised="none",
    foreground=_INK,
    muted=_INK,
    line="rgba(128, 128, 128, 0.3)",
    line_strong="rgba(128, 128, 128, 0.8)",
    grid="rgba(128, 128, 128, 0.22)",
    remainder="#8e9298",
    allocated="#6a83a6",
    reserved="#8a8a8a",
    categories={
        **_LIGHT.categories,
        "memset": "#757a3c",
        "communication": "#b06a8c",
        "cpu_exec": "#4576c6",
    },
)


def static_palette(theme: str) -> Palette:
    """Return the palette of a theme; of ``"auto"`` the one that fits light and dark pages.

    Raises
    ------
    ValueError
        The theme is none of ``"auto"``, ``"light"`` and ``"dark"``.
    """
    return EITHER if theme == "auto" else palette(theme)
