"""Memory snapshots in the text summary: the failed allocation or the peak, and who held memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.export.held_memory import held_memory, holder_name
from nbprof.export.text.table import cut_cells
from nbprof.model.units import format_bytes, format_pct
from nbprof.model.visible_text import printable

if TYPE_CHECKING:
    from nbprof.export.summary_tables import Summary

#: Holders that are listed.
_TOP: Final = 5
_NAME: Final = 66


def snapshot(summary: Summary) -> list[str]:
    """Return the memory of each device of a snapshot; no lines for other traces."""
    lines: list[str] = []
    for held in held_memory(summary):
        lines += [held.title, *(f"  {one}" for one in held.lines)]
        for row in held.holders.slice(0, _TOP).to_pylist():
            share = f"{format_pct(row['pct'])} %"
            shown = cut_cells(printable(holder_name(row, "frame")), _NAME)
            lines.append(f"{format_bytes(row['bytes']):>12}{share:>9}  {shown}")
    return lines
