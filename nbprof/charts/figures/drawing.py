"""`draw_figure`: creates the Bokeh figure of a chart in Python from its template and its data."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from nbprof.charts.figures.template import figure_parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bokeh.plotting import figure

    from nbprof.charts.chart import Chart
    from nbprof.charts.figures.models import Json
    from nbprof.charts.figures.template import FigureParts


def draw_figure(chart: Chart, theme: str = "light") -> figure:
    """Draw a chart as a Bokeh figure of a fixed size, without frame and toolbar.

    Parameters
    ----------
    chart : Chart
        The chart to draw.
    theme : {"light", "dark"}, optional
        Colours. The background fills the figure, so that it looks right in any document.

    Raises
    ------
    ValueError
        There is no such theme, or the theme lacks a colour of the chart.
    """
    from bokeh.core.serialization import Deserializer
    from bokeh.models import ColumnDataSource
    from bokeh.plotting import figure as figure_class
    from bokeh.util.serialization import make_id

    parts = figure_parts(chart, theme)
    ids: dict[str, str] = defaultdict(make_id)
    made = Deserializer().decode(_joined(parts, ids))
    if not isinstance(made, figure_class):
        message = f"Bokeh read a figure as {type(made).__name__}."
        raise TypeError(message)
    columns = {ids[id_]: columns for id_, columns in parts.columns.items()}
    for source in made.select({"type": ColumnDataSource}):
        source.update(data=columns[source.id])
    return made


def _joined(parts: FigureParts, ids: Mapping[str, str]) -> Json:
    """Return the figure with its settings, under ids that no other figure has."""

    def walk(node: Any) -> Any:
        if isinstance(node, list):
            return [walk(one) for one in node]
        if not isinstance(node, dict):
            return node
        made = {key: walk(one) for key, one in node.items()}
        if "id" in made:
            made["id"] = ids[node["id"]]
        if node.get("type") == "value" and not isinstance(node["value"], str):
            return node["value"]  # restyled in Python as a plain value; a text would be a column
        if "attributes" in made:
            made["attributes"] |= walk(parts.settings.get(node["id"], {}))
        return made

    joined: Json = walk(parts.root)
    return joined
