"""Rankings in the HTML summary: top operators, top kernels, recommendations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow.compute as pc

from nbprof.analysis.operators.without_operator import without_operator
from nbprof.charts.donut.ring import ring
from nbprof.charts.svg.drawing import draw_svg
from nbprof.charts.svg.icons import share_bar, swatch
from nbprof.export.html.cards import cores
from nbprof.export.html.elements import (
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
from nbprof.model.names.kernel_labels import label_by
from nbprof.model.names.short_names import display_name
from nbprof.model.units import (
    choose_time_unit,
    format_count,
    format_pct,
    format_value,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.charts.theme import Palette
    from nbprof.export.summary_tables import Summary

#: Number of names in a table: as many as there are colours.
TOP: Final = 10
_ADVISED: Final = 10
#: Length of a name beside a donut, reduced by each column of times.
_LENGTH: Final = 88
_COLUMN: Final = 10
_SENTENCE: Final = 400  # maximum characters of a message


class _Ranking(NamedTuple):
    """A table ranked by one of its columns.

    Parameters
    ----------
    table : str
        Its name.
    title : str
        Title of the section.
    column : str
        The column to rank by.
    head : str
        Header of that column.
    more : tuple of (str, str)
        Further columns of times and their headers.
    shown : callable
        Returns the text shown for a name.
    """

    table: str
    title: str
    column: str
    head: str
    more: tuple[tuple[str, str], ...]
    shown: Callable[[str], str]


def operators(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the operators with the most time."""
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
    shown = _ranked(summary, ranking, colors, unit)
    left = without_operator(summary.trace.model, summary.trace.active_filter).sentence
    return join([shown, note(f"{left}.")]) if shown and left else shown


def kernels(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the kernels with the most time."""
    ranking = _Ranking(
        "kernels",
        "Kernels by total time",
        "total_us",
        "Total",
        (("mean_us", "Mean"),),
        label_by(summary.trace.model, display_name),
    )
    return join([_ranked(summary, ranking, colors, unit), cores(summary)])


def advice(summary: Summary, colors: Palette, unit: str) -> Html:  # noqa: ARG001 - the signature of all sections
    """Return the recommendations."""
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
    words = summary.trace.active_filter.beside_devices
    title = f"Recommendations, {words}" if words else "Recommendations"
    return section(title, listed, note(f"and {more} more") if more > 0 else "")


def _ranked(summary: Summary, ranking: _Ranking, colors: Palette, unit: str) -> Html:
    """Return a donut of the largest entries, and a table that is its legend."""
    found = summary.table(ranking.table)
    if not pc.sum(found[ranking.column]).as_py():
        return _empty_note(summary, ranking)
    board = _RankingTable(summary, ranking, colors, unit)
    slot = summary.slot_of(ranking.table)
    tokens = [f"slot{slot(row['name'])}" for row in board.rows]
    lines = [board.line(row, token) for row, token in zip(board.rows, tokens, strict=True)]
    values = [row[ranking.column] for row in board.rows]
    if board.others > 0 and board.rest > 0:
        values, tokens = [*values, board.rest], [*tokens, "remainder"]
        lines.append(board.last_line("remainder"))
    total = choose_time_unit([board.whole], unit)
    hole = format_value(board.whole, total), total.label
    alt = f"{ranking.title}, {' '.join(hole)} in total; the table has the names."
    donut = image(draw_svg(ring(values, tokens, hole), colors), alt)
    title = f"{ranking.title}: {format_count(found.num_rows, 'name')}"
    return section(title, beside(donut, table(board.heads(), lines)), wide=True)


class _RankingTable:
    """The rows of a ranking, and the format of their numbers."""

    def __init__(self, summary: Summary, ranking: _Ranking, colors: Palette, unit: str) -> None:
        found = summary.table(ranking.table)
        self.ranking = ranking
        self._colors = colors
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
        """Return the header of the table."""
        first, *more = (
            Column(f"{title}, {unit.label}")
            for (_, title), unit in zip(self._columns, self._units, strict=True)
        )
        share = Column("Share of all", meaning="Share of everything that matches the filter.")
        names = [Column("", "swatch"), Column("Name", "name")]
        return [*names, Column("Calls"), first, share, Column("", "text"), *more]

    def line(self, row: dict[str, Any], token: str) -> list[Any]:
        """Return a row of the table."""
        length = _LENGTH - _COLUMN * len(self._columns)
        shown = name(row["name"], self.ranking.shown(row["name"]), length)
        figures = [
            format_value(row[key], unit)
            for (key, _), unit in zip(self._columns, self._units, strict=True)
        ]
        return self._line(token, shown, row["calls"], row[self.ranking.column], figures)

    def last_line(self, token: str) -> list[Any]:
        """Return the last row, with the sum of all entries that have no row of their own."""
        words = f"{self.others:,} other{'' if self.others == 1 else 's'}"
        figures = [format_value(self.rest, self._units[0]), *[""] * len(self.ranking.more)]
        return self._line(token, text(words), self._other_calls, self.rest, figures)

    def _line(
        self, token: str, shown: Html, calls: int, value: float, figures: list[str]
    ) -> list[Any]:
        part = value / self.whole
        return [
            image(swatch(token, self._colors), ""),
            shown,
            f"{calls:,}",
            figures[0],
            f"{format_pct(100 * part)} %",
            image(share_bar(part, token, self._colors), ""),
            *figures[1:],
        ]


def _empty_note(summary: Summary, ranking: _Ranking) -> Html:
    """Return a note that the filter excludes every entry; nothing without a filter."""
    if not summary.trace.active_filter or not summary.whole(ranking.table).num_rows:
        return Html()
    return section(ranking.title, note(f"No {ranking.table} match the filter."))
