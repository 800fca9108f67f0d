"""The descriptions of views that the browser needs for their tabs and panels, as types."""

from __future__ import annotations

from typing import Literal, TypedDict


class TabTable(TypedDict):
    """A table of a view that the generic panel draws."""

    table: str
    title: str
    nouns: list[str]
    """Nouns for its rows, singular and plural."""
    groupings: list[tuple[str, str]]
    """Value and label of each grouping, the default first; empty without groupings."""


class TabInfo(TypedDict):
    """Data about a view for its tab and its panel; the trait ``tabs`` lists them in order."""

    name: str
    title: str
    group_by: str
    """The first grouping of its table; empty without any."""
    script: str
    """Name of the script that draws it; several views may share one."""
    shows: Literal["", "slices", "launched", "allocated"]
    """Requests of other views that it answers: slices of given names, or launched kernels."""
    finds: list[str]
    """Tables of other views whose rows can be found in it."""
    of_modules: bool
    """Whether its rows have names of modules, which differ from those in the trace."""
    content: list[str]
    """Kinds of data; if not empty and the trace contains none of them, the tab is muted."""
    optional: bool
    """Whether the tab is hidden without any of this content."""
    tables: list[TabTable]
    """Tables under its cards; only for the generic panel."""
