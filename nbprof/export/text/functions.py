"""Functions in the text summary: those with the most self time, in the layout of `pstats`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc

from nbprof.export.text.table import cut_cells
from nbprof.model.visible_text import printable

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.export.summary_tables import Summary

#: Functions listed in a summary.
_TOP: Final = 10
_US_PER_S: Final = 1e6
_NAME: Final = 58


def functions(summary: Summary) -> list[str]:
    """Return the functions with the most self time."""
    return function_lines(summary.table("functions"), _TOP)


def function_lines(table: pa.Table, top: int, length: int = _NAME) -> list[str]:
    """Return the first rows of the table ``functions`` as `pstats` prints them, in seconds.

    Parameters
    ----------
    table : pyarrow.Table
        The table, in any order.
    top : int
        Number of functions.
    length : int
        Length of a function's name, which is cut at its beginning.
    """
    if not table.num_rows:
        return []
    calls, primitive = (pc.sum(table[one]).as_py() for one in ("calls", "primitive_calls"))
    own = (pc.sum(table["self_us"]).as_py() or 0.0) / _US_PER_S
    but = "" if calls == primitive else f" ({primitive:,} primitive)"
    of = f"{table.num_rows:,} functions, {own:.3f} s"
    lines = [
        f"Functions by self time: {calls:,} calls{but} of {of}",
        f"{'ncalls':>11} {'tottime':>8} {'percall':>8} {'cumtime':>8} {'percall':>8}  function",
    ]
    for row in table.slice(0, top).to_pylist():
        count = f"{row['calls']}"
        if row["calls"] != row["primitive_calls"]:
            count += f"/{row['primitive_calls']}"
        times = ("self_us", "self_per_call_us", "total_us", "total_per_call_us")
        shown = _shown(printable(row["name"]), length)
        lines.append(f"{count:>11} {' '.join(_seconds(row, one) for one in times)}  {shown}")
    return lines


def _shown(name: str, length: int) -> str:
    """Shorten a name; the end of a path says most."""
    if len(name) <= length or name.startswith("{"):
        return cut_cells(name, length)
    return f"…{name[1 - length :]}"


def _seconds(row: dict[str, Any], column: str) -> str:
    value = row[column]
    return f"{'' if value is None else f'{value / _US_PER_S:.3f}':>8}"
