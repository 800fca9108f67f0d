"""Functions in the HTML summary: those with the most self time, as `pstats` lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow.compute as pc

from nbprof.export.html.elements import Column, Html, name, note, section, table
from nbprof.model.names.private_frames import private_text
from nbprof.model.units import choose_time_unit, format_count, format_pct, format_value

if TYPE_CHECKING:
    from nbprof.charts.theme import Palette
    from nbprof.export.summary_tables import Summary

#: Functions listed.
_TOP: Final = 15
_LENGTH: Final = 88


def functions(summary: Summary, colors: Palette, unit: str) -> Html:  # noqa: ARG001 - the signature of all sections
    """Return the functions with the most self time."""
    found = summary.table("functions")
    if not found.num_rows:
        return Html()
    rows = found.slice(0, _TOP).to_pylist()
    own = choose_time_unit([row["self_us"] or 0.0 for row in rows], unit)
    whole = choose_time_unit([row["total_us"] or 0.0 for row in rows], unit)
    heads = [
        Column("Function", "name"),
        Column("Calls", meaning="After the stroke, calls that are not recursive."),
        Column(f"Self, {own.label}"),
        Column("Share", meaning="Share of the self times of all functions."),
        Column(f"Total, {whole.label}"),
    ]
    lines = []
    for row in rows:
        calls, primitive = row["calls"], row["primitive_calls"]
        count = f"{calls:,}" if calls == primitive else f"{calls:,}/{primitive:,}"
        share = "" if row["self_pct"] is None else f"{format_pct(row['self_pct'])} %"
        times = (
            format_value(row["self_us"] or 0.0, own),
            format_value(row["total_us"] or 0.0, whole),
        )
        lines.append(
            [
                name(row["name"], private_text(row["name"]), _LENGTH),
                count,
                times[0],
                share,
                times[1],
            ]
        )
    calls = pc.sum(found["calls"]).as_py()
    title = f"Functions by self time: {format_count(found.num_rows, 'function')}, {calls:,} calls"
    more = found.num_rows - len(rows)
    rest = note(f"and {more:,} more") if more > 0 else ""
    return section(title, table(heads, lines), rest, wide=True)
