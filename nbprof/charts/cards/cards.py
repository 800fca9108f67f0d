"""Cards: charts and their table under a title, described as plain data.

The same description is drawn by Bokeh, as SVG, and where there is no Python by the browser
(`js/src/offline/cards.ts`), so that none of them knows what a card is about.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

    from nbprof.charts.bars.series import Quantity
    from nbprof.ranks.together import Distributed
    from nbprof.trace import Trace


class TableSource(Protocol):
    """The tables that the cards of a view are made of."""

    @property
    def trace(self) -> Trace:
        """The trace, narrowed to the filter."""

    @property
    def workers(self) -> Distributed | None:
        """All workers of the run, where they are known."""

    def table(self, name: str) -> pa.Table:
        """Return a table under the filter, in its first grouping."""


@dataclass(frozen=True)
class CardChart:
    """A chart of a card.

    Parameters
    ----------
    kind : {"bars", "donut"}
        Bars in parts, or shares of a whole.
    name : str
        Name of the figure.
    table : str
        The table that it is of.
    x : str
        Column of what each bar, or each slice, is of.
    series : tuple of (str, str, str)
        Parts of bars: column (``a-b`` for the difference of two), or with `by` a value of that
        column; label; colour, see `nbprof.charts.bars.series.Series`. Of a donut: a value of `x`,
        its label and colour; others have no slice.
    by, value : str
        Where parts are rows of the table: column of the part, and of its length. `value` also is
        the size of slices.
    where : tuple of (str, str), optional
        Only rows with this value in this column; of a number as text, ``""`` for none.
    stacked : bool
        Whether parts stand on each other.
    quantity : {"time", "count", "share"}
        What is measured.
    title : str
        A line above it, where a card has several.
    hole : str
        What stands in the hole of a donut, under its total.
    most : int
        Most bars, the longest; the others are added up as one. 0 for all, in the table's order.
    low : bool
        Whether a donut is as high as wide ones, however narrow it is.
    picks : {"", "steps", "name"}
        What a click on a bar filters to.
    """

    kind: Literal["bars", "donut"]
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
    low: bool = False
    picks: Literal["", "steps", "name"] = ""


@dataclass(frozen=True)
class Switch:
    """A choice that a card offers.

    Parameters
    ----------
    key, label : str
        Its name, and what it is called.
    options : tuple of (str, str)
        Values and their words, the first of which is chosen at first.
    menu : bool
        Whether it is offered as a menu, as there may be many.
    """

    key: str
    label: str
    options: tuple[tuple[str, str], ...]
    menu: bool = False

    def chosen(self, wish: Mapping[str, Any]) -> str:
        """Return what is chosen; what is not offered gives way to the first."""
        value = wish.get(self.key)
        known = [option for option, _ in self.options]
        return str(value) if value in known else known[0]


@dataclass(frozen=True)
class Card:
    """A part of a view.

    Parameters
    ----------
    name, title : str
        Its name, and what stands over it.
    note : str
        Said beside the title.
    charts : mapping of str to tuple of CardChart
        By the values of its switches, joined by ``/``; under ``""`` without any.
    switches : tuple of Switch
        What can be chosen; only with two options at least.
    table : str
        The table that is shown under the charts, or alone. Without one, the numbers of the first
        chart stand in their place where somebody asks for them.
    columns : tuple of str
        Columns of that table; empty for all.
    most : int
        Rows of that table, the first.
    picks : {"", "within"}
        What the names in the table of a card without charts lead to: the kernels within them.
    """

    name: str
    title: str
    note: str = ""
    charts: Mapping[str, tuple[CardChart, ...]] = field(default_factory=dict)
    switches: tuple[Switch, ...] = ()
    table: str = ""
    columns: tuple[str, ...] = ()
    most: int = 1000
    picks: Literal["", "within"] = ""

    def choice(self, wish: Mapping[str, Any]) -> dict[str, str]:
        """Return what each switch stands at."""
        return {switch.key: switch.chosen(wish) for switch in self.switches}

    def shown(self, wish: Mapping[str, Any]) -> tuple[CardChart, ...]:
        """Return the charts that a choice shows."""
        return self.charts.get("/".join(self.choice(wish).values()), ())

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


def choices_of(params: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Read what a person chose of each card, leaving out what is no choice.

    Parameters
    ----------
    params : mapping
        Of a request; ``choices`` is a mapping of card to a mapping of switch to option.
    """
    found = params.get("choices")
    if not isinstance(found, dict):
        return {}
    return {str(name): one for name, one in found.items() if isinstance(one, dict)}


def tables_of(cards: Iterable[Card]) -> list[str]:
    """Return the tables that cards are made of, each once."""
    names: dict[str, None] = {}
    for card in cards:
        if card.table:
            names[card.table] = None
        for charts in card.charts.values():
            names.update((chart.table, None) for chart in charts)
    return list(names)
