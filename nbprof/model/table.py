"""Result tables: columns that know their unit and meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Column:
    """One column of a result table.

    Parameters
    ----------
    name : str
        snake_case with the unit as suffix.
    type : pyarrow.DataType
        utf8, int64, float64 or bool.
    unit : str
        ``"us"``, ``"ns"``, ``"%"``, ``"bytes"``, ``"GB/s"``, or empty.
    meaning : str
        One line, shown on hover.
    """

    name: str
    type: pa.DataType
    unit: str
    meaning: str

    @property
    def field(self) -> pa.Field:
        """The Arrow field, unit and meaning in its metadata."""
        return pa.field(self.name, self.type, metadata={"unit": self.unit, "meaning": self.meaning})


def make_table(columns: Sequence[Column], data: Mapping[str, Any]) -> pa.Table:
    """Build a table of exactly these columns, in this order.

    Parameters
    ----------
    columns : sequence of Column
        What the table holds.
    data : mapping of str to array-like
        Values of each column; ``None`` for a column stands for all null. NumPy NaN stays NaN: pass
        Arrow arrays or lists with ``None`` for nulls.

    Raises
    ------
    KeyError
        A column has no data.
    """
    rows = next((len(values) for values in data.values() if values is not None), 0)
    arrays = []
    for column in columns:
        values = data[column.name]
        if values is None:
            arrays.append(pa.nulls(rows, column.type))
        elif isinstance(values, (pa.Array, pa.ChunkedArray)):
            arrays.append(values.cast(column.type))
        else:
            arrays.append(pa.array(values, column.type))
    return pa.table(arrays, schema=pa.schema([column.field for column in columns]))


def meanings(table: pa.Table) -> dict[str, str]:
    """Return the one-line meaning of every column that has one."""
    found = {f.name: (f.metadata or {}).get(b"meaning", b"").decode() for f in table.schema}
    return {name: text for name, text in found.items() if text}
