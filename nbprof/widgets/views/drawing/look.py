"""`Look`: theme, unit, widths and switches of the charts of a view."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from nbprof.charts.cards.cards import choices_of
from nbprof.model.units import TIME_UNITS
from nbprof.widgets.requests.protocol import RequestError
from nbprof.widgets.session.align import Align
from nbprof.widgets.views.memory.memory_selection import WHOLE, Lens

#: Default width of a chart for Python, CSS px.
DEFAULT_WIDTH: Final = 632

#: Default number of slices of a donut before the remainder.
TOP: Final = 7

#: Range of usable widths; the browser may send others while it is laid out.
_WIDTHS: Final = (160, 2400)


@dataclass(frozen=True)
class Look:
    """How charts are drawn: theme, unit, widths and choices.

    Parameters
    ----------
    theme : {"light", "dark"}
        Colours.
    widths : mapping of str to int
        CSS px by figure; ``""`` for all others.
    unit : {"auto", "ns", "us", "ms", "s"}
        Unit of time.
    top : int or None
        Slices of a donut before the remainder, or bars by name; None for all.
    memory : Lens
        The memory curves drawn, and the range that is tinted.
    choices : mapping
        Positions of the switches of each card, as chosen by the user.
    part : {"all", "own", "cards"}
        Which charts: those that a view draws itself, those of its cards, or both. A view whose own
        charts come first requests the cards after them.
    align : Align
        What the curve of a baseline is aligned at.
    """

    theme: str = "light"
    widths: Mapping[str, int] | None = None
    unit: str = "auto"
    top: int | None = TOP
    memory: Lens = WHOLE
    choices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    part: str = "all"
    align: Align = Align()  # noqa: RUF009 - a tuple

    def width(self, name: str) -> int:
        """Return the width of one figure."""
        widths = self.widths or {}
        return widths.get(name, widths.get("", DEFAULT_WIDTH))

    @classmethod
    def parse(cls, params: Mapping[str, Any]) -> Look:
        """Read theme, width, unit, top, choices and part of a request.

        Raises
        ------
        RequestError
            One of them is invalid.
        """
        theme, unit = params.get("theme") or "light", params.get("unit") or "auto"
        top, width = params.get("top", TOP), params.get("width")
        if theme == "auto":
            theme = "light"
        if theme not in ("light", "dark") or unit not in TIME_UNITS:
            message = f"Unknown theme {theme!r} or unit {unit!r}."
            raise RequestError(message)
        if top is not None and (not isinstance(top, int) or isinstance(top, bool) or top < 1):
            message = (
                f"The number of donut slices must be an integer >= 1, or None for all, not {top!r}."
            )
            raise RequestError(message)
        part = params.get("part", "all")
        if part not in ("all", "own", "cards"):
            message = f"Unknown part of a view: {part!r}."
            raise RequestError(message)
        widths = width if isinstance(width, Mapping) else {"": width or DEFAULT_WIDTH}
        if not all(isinstance(px, (int, float)) and not math.isnan(px) for px in widths.values()):
            message = f"The width of a chart must be a number of pixels, not {width!r}."
            raise RequestError(message)
        low, high = _WIDTHS
        clipped = {name: round(min(max(px, low), high)) for name, px in widths.items()}
        choices, align = choices_of(params), Align.parse(params.get("align"))
        return cls(theme, clipped, unit, top, choices=choices, part=part, align=align)
