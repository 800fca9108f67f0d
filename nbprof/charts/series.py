"""`Series`: one part of every bar of a chart: its label, column and colour."""

from __future__ import annotations

from typing import Final, NamedTuple

from nbprof.model.trace.kinds import CATEGORIES


class Series(NamedTuple):
    """One part of every bar.

    Parameters
    ----------
    key : str
        Its column in the source of a figure.
    label : str
        Its label, which may come from a trace.
    token : str
        Its colour, see `nbprof.charts.theme.Palette.color`. ``other`` is drawn hatched.
    """

    key: str
    label: str
    token: str


#: The categories of a step; their columns in sources have the same names.
CATEGORY_SERIES: Final = tuple(Series(name, title, name) for name, title in CATEGORIES.items())
