"""Describes each view to the browser, for its tab and its panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.export.scripts import ScriptError, view_scripts
from nbprof.tables import TABLES
from nbprof.widgets.views.registry import left_out_if_broken

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nbprof.widgets.requests.messages.tabs import TabInfo, TabTable
    from nbprof.widgets.views.spec import ViewSpec


def tabs_of(views: Iterable[ViewSpec]) -> list[TabInfo]:
    """Return the tabs of views in order, without broken views of other packages."""
    found = []
    for view in views:
        with left_out_if_broken(view, "is left out of the explorer"):
            found.append(tab_info(view))
    return found


def tab_info(view: ViewSpec) -> TabInfo:
    """Return the data for the tab and panel of a view.

    Raises
    ------
    UnknownNameError
        There is no such table as one of its tables.
    ScriptError
        There is no script that draws it.
    """
    if view.script not in view_scripts():
        message = f"There is no script {view.script!r}."
        raise ScriptError(message)
    return {
        "name": view.name,
        "title": view.title,
        "group_by": view.default_grouping,
        "script": view.script,
        "shows": view.shows,
        "finds": list(view.finds),
        "of_modules": view.of_modules,
        "content": list(view.content or view.needs),
        "optional": view.optional,
        "tables": [_table(name) for name in view.tables],
    }


def _table(name: str) -> TabTable:
    spec = TABLES[name]
    one, many = spec.nouns
    labels = [(grouping, grouping.capitalize().replace("+", " + ")) for grouping in spec.groupings]
    title = name.replace("_", " ").capitalize()
    return {"table": name, "title": title, "nouns": [one, many], "groupings": labels}
