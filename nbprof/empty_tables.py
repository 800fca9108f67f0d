"""Warning where a filter keeps nothing of a table: a mistyped name must not pass for an absence."""

from __future__ import annotations

from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar, cast

from nbprof.model.filters.filter import NO_FILTER
from nbprof.model.filters.notices import nothing_kept, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from nbprof.trace_tables import TraceTables

Method = TypeVar("Method", bound="Callable[..., pa.Table]")


def tells_if_empty(method: Method) -> Method:
    """Let the method of a table warn where the filter keeps nothing of it.

    The bare method is there as ``__wrapped__``.
    """
    takes = signature(method)

    @wraps(method)
    def told(self: TraceTables, *given: Any, **options: Any) -> pa.Table:
        made = self.placed(method(self, *given, **options))
        if made.num_rows == 0 and self.active_filter:
            bound = takes.bind(self, *given, **options).arguments
            del bound["self"]
            tell_if_empty(self, method.__name__, bound, made)
        return made

    return cast("Method", told)


def tell_if_empty(
    trace: TraceTables, name: str, options: Mapping[str, Any], made: pa.Table
) -> None:
    """Warn where a table is empty that has rows without the filter.

    The line shown is the one that called the caller.

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
    narrows = hasattr(getattr(type(trace), name), "__wrapped__")
    if made.num_rows or not trace.active_filter or not narrows:
        return
    whole = trace.filter(NO_FILTER).made(name, **options).num_rows
    if whole:
        nothing_kept(name, trace.active_filter, rows_of(whole), stacklevel=3)
