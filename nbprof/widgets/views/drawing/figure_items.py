"""Encodes figures as messages: their data, and the template if the browser does not have it yet."""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from nbprof.charts.chart import Chart
from nbprof.charts.figures.models import column
from nbprof.charts.figures.template import figure_parts
from nbprof.widgets.requests.protocol import RequestError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from bokeh.plotting import figure

    from nbprof.widgets.requests.messages.charts import FigureItem, Items, TemplateItem

Item: TypeAlias = "TemplateItem | FigureItem"


def known_templates(params: Mapping[str, Any]) -> frozenset[str]:
    """Return the ids of the templates that the browser has, as listed in a request.

    Raises
    ------
    RequestError
        They are not a list.
    """
    listed = params.get("templates") or []
    if not isinstance(listed, list):
        message = f"templates: a list is required, not {listed!r}."
        raise RequestError(message)
    return frozenset(map(str, listed))


def figure_items(
    found: Mapping[str, Chart | figure], theme: str, known: Collection[str] = ()
) -> dict[str, Item]:
    """Return charts and Bokeh figures as messages.

    Parameters
    ----------
    found : mapping of str to Chart or figure
        Charts of nbprof by their names, and figures that views of other packages drew.
    theme : {"light", "dark"}
        Colours of the charts.
    known : collection of str, optional
        Templates that the browser has; they are not sent again.
    """
    return {
        name: _template_item(one, theme, known) if isinstance(one, Chart) else _raw_item(one)
        for name, one in found.items()
    }


def _raw_item(made: figure) -> FigureItem:
    """Return a Bokeh figure as ``bokeh.embed.json_item`` writes it, with its title."""
    from bokeh.embed import json_item

    item: Any = json_item(made)
    title = getattr(getattr(made, "title", None), "text", "")  # a layout of figures has none
    if title and isinstance(title, str):
        item["title"] = title
    return item  # type: ignore[no-any-return]


def _template_item(chart: Chart, theme: str, known: Collection[str]) -> TemplateItem:
    parts = figure_parts(chart, theme)
    root = json.dumps(parts.root, separators=(",", ":"))
    template = blake2b(root.encode(), digest_size=8).hexdigest()
    item: TemplateItem = {
        "template": template,
        "version": _bokeh_version(),
        "height": chart.height,
        "columns": {
            source: {name: column(values) for name, values in columns.items()}
            for source, columns in parts.columns.items()
        },
        "settings": parts.settings,
    }
    if chart.items:
        item["items"] = cast("Items", chart.items._asdict())
    if template not in known:
        item["root"] = root
    return item


@lru_cache(maxsize=1)
def _bokeh_version() -> str:
    """Return the version of Bokeh, whose import would take half a second."""
    return version("bokeh")
