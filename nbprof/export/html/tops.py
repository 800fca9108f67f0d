"""Parts of the HTML summary that rank: operators, kernels, recommendations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow.compute as pc

from nbprof.charts.bars.static_bars import share_bar, swatch
from nbprof.charts.donut.static import ring
from nbprof.export.html.cards import cores
from nbprof.export.html.pieces import (
    Column,
    Html,
    beside,
    image,
    join,
    name,
    note,
    section,
    table,
    text,
)
from nbprof.model.names.names import display_name
from nbprof.model.units import (
    choose_time_unit,
    format_count,
    format_pct,
    format_value,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.charts.theme import Palette
    from nbprof.export.summary import Summary

#: Names in a table: as many as there are colours for names.
TOP: Final = 10
_ADVISED: Final = 10
#: Characters of a name beside a donut, less those that each column of times takes.
_LENGTH: Final = 88
_COLUMN: Final = 10
_SENTENCE: Final = 400  # characters of a message


class _Ranking(NamedTuple):
    """A table by one of its columns.

    Parameters
    ----------
    table : str
        Its name.
    title : str
        Of the part.
    column : str
        The times by which it is ranked.
    head : str
        What that column is called.
    more : tuple of (str, str)
        Further columns of times and what they are called.
    shown : callable
        What stands for a name.
    """

    table: str
    title: str
    column: str
    head: str
    more: tuple[tuple[str, str], ...]
    shown: Callable[[str], str]


def operators(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the operators that take most time."""
    on_device = summary.measure == "device_self_us"
    more = (
        (("device_total_us", "Device total"),) if on_device else (("host_total_us", "Host total"),)
    )
    ranking = _Ranking(
        "operators",
        "Operators by device self time" if on_device else "Operators by host self time",
        summary.measure,
        "Device self" if on_device else "Host self",
        (*more, ("host_self_us", "Host self")) if on_device else more,
        str,
    )
    return _ranked(summary, ranking, colors, unit)


def kernels(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the kernels that take most time."""
    ranking = _Ranking(
        "kernels",
        "Kernels by total time",
        "total_us",
        "Total",
        (("mean_us", "Mean"),),
        display_name,
    )
    return join([_ranked(summary, ranking, colors, unit), cores(summary)])


def advice(summary: Summary, colors: Palette, unit: str) -> Html:  # noqa: ARG001 - as all parts
    """Return what to look at first."""
    rows: list[dict[str, Any]] = summary.table("recommendations").to_pylist()
    if not rows:
        return Html()
    lines = "".join(
        '<li style="margin:0 0 4px 0;overflow-wrap:break-word">'
        f"<b>{text(row['severity'])}</b>: {text(row['message'][:_SENTENCE])} "
        f'<span style="opacity:0.8">{text(row["advice"][:_SENTENCE])}</span></li>'
        for row in rows[:_ADVISED]
    )
    listed = Html(f'<ul style="margin:0;padding:0 0 0 20px">{lines}</ul>')
    more = len(rows) - _ADVISED
    return section("Recommendations", listed, note(f"and {more} more") if more > 0 else "")


def _ranked(summary: Summary, ranking: _Ranking, colors: Palette, unit: str) -> Html:
    """Return a donut of the largest, and the table that is its legend."""
    found = summary.table(ranking.table)
    if not pc.sum(found[ranking.column]).as_py():
        return _nothing(summary, ranking)
    board = _Board(summary, ranking, unit)
    slot = summary.slot_of(ranking.table)
    fills = [colors.slots[slot(row["name"])] for row in board.rows]
    lines = [board.line(row, fill) for row, fill in zip(board.rows, fills, strict=True)]
    values = [row[ranking.column] for row in board.rows]
    if board.others > 0 and board.rest > 0:
        values, fills = [*values, board.rest], [*fills, colors.remainder]
        lines.append(board.last_line(colors.remainder))
    total = choose_time_unit([board.whole], unit)
    hole = format_value(board.whole, total), total.label
    alt = f"{ranking.title}, {' '.join(hole)} in all; the table has the names."
    donut = image(ring(values, fills, hole, colors), alt)
    title = f"{ranking.title}: {format_count(found.num_rows, 'name')}"
    return section(title, beside(donut, table(board.heads(), lines)), wide=True)


class _Board:
    """The rows of a ranking and how their figures are written."""

    def __init__(self, summary: Summary, ranking: _Ranking, unit: str) -> None:
        found = summary.table(ranking.table)
        self.ranking = ranking
        self.rows = summary.top(ranking.table, ranking.column, TOP)
        self.whole: float = pc.sum(found[ranking.column]).as_py()
        self.rest = self.whole - math.fsum(row[ranking.column] for row in self.rows)
        self.others = found.num_rows - len(self.rows)
        self._other_calls = pc.sum(found["calls"]).as_py() - sum(r["calls"] for r in self.rows)
        self._columns = [(ranking.column, ranking.head), *ranking.more]
        self._units = [
            choose_time_unit([row[key] for row in self.rows], unit) for key, _ in self._columns
        ]

    def heads(self) -> list[Column]:
        """Return the head of the table."""
        first, *more = (
            Column(f"{title}, {unit.label}")
            for (_, title), unit in zip(self._columns, self._units, strict=True)
        )
        share = Column("Share of all", meaning="Of all that the filter leaves.")
        names = [Column("", "swatch"), Column("Name", "name")]
        return [*names, Column("Calls"), first, share, Column("", "text"), *more]

    def line(self, row: dict[str, Any], fill: str) -> list[Any]:
        """Return a line of the table."""
        length = _LENGTH - _COLUMN * len(self._columns)
        shown = name(row["name"], self.ranking.shown(row["name"]), length)
        figures = [
            format_value(row[key], unit)
            for (key, _), unit in zip(self._columns, self._units, strict=True)
        ]
        return self._line(fill, shown, row["calls"], row[self.ranking.column], figures)

    def last_line(self, fill: str) -> list[Any]:
        """Return the line of all that has none of its own."""
        words = f"{self.others:,} other{'' if self.others == 1 else 's'}"
        figures = [format_value(self.rest, self._units[0]), *[""] * len(self.ranking.more)]
        return self._line(fill, text(words), self._other_calls, self.rest, figures)

    def _line(
        self, fill: str, shown: Html, calls: int, value: float, figures: list[str]
    ) -> list[Any]:
        part = value / self.whole
        return [
            image(swatch(fill), ""),
            shown,
            f"{calls:,}",
            figures[0],
            f"{format_pct(100 * part)} %",
            image(share_bar(part, fill), ""),
            *figures[1:],
        ]


def _nothing(summary: Summary, ranking: _Ranking) -> Html:
    """Say that the filter leaves nothing of what the trace has; without a filter say nothing."""
    if not summary.trace.active_filter or not summary.whole(ranking.table).num_rows:
        return Html()
    return section(ranking.title, note(f"No {ranking.table} match the filter."))
