"""Memory snapshots in the HTML summary: the failed allocation or the peak, and who held memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.export.held_memory import HOLDERS, HeldMemory, held_memory, holder_name
from nbprof.export.html.elements import Column, Html, beside, join, line, name, note, section, table
from nbprof.model.units import format_bytes, format_count, format_pct

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.charts.theme import Palette
    from nbprof.export.summary_tables import Summary


def snapshot(summary: Summary, colors: Palette, unit: str) -> Html:  # noqa: ARG001 - the signature of all sections
    """Return the memory of each device of a snapshot; empty for other traces."""
    return join([_device(one) for one in held_memory(summary)])


def _device(held: HeldMemory) -> Html:
    tables = [_holders(held.holders, "frame", "Held by")]
    if held.categories is not None:
        tables.append(_holders(held.categories, "category", "Category"))
    return section(held.title, *map(line, held.lines), beside(*tables), wide=True)


def _holders(found: pa.Table, key: str, head: str) -> Html:
    columns = [Column(head, "name"), Column("Allocated"), Column("Share"), Column("Blocks")]
    more = found.num_rows - HOLDERS
    rest = note(f"and {format_count(more, 'more')}") if more > 0 else Html()
    return join(
        [table(columns, [_row(row, key) for row in found.slice(0, HOLDERS).to_pylist()]), rest]
    )


def _row(row: dict[str, Any], key: str) -> list[Any]:
    share = "" if row["pct"] is None else f"{format_pct(row['pct'])} %"
    return [name(holder_name(row, key)), format_bytes(row["bytes"]), share, f"{row['blocks']:,}"]
