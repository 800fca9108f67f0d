"""Warning where a filter keeps nothing of a table: a mistyped name must not pass for an absence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.model.filters.filter import NO_FILTER
from nbprof.model.filters.notices import nothing_kept, rows_of
from nbprof.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from nbprof.tables.trace import TraceTables


def tell_if_empty(
    trace: TraceTables, name: str, options: Mapping[str, object], made: pa.Table
) -> None:
    """Warn where a table is empty that has rows without the filter.

    The line shown is that of the call two levels above the caller of this function: of the method
    that a user calls.

    Parameters
    ----------
    trace : TraceTables
        The trace under its filter.
    name : str
        A table of it.
    options : mapping of str to object
        What the table was asked for with.
    made : pyarrow.Table
        What came of it.
    """
    spec = TABLES[name]
    narrows = spec.filtered and spec.warns_if_empty
    if made.num_rows or not trace.active_filter or not narrows:
        return
    whole = trace.filter(NO_FILTER).made(name, **options).num_rows
    if whole:
        nothing_kept(name, trace.active_filter, rows_of(whole), stacklevel=4)
