"""Draws the charts of a view: its own and those of its cards, as layouts or as Bokeh figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.charts.cards.cards import Card
from nbprof.charts.chart import Chart
from nbprof.widgets.views.drawing.cards import card_charts
from nbprof.widgets.views.registry import left_out_if_broken

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bokeh.plotting import figure

    from nbprof.charts.cards.cards import TableSource
    from nbprof.widgets.views.drawing.look import Look
    from nbprof.widgets.views.drawing.screen import Screen
    from nbprof.widgets.views.spec import ViewSpec


def draw(view: ViewSpec, screen: Screen, look: Look) -> dict[str, figure]:
    """Return the charts of a view as Bokeh figures; see `charts_of`."""
    return _draw_charts(charts_of(view, screen, look), look)


def charts_of(
    view: ViewSpec, screen: Screen, look: Look, notes: list[str] | None = None
) -> dict[str, Chart | figure]:
    """Return the charts of a view by name; charts with nothing to draw are left out.

    Parameters
    ----------
    view : ViewSpec
        The view.
    screen : Screen
        The tables under the filter.
    look : Look
        Theme, widths and choices.
    notes : list of str, optional
        Receives a sentence for everything of another package's view that is left out.
    """
    charts = {} if look.part == "cards" else own_charts(view, screen, look, notes)
    for card in () if look.part == "own" else cards_of(view, screen, notes):
        with left_out_if_broken(view, f"is shown without its card {card.name!r}", notes):
            charts.update(card_charts([card], screen, look))
    return charts


def own_charts(
    view: ViewSpec, screen: Screen, look: Look, notes: list[str] | None = None
) -> dict[str, Chart | figure]:
    """Return the charts and figures that a view draws itself, without those of its cards."""
    found: dict[str, Chart | figure] = {}
    with left_out_if_broken(view, "is shown without its figures", notes):
        found.update(view.figures(screen, look))
    return found


def _draw_charts(charts: Mapping[str, Chart | figure], look: Look) -> dict[str, figure]:
    """Convert charts to Bokeh figures; existing figures are returned unchanged."""
    from nbprof.charts.figures.drawing import draw_figure

    return {
        name: draw_figure(one, look.theme) if isinstance(one, Chart) else one
        for name, one in charts.items()
    }


def cards_of(view: ViewSpec, source: TableSource, notes: list[str] | None = None) -> list[Card]:
    """Return the cards of a view; objects of another package that are no cards are left out."""
    found: list[Card] = []
    with left_out_if_broken(view, "is shown without its cards", notes):
        made: Iterable[Any] = view.cards(source)
        for card in made:
            if not isinstance(card, Card):
                message = f"{card!r} is not an nbprof.Card."
                raise TypeError(message)
            found.append(card)
    return found


def main_figure(view: ViewSpec, figures: Mapping[str, figure]) -> figure | None:
    """Return the main figure of a view; None without any."""
    for name in (*view.main_figures, *figures):
        if name in figures:
            return figures[name]
    return None
