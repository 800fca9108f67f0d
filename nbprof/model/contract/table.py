"""`Column`, and `make_table`, which builds a result table whose fields carry unit and meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from nbprof.model.building import arrow_array

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
    term : str, optional
        The vendor's term for the subject of the column, such as Tensor Cores; empty if the device
        has none. Views show it above the column.
    """

    name: str
    type: pa.DataType
    unit: str
    meaning: str
    term: str | None = None

    @property
    def field(self) -> pa.Field:
        """The Arrow field, with unit, meaning and, if any, term in its metadata."""
        metadata = {"unit": self.unit, "meaning": self.meaning}
        if self.term is not None:
            metadata["term"] = self.term
        return pa.field(self.name, self.type, metadata=metadata)


def make_table(columns: Sequence[Column], data: Mapping[str, Any]) -> pa.Table:
    """Build a table of exactly these columns, in this order.

    Parameters
    ----------
    columns : sequence of Column
        Columns of the table.
    data : mapping of str to array-like
        Values of each column; ``None`` instead of values makes a column of nulls. NaN in NumPy
        arrays stays NaN: for nulls, pass Arrow arrays, or lists with ``None``.

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
            arrays.append(arrow_array(values, column.type))
    return pa.table(arrays, schema=pa.schema([column.field for column in columns]))


def term_of(table: pa.Table, column: str) -> str | None:
    """Return the term of a column, None if it has none or there is no such column."""
    if column not in table.column_names:
        return None
    term = (table.schema.field(column).metadata or {}).get(b"term")
    return None if term is None else term.decode()


#: Metadata key of tables under ``within``: the number of device rows that are left out because both
#: their launch and their operator are unknown.
UNLINKED: Final = b"unlinked_device_rows"


def with_unlinked(table: pa.Table, count: int) -> pa.Table:
    """Store the number of device rows without launch and operator in the metadata."""
    return table.replace_schema_metadata({**(table.schema.metadata or {}), UNLINKED: str(count)})


#: Metadata key of tables about whole devices: that fields of the filter do not apply to them.
BESIDE: Final = b"filter"


def with_beside(table: pa.Table, words: str) -> pa.Table:
    """Store in the metadata what is said beside figures that a filter does not apply to."""
    if not words:
        return table
    return table.replace_schema_metadata({**(table.schema.metadata or {}), BESIDE: words})


def beside(table: pa.Table) -> str:
    """Return the words that `with_beside` stored, empty without any."""
    words: bytes = (table.schema.metadata or {}).get(BESIDE, b"")
    return words.decode()


def unlinked(table: pa.Table) -> int | None:
    """Return the number that `with_unlinked` stored, None without one."""
    count = (table.schema.metadata or {}).get(UNLINKED)
    return None if count is None else int(count)
