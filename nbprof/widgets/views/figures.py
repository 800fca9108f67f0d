"""The Bokeh figures of a view, for the browser and for Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.widgets.views.cards import draw_cards

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bokeh.plotting import figure

    from nbprof.widgets.views.look import Look
    from nbprof.widgets.views.screen import Screen
    from nbprof.widgets.views.spec import ViewSpec


def draw(view: ViewSpec, screen: Screen, look: Look) -> dict[str, figure]:
    """Return the figures of a view by their names; none where there is nothing to draw."""
    found = dict(view.figures(screen, look))
    return {**found, **draw_cards(view.cards(screen), screen.table, look)}


def main_figure(view: ViewSpec, figures: Mapping[str, figure]) -> figure | None:
    """Return the figure that stands for a view; None without any."""
    for name in (*view.main_figures, *figures):
        if name in figures:
            return figures[name]
    return None


def figure_items(figures: Mapping[str, figure]) -> dict[str, Any]:
    """Return figures as the browser embeds them."""
    from bokeh.embed import json_item

    return {name: json_item(made) for name, made in figures.items()}
