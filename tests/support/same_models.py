"""Checks that two models are equal in everything, including the order of dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel


def assert_same(found: TraceModel, expected: TraceModel) -> None:
    """Compare tables value by value, metadata and warnings."""
    assert found.warnings == expected.warnings
    assert found.metadata == expected.metadata
    assert found.tables.keys() == expected.tables.keys()
    for name, table in expected.tables.items():
        assert found.tables[name].schema.equals(table.schema), name
        for column in table.column_names:
            same = plain(found.tables[name][column]) == plain(table[column])
            assert same, f"{column} of {name}"


def plain(column: pa.ChunkedArray) -> tuple[object, ...]:
    """Return a column as values that can be compared, NaN being equal to itself."""
    array = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if isinstance(array, pa.ChunkedArray):  # an empty one
        array = pa.array([], column.type)
    if pa.types.is_dictionary(column.type):
        return (array.indices.to_pylist(), array.dictionary.to_pylist())
    if pa.types.is_floating(column.type):
        return (list(map(repr, array.to_pylist())),)
    return (array.to_pylist(),)
