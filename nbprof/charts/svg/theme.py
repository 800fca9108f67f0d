"""The palettes of static drawings, one of which is legible on both light and dark pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from nbprof.charts.theme import PALETTES, Palette, palette

_LIGHT: Final = PALETTES["light"]

#: The gray with equal contrast, 4.3:1, to white and to the darkest page of notebooks; no colour has
#: more contrast to both. Tables beside the drawings show all numbers in the page's text colour.
_INK: Final = "#797979"

#: Colours with a contrast of at least 3:1 both on white and on #111. Images cannot detect the theme
#: of a notebook, so they are transparent and suit both.
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
    """Return the palette of a theme; ``"auto"`` gives one for both light and dark pages.

    Raises
    ------
    ValueError
        The theme is none of ``"auto"``, ``"light"`` and ``"dark"``.
    """
    return EITHER if theme == "auto" else palette(theme)
