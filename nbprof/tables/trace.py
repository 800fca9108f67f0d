"""`TraceTables`: returns the tables of a trace, by name or as methods, under its filter."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from nbprof.analysis.devices.device_rows import unlinked_rows
from nbprof.model.contract.table import with_unlinked
from nbprof.model.filters.empty_results import nothing_kept, rows_of
from nbprof.model.filters.filter import NO_FILTER
from nbprof.tables.methods import table_spec
from nbprof.tables.trace_methods import TraceMethods

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from typing_extensions import Unpack

    from nbprof.model.filters.fields import FilterFields
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel
    from nbprof.tables.methods import Owner


class TraceTables(TraceMethods):
    """What `Trace` can say in tables; it holds nothing itself.

    Attributes
    ----------
    active_filter : Filter
        What the tables are narrowed to.
    """

    _owner: ClassVar[Owner] = "trace"

    active_filter: Filter

    @property
    @abstractmethod
    def model(self) -> TraceModel:
        """The Arrow tables of the trace, see `nbprof.model.trace.schema`."""

    @abstractmethod
    def filter(
        self, filter_: Filter | None = None, /, **conditions: Unpack[FilterFields]
    ) -> TraceTables:
        """Return the trace narrowed to a filter."""

    def table(self, name: str, **options: Any) -> pa.Table:
        """Return a table by its name, one of nbprof's own or of an extension.

        Parameters
        ----------
        name : str
            The name of the table, which is also that of its method.
        **options
            Those of the method.

        Raises
        ------
        UnknownNameError
            A trace has no such table.
        """
        return self._table(name, **options)

    def _table(self, name: str, **options: Any) -> pa.Table:
        table = compute_table(self, name, **options)
        _warn_if_empty(self, name, options, table)
        return table


def compute_table(trace: TraceTables, name: str, **options: Any) -> pa.Table:
    """Return a table of a trace without a warning where the filter leaves no rows.

    The views and the command line call it, since they report empty tables themselves.

    Raises
    ------
    UnknownNameError
        A trace has no such table.
    """
    spec = table_spec("trace", name)
    given = {argument: getattr(trace, argument) for argument in spec.trace_arguments}
    table = spec.finished(
        spec.make(trace.model, trace.active_filter, **given, **spec.checked_options(options))
    )
    if trace.active_filter.within is None:
        return table
    return with_unlinked(table, unlinked_rows(trace.model, trace.active_filter))


def _warn_if_empty(
    trace: TraceTables, name: str, options: Mapping[str, Any], table: pa.Table
) -> None:
    """Warn where a table is empty that has rows without the filter: a name may be mistyped.

    The warning points at the line of the user that called the method of the table: three calls
    above this one.

    Parameters
    ----------
    trace : Trace
        The trace under its filter.
    name : str
        Name of the table.
    options : mapping of str to object
        What the table was asked for with.
    table : pyarrow.Table
        The table under the filter.
    """
    spec = table_spec("trace", name)
    narrows = spec.filtered and spec.warns_if_empty
    if table.num_rows or not trace.active_filter or not narrows:
        return
    whole = compute_table(trace.filter(NO_FILTER), name, **options).num_rows
    if whole:
        nothing_kept(name, trace.active_filter, rows_of(whole), stacklevel=4)
