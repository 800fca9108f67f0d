"""Concatenates the tables of several traces, with the columns run, worker and span."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from nbprof.model.building import arrow_array, arrow_scalar
from nbprof.model.contract.table import unlinked, with_unlinked
from nbprof.model.contract.trace_key import TRACE_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from nbprof.sources import TraceFile


def with_workers(tables: Mapping[str, pa.Table]) -> pa.Table:
    """Concatenate a table of several workers of a run and span.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        The table of each worker, at least one.

    Returns
    -------
    pyarrow.Table
        With the worker in the first column.
    """
    column = TRACE_KEY[1]
    found = [
        table
        if table.column_names[0] == column.name
        else table.add_column(0, column.field, _constant(worker, table.num_rows, column.type))
        for worker, table in tables.items()
    ]
    return _concatenate(found)


def with_trace_key(tables: Iterable[tuple[TraceFile, pa.Table]]) -> pa.Table:
    """Concatenate a table of several traces, in their order.

    Parameters
    ----------
    tables : iterable of (TraceFile, pyarrow.Table)
        The table of each trace, at least one.

    Returns
    -------
    pyarrow.Table
        With the columns run, worker and span first.
    """
    return _concatenate([_with_key_columns(file, table) for file, table in tables])


def _concatenate(tables: list[pa.Table]) -> pa.Table:
    """Concatenate tables, and sum their numbers of rows that ``within`` leaves out as unknown."""
    # Ranks that different recorders wrote may have different columns.
    joined = pa.concat_tables(tables, promote_options="default")
    counts = [count for table in tables if (count := unlinked(table)) is not None]
    return with_unlinked(joined, sum(counts)) if counts else joined


def _with_key_columns(file: TraceFile, table: pa.Table) -> pa.Table:
    rest = [name for name in table.column_names if name not in _NAMES]
    values = [_constant(getattr(file, c.name), table.num_rows, c.type) for c in TRACE_KEY]
    fields = [c.field for c in TRACE_KEY] + [table.schema.field(n) for n in rest]
    schema = pa.schema(fields, table.schema.metadata)
    return pa.table([*values, *(table[name] for name in rest)], schema=schema)


def with_run_and_span(table: pa.Table, run: str, spans: Mapping[str, int]) -> pa.Table:
    """Put the columns run, worker and span first in a table over the workers of a run.

    Parameters
    ----------
    table : pyarrow.Table
        With a column ``worker``.
    run : str
        Name of the run.
    spans : mapping of str to int
        The span of every worker.
    """
    workers = table["worker"].to_pylist()
    run_of, worker_of, span_of = TRACE_KEY
    rest = [name for name in table.column_names if name != worker_of.name]
    values = [
        _constant(run, table.num_rows, run_of.type),
        table[worker_of.name],
        arrow_array([spans[worker] for worker in workers], span_of.type),
    ]
    fields = [c.field for c in TRACE_KEY] + [table.schema.field(n) for n in rest]
    schema = pa.schema(fields, table.schema.metadata)
    return pa.table([*values, *(table[name] for name in rest)], schema=schema)


def _constant(value: str | int, count: int, type_: pa.DataType) -> pa.Array:
    return pa.repeat(arrow_scalar(value, type_), count)


_NAMES = frozenset(column.name for column in TRACE_KEY)
