"""What the browser is told of the views that it has tabs for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.tables import TABLES

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
    spec = TABLES[name]
    one, many = spec.nouns
    ways = [(way, way.capitalize().replace("+", " + ")) for way in spec.groupings]
    title = name.replace("_", " ").capitalize()
    return {"table": name, "title": title, "nouns": [one, many], "groupings": ways}
