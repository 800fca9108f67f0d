"""What the browser is told of the views that it has tabs for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.widgets.hints.empty import NOUNS
from nbprof.widgets.views import groupings

if TYPE_CHECKING:
    from nbprof.widgets.requests.messages import TabInfo, TabTable
    from nbprof.widgets.views.spec import ViewSpec


def tab_info(view: ViewSpec) -> TabInfo:
    """Return what the tab and the panel of a view need."""
    return {
        "name": view.name,
        "title": view.title,
        "group_by": view.first_way,
        "script": view.script,
        "shows": view.shows,
        "finds": list(view.finds),
        "of_modules": view.of_modules,
        "tables": [_table(name) for name in view.tables],
    }


def _table(name: str) -> TabTable:
    one, many = NOUNS.get(name, ("row", "rows"))
    ways = [(way, way.capitalize().replace("+", " + ")) for way in groupings.ways(name)]
    title = name.replace("_", " ").capitalize()
    return {"table": name, "title": title, "nouns": [one, many], "groupings": ways}
