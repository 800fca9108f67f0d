"""Adds the user's notes to summaries: as a section of the HTML, and as lines of the text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nbprof.export.html.elements import Column, Html, join, name, note, section, table
from nbprof.export.summary_part import SummaryPart, TextPlace
from nbprof.model.names.short_names import middle_cut
from nbprof.model.units import choose_time_unit, format_number, format_time, format_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from nbprof.charts.theme import Palette
    from nbprof.export.summary_tables import Summary

#: Maximum number of notes in an HTML summary and in a text summary, and of characters of a note.
_ROWS: Final = 50
_LINES: Final = 6
_SHOWN: Final = 60


class NoteLine(NamedTuple):
    """The parts of a note that summaries show; hashable, as a part of cache keys."""

    start_ns: int
    end_ns: int
    where: str
    """Name of the slice, or the lane of a range; empty for all lanes."""
    text: str


def lines_of(notes: Iterable[Mapping[str, Any]]) -> tuple[NoteLine, ...]:
    """Return the notes of a view for a summary."""
    return tuple(
        NoteLine(one["start_ns"], one["end_ns"], one["name"] or one["lane"], one["text"])
        for one in notes
    )


def parts_of_notes(notes: Sequence[NoteLine]) -> list[SummaryPart]:
    """Return the section of a summary that lists notes; none without any."""
    if not notes:
        return []
    html, text = partial(_section, notes), partial(_text, notes)
    return [SummaryPart("notes", html, text, TextPlace.FIRST)]


def notes_html(notes: Sequence[NoteLine], unit: str) -> Html:
    """Return notes as a table under a title; empty without any."""
    if not notes:
        return Html()
    shown = notes[:_ROWS]
    times = [one.end_ns / 1000 for one in shown]
    chosen = choose_time_unit(times, unit)
    columns = (
        Column(f"Start ({chosen.label})"),
        Column("Duration"),
        Column("Slice or lane", "name"),
        Column("Note", "text"),
    )
    rows = [
        (
            format_value(one.start_ns / 1000, chosen),
            format_time((one.end_ns - one.start_ns) / 1000),
            name(one.where) if one.where else "all lanes",
            one.text,
        )
        for one in shown
    ]
    more = len(notes) - len(shown)
    rest = [note(f"and {format_number(more)} more")] if more else []
    return section("Notes", join([table(columns, rows), *rest]), wide=True)


def _section(notes: Sequence[NoteLine], summary: Summary, colors: Palette, unit: str) -> Html:  # noqa: ARG001 - as sections are called
    return notes_html(notes, unit)


def _text(notes: Sequence[NoteLine], summary: Summary) -> list[str]:  # noqa: ARG001 - as sections are called
    lines = ["Notes"]
    for one in notes[:_LINES]:
        where = middle_cut(one.where, _SHOWN) if one.where else "all lanes"
        lines.append(f"  {format_time(one.start_ns / 1000)}, {where}: {' '.join(one.text.split())}")
    if len(notes) > _LINES:
        lines.append(f"  and {len(notes) - _LINES} more")
    return lines
