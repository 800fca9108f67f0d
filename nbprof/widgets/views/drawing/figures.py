"""The charts of a view as Bokeh figures, for the browser and for Python."""

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


def draw(
    view: ViewSpec, screen: Screen, look: Look, notes: list[str] | None = None
) -> dict[str, figure]:
    """Return the figures of a view by their names.

    Parameters
    ----------
    view : ViewSpec
        The view.
    screen : Screen
        What it shows.
    look : Look
        How charts look.
    notes : list of str, optional
        Receives what was left out of another package's view, and why.
    """
    found = own_figures(view, screen, look, notes)
    for card in cards_of(view, screen, notes):
        with left_out_if_broken(view, f"the card {card.name!r}", notes):
            charts = card_charts([card], screen.table, look)
            found.update(draw_charts(charts, look))
    return found


def own_figures(
    view: ViewSpec, screen: Screen, look: Look, notes: list[str] | None = None
) -> dict[str, figure]:
    """Return the figures that a view draws itself, besides those of its cards."""
    found: dict[str, figure] = {}
    with left_out_if_broken(view, "its figures", notes):
        found.update(draw_charts(view.figures(screen, look), look))
    return found


def draw_charts(found: Mapping[str, Chart | figure], look: Look) -> dict[str, figure]:
    """Return charts as Bokeh figures; Bokeh figures are returned unchanged."""
    from nbprof.charts.figures.drawing import draw_figure

    return {
        name: draw_figure(one, look.theme) if isinstance(one, Chart) else one
        for name, one in found.items()
    }


def cards_of(view: ViewSpec, source: TableSource, notes: list[str] | None = None) -> list[Card]:
    """Return the cards of a view; invalid ones of another package are left out."""
    found: list[Card] = []
    with left_out_if_broken(view, "its cards", notes):
        made: Iterable[Any] = view.cards(source)
        for card in made:
            if not isinstance(card, Card):
                message = f"{card!r} is not an nbprof.Card."
                raise TypeError(message)
            found.append(card)
    return found


def main_figure(view: ViewSpec, figures: Mapping[str, figure]) -> figure | None:
    """Return the main figure of a view; None if it has none."""
    for name in (*view.main_figures, *figures):
        if name in figures:
            return figures[name]
    return None


def figure_items(figures: Mapping[str, figure]) -> dict[str, Any]:
    """Return figures as the browser embeds them."""
    from bokeh.embed import json_item

    return {name: json_item(made) for name, made in figures.items()}
