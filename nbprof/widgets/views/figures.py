"""The Bokeh figures of the views: which charts stand where, for the browser and for Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from nbprof.charts.cards.cards import choices_of
from nbprof.model.errors import UnknownNameError
from nbprof.model.filters import selection
from nbprof.widgets.requests.protocol import VIEWS, RequestError
from nbprof.widgets.views.cards import cards_of, draw_cards
from nbprof.widgets.views.colors import ranked_names
from nbprof.widgets.views.memory import WHOLE, Lens, chosen_device, chosen_way

if TYPE_CHECKING:
    from bokeh.plotting import figure

    from nbprof.widgets.session import Session, State

#: Width of a chart for Python, CSS px.
DEFAULT_WIDTH = 632

#: Charts narrower or wider than this are not readable; the browser may ask while it is laid out.
_WIDTHS = (160, 2400)


@dataclass(frozen=True)
class Look:
    """How charts are drawn.

    Parameters
    ----------
    theme : {"light", "dark"}
        Colours.
    widths : mapping of str to int
        CSS px by figure; ``""`` for all others.
    unit : {"auto", "us", "ms", "s"}
        Unit of time.
    top : int or None
        Slices of a donut before the remainder, or bars by name; None for all.
    memory : Lens
        What of memory is drawn, and the range that is tinted.
    choices : mapping
        What the switches of each card stand at, where somebody chose.
    """

    theme: str = "light"
    widths: Mapping[str, int] | None = None
    unit: str = "auto"
    top: int | None = 7
    memory: Lens = WHOLE
    choices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def width(self, name: str) -> int:
        """Return the width of one figure."""
        widths = self.widths or {}
        return widths.get(name, widths.get("", DEFAULT_WIDTH))

    @classmethod
    def parse(cls, params: Mapping[str, Any]) -> Look:
        """Read theme, width, unit, top and choices of a request.

        Raises
        ------
        RequestError
            One of them is not what it can be.
        """
        theme, unit = params.get("theme") or "light", params.get("unit") or "auto"
        top, width = params.get("top", 7), params.get("width")
        if theme == "auto":
            theme = "light"
        if theme not in ("light", "dark") or unit not in ("auto", "us", "ms", "s"):
            message = f"There is no theme {theme!r} or no unit {unit!r}."
            raise RequestError(message)
        if top is not None and (not isinstance(top, int) or isinstance(top, bool) or top < 1):
            message = f"A donut shows a number of slices from 1, or all of them, not {top!r}."
            raise RequestError(message)
        widths = width if isinstance(width, Mapping) else {"": width or DEFAULT_WIDTH}
        if not all(isinstance(px, (int, float)) for px in widths.values()):
            message = f"The width of a chart is a number of px, not {width!r}."
            raise RequestError(message)
        low, high = _WIDTHS
        clipped = {name: round(min(max(px, low), high)) for name, px in widths.items()}
        return cls(theme, clipped, unit, top, choices=choices_of(params))


def draw(session: Session, state: State, view: str, look: Look) -> dict[str, figure]:
    """Return the figures of a view by their names; none where there is nothing to draw.

    Raises
    ------
    UnknownNameError
        There is no such view.
    """
    if view not in VIEWS:
        message = f"There is no view {view!r}; there are {', '.join(VIEWS)}."
        raise UnknownNameError(message)
    if view in ("timeline", "modules"):
        return {}  # drawn by the browser itself
    if view == "memory":
        return _memory(session, state, look)
    if view == "distributed":
        cards = cards_of(session, state, view)
        return draw_cards(cards, partial(session.table, state), look)
    found = (_overview if view == "overview" else _by_name)(session, state, view, look)
    cards = cards_of(session, state, view)
    return {**found, **draw_cards(cards, partial(session.table, state), look)}


def main_name(view: str, figures: Mapping[str, Any]) -> str | None:
    """Return the name of the chart that stands for a view; None without any."""
    first = {"overview": ("steps",), "operators": ("device_self", "host_self")}
    for name in (*first.get(view, ()), *figures):
        if name in figures:
            return name
    return None


def _overview(session: Session, state: State, view: str, look: Look) -> dict[str, figure]:
    from nbprof import charts

    overview = session.table(state, view)
    steps = session.table(state, "steps")
    recorded = session.trace(state).model.steps.recorded
    shared: dict[str, Any] = {"theme": look.theme, "unit": look.unit}
    found = {}
    if steps.num_rows and (pc.sum(steps["total_us"]).as_py() or 0) > 0:
        if overview.num_rows:
            found["summary"] = charts.summary_donut(
                overview,
                width=look.width("summary"),
                hole="a step" if recorded else "in all",
                **shared,
            )
        found["steps"] = charts.step_breakdown(
            steps, width=look.width("steps"), mean=recorded, **shared
        )
    return found


def _memory(session: Session, state: State, look: Look) -> dict[str, figure]:
    from nbprof import charts

    marked = look.memory.range_us
    lens = replace(look.memory, range_us=None, sizes=None)  # the curve is that of the filter
    model = session.trace(state).model
    way = chosen_way(model, chosen_device(model, lens.device), lens.by)
    curve, peak = lens.table(session, state, "memory_curve"), lens.peaks(session, state)
    if not (curve if way == "component" else peak).num_rows:
        return {}
    starts, ends = selection.window(model, state.filter) or ([0], [model.metadata.get("end_ns", 0)])
    recorded = model.steps.recorded
    drawn = charts.memory_curve(
        curve,
        peak,
        session.table(state, "steps") if recorded else None,
        session.table(state, "memory_categories"),
        by=way,
        range_us=(starts[0] / 1000, ends[-1] / 1000),
        marked_us=marked,
        theme=look.theme,
        width=look.width("memory"),
        unit=look.unit,
    )
    return {"memory": drawn}


def _by_name(session: Session, state: State, view: str, look: Look) -> dict[str, figure]:
    from nbprof import charts

    table = session.table(state, view, "name")
    if not table.num_rows:
        return {}
    shared: dict[str, Any] = {
        "theme": look.theme,
        "width": {"": DEFAULT_WIDTH, **(look.widths or {})},
        "unit": look.unit,
        "top": look.top,
        "order": ranked_names(session, state, view),
    }
    if view == "operators":
        without = replace(state, filter=state.filter.replace(name=None))
        unnamed = session.table(without, view, "name")
        return charts.operator_charts(table, unnamed=unnamed, **shared)
    return charts.kernel_donuts(table, **shared)
