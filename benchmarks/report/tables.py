"""Markdown tables of the results."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], sides: str) -> str:
    """Return a table; a letter of `sides` for each column puts it left (l) or right (r)."""
    rule = "|".join("--:" if side == "r" else "---" for side in sides)
    lines = [f"| {' | '.join(columns)} |", f"|{rule}|"]
    lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"
