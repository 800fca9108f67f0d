"""`Card`: charts and their table under a title, described as plain data.

The same description is drawn with Bokeh, as SVG and, without a kernel, by the browser
(`js/src/offline/cards.ts`). None of these depends on the subject of a card.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from nbprof.charts.bars.bars import Quantity
    from nbprof.model.filters.filter import Filter
    from nbprof.ranks.comparison import Distributed
    from nbprof.trace import Trace


class TableSource(Protocol):
    """Provides the tables that the cards of a view are made from."""

    @property
    def trace(self) -> Trace:
        """The trace, narrowed to the filter."""

    @property
    def workers(self) -> Distributed | None:
        """All workers of the run, if known."""

    def table(self, name: str, group_by: str = "") -> pa.Table:
        """Return a table under the filter; empty `group_by` for its first grouping."""

    def around(self, name: str, picks: str, group_by: str = "") -> pa.Table | None:
        """Return a table without the filter fields that a chart sets; None if none is set.

        Parameters
        ----------
        name : str
            A table.
        picks : str
            Quantity selected by a click in the chart, see `CONTEXT`.
        group_by : str, optional
            Its grouping; empty for its first one.
        """


#: Filter fields that a click in a chart sets, by the quantity that can be picked in it. They mute
#: the other items of the chart and do not remove them.
CONTEXT: Final[dict[str, tuple[str, ...]]] = {"steps": ("steps", "time_us"), "name": ("name",)}


def freed(filter_: Filter, picks: str) -> Filter | None:
    """Return a filter without the fields that a chart sets; None if none of them is set.

    Parameters
    ----------
    filter_ : Filter
        The filter on screen.
    picks : str
        Quantity selected by a click in the chart, see `CONTEXT`.
    """
    fields = CONTEXT.get(picks, ())
    if all(getattr(filter_, field) is None for field in fields):
        return None
    return filter_.replace(**dict.fromkeys(fields))


@dataclass(frozen=True)
class CardChart:
    """A chart of a card.

    Parameters
    ----------
    kind : {"bars", "donut", "points"}
        Bars in parts, shares of a whole, or points on logarithmic axes.
    name : str
        Name of the figure.
    table : str
        The table that it is of.
    x : str
        Column that identifies each bar or slice.
    series : tuple of (str, str, str)
        Parts of bars: column (``a-b`` for the difference of two), or with `by` a value of that
        column; label; colour, see `nbprof.charts.series.Series`. Of a donut: a value of `x`, its
        label and colour; values not listed get no slice. Of points: a value of `by`, its label and
        colour.
    by, value : str
        For tables with a row per part: the column that names the part, and the column of its
        length. The part ``""`` is for rows without a value in `by`. `value` is also the size of
        slices and the area of points.
    where : tuple of (str, str), optional
        Column and value: only rows with that value are drawn. Numbers are given as text, null as
        ``""``.
    stacked : bool
        Whether parts are stacked.
    quantity : {"time", "count", "share"}
        Quantity that the values measure.
    title : str
        A heading above the chart, for cards with several charts.
    hole : str
        Text in the hole of a donut, under its total.
    most : int
        Maximum number of bars: the longest ones, with the others added up as one. 0 for all, in
        table order.
    unnamed : str
        With `by`, the name of the bar for rows without a value in `x`.
    low : bool
        Whether a narrow donut keeps the height that wide ones have.
    picks : {"", "steps", "name", "worker"}
        Filter field that a click on a bar selects a value of.
    across, up : str
        Columns of the horizontal and the vertical position of points.
    axes : (str, str)
        Titles of their axes.
    roofs : tuple of (str, str, float, float)
        Limits above the points, see `nbprof.charts.points.points.Roof`.
    group_by : str
        Grouping of the table; empty for its first one.
    """

    kind: Literal["bars", "donut", "points"]
    name: str
    table: str
    x: str
    series: tuple[tuple[str, str, str], ...]
    by: str = ""
    value: str = ""
    where: tuple[str, str] | None = None
    stacked: bool = True
    quantity: Quantity = "time"
    title: str = ""
    hole: str = ""
    most: int = 0
    unnamed: str = ""
    low: bool = False
    picks: Literal["", "steps", "name", "worker"] = ""
    across: str = ""
    up: str = ""
    axes: tuple[str, str] = ("", "")
    roofs: tuple[tuple[str, str, float, float], ...] = ()
    group_by: str = ""


@dataclass(frozen=True)
class Switch:
    """A choice that the reader of a card can make.

    Parameters
    ----------
    key, label : str
        Key in requests, and label on screen.
    options : tuple of (str, str)
        Values and their labels; the first is the default.
    menu : bool
        Whether it is shown as a menu, for many options.
    """

    key: str
    label: str
    options: tuple[tuple[str, str], ...]
    menu: bool = False

    def chosen(self, choices: Mapping[str, Any]) -> str:
        """Return the chosen option; the first one if the choice is not among the options."""
        value = choices.get(self.key)
        known = [option for option, _ in self.options]
        return str(value) if value in known else known[0]


@dataclass(frozen=True)
class Card:
    """A part of a view: charts and a table under a title.

    Parameters
    ----------
    name, title : str
        Its key, and the heading above it.
    note : str
        Text beside the title.
    charts : mapping of str to tuple of CardChart
        Charts for each combination of switch values, joined by ``/``; under ``""`` without
        switches.
    switches : tuple of Switch
        Choices on offer; a switch has at least two options. One with the key ``group_by`` chooses
        the grouping of `table`.
    table : str
        The table shown under the charts, or alone. Without one, the values of the first chart are
        shown on request.
    columns : tuple of str
        Columns of that table; empty for all.
    most : int
        Maximum number of rows, from the first one.
    picks : {"", "within", "range"}
        Action of a click in a card without charts: ``"within"``, on a name, shows the kernels
        launched within it; ``"range"``, on a start, shows the time of the row in the timeline.
    """

    name: str
    title: str
    note: str = ""
    charts: Mapping[str, tuple[CardChart, ...]] = field(default_factory=dict)
    switches: tuple[Switch, ...] = ()
    table: str = ""
    columns: tuple[str, ...] = ()
    most: int = 1000
    picks: Literal["", "within", "range"] = ""

    def choice(self, choices: Mapping[str, Any]) -> dict[str, str]:
        """Return the chosen option of each switch."""
        return {switch.key: switch.chosen(choices) for switch in self.switches}

    def shown(self, choices: Mapping[str, Any]) -> tuple[CardChart, ...]:
        """Return the charts shown for a choice."""
        return self.charts.get("/".join(self.choice(choices).values()), ())

    def to_dict(self) -> dict[str, Any]:
        """Return the card as a JSON-compatible dictionary."""
        return asdict(self)


def choices_of(params: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Read the choices made in each card from request parameters; drop invalid ones.

    Parameters
    ----------
    params : mapping
        Parameters of a request; ``choices`` maps cards to mappings of switch to option.
    """
    choices = params.get("choices")
    if not isinstance(choices, dict):
        return {}
    return {str(name): one for name, one in choices.items() if isinstance(one, dict)}


def has_values(table: pa.Table, *columns: str) -> bool:
    """Return whether a column has any value other than 0."""
    sums: Sequence[Any] = [pc.sum(table[column]).as_py() for column in columns]
    return any(sums)
