"""`Palette`: colours of texts, categories and names on a light and on a dark background."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Theme: TypeAlias = Literal["light", "dark"]

#: The category that is drawn hatched, to mark idle time by more than its colour.
HATCHED: Final = "other"

#: Opacity of points that may cover others.
BUBBLE: Final = 0.6

#: Font families that notebooks use for their own text, so that charts match their surroundings.
FONT: Final = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"

#: Tokens of colours that are attributes of a palette.
_INKS: Final = frozenset(
    [
        "background",
        "foreground",
        "muted",
        "line",
        "line_strong",
        "grid",
        "accent",
        "remainder",
        "allocated",
        "reserved",
    ]
)


@dataclass(frozen=True)
class Palette:
    """Colours of one theme, each legible on its background.

    Text has a contrast of at least 4.5:1; fills and lines that carry meaning have at least 3:1.
    `remainder` fills slices without a name of their own, `slots` are the ten colours of names, and
    `categories` are the colours of `nbprof.model.trace.kinds.CATEGORIES`. Memory is drawn in
    `allocated` and `reserved`.
    """

    background: str
    raised: str
    foreground: str
    muted: str
    line: str
    line_strong: str
    grid: str
    accent: str
    remainder: str
    allocated: str
    reserved: str
    categories: dict[str, str]
    slots: tuple[str, ...]

    def color(self, token: str) -> str:
        """Return the colour of a token.

        Parameters
        ----------
        token : str
            A category, ``slot0`` to ``slot9``, or the name of another colour of this class.

        Raises
        ------
        ValueError
            There is no such colour.
        """
        if token in self.categories:
            return self.categories[token]
        if token.startswith("slot") and token[4:].isdigit() and int(token[4:]) < len(self.slots):
            return self.slots[int(token[4:])]
        if token in _INKS:
            return str(getattr(self, token))
        message = f"There is no colour {token!r}."
        raise ValueError(message)


PALETTES: Final[dict[Theme, Palette]] = {
    "light": Palette(
        background="#ffffff",
        raised="#ffffff",
        foreground="rgba(0, 0, 0, 0.87)",
        muted="#5b5b5b",
        line="rgba(0, 0, 0, 0.12)",
        line_strong="rgba(0, 0, 0, 0.45)",
        grid="rgba(0, 0, 0, 0.08)",
        accent="#1976d2",
        remainder="#d9dbde",
        allocated="#44546a",
        reserved="#6f6f6f",
        categories={
            "kernel": "#178f6e",
            "memcpy": "#d57f00",
            "memset": "#414626",
            "communication": "#5e244e",
            "runtime": "#ad7bef",
            "dataloader": "#a84d0f",
            "cpu_exec": "#2656a6",
            "other": "#8f949b",
        },
        slots=(
            "#6895c3",
            "#a6744a",
            "#60a17f",
            "#9072a6",
            "#9d9253",
            "#ad6b6b",
            "#47a0a9",
            "#a26c90",
            "#7f9b63",
            "#767bb2",
        ),
    ),
    "dark": Palette(
        background="#111111",
        raised="#212121",
        foreground="rgba(255, 255, 255, 0.87)",
        muted="#aaaaaa",
        line="rgba(255, 255, 255, 0.12)",
        line_strong="rgba(255, 255, 255, 0.45)",
        grid="rgba(255, 255, 255, 0.08)",
        accent="#2196f3",
        remainder="#4a4d52",
        allocated="#a9bdd6",
        reserved="#a0a0a0",
        categories={
            "kernel": "#4cbfa6",
            "memcpy": "#f2bd3c",
            "memset": "#8c8865",
            "communication": "#b06a8c",
            "runtime": "#a690ff",
            "dataloader": "#cf5a2a",
            "cpu_exec": "#4576c6",
            "other": "#616161",
        },
        slots=(
            "#759cc5",
            "#a27651",
            "#6ea788",
            "#8e74a2",
            "#a39a63",
            "#a96e6e",
            "#5ca6ae",
            "#9f6f8e",
            "#89a271",
            "#777bad",
        ),
    ),
}


def palette(theme: str) -> Palette:
    """Return the palette of a theme.

    Raises
    ------
    ValueError
        The theme is neither ``"light"`` nor ``"dark"``.
    """
    for name, colors in PALETTES.items():
        if name == theme:
            return colors
    message = f"Unknown theme {theme!r}; known are {', '.join(PALETTES)}."
    raise ValueError(message)
