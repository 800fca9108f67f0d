"""`TraceTables`: returns the tables of a trace, by name or as methods, under its filter."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from nbprof.analysis.devices.device_rows import unlinked_rows
from nbprof.model.contract.table import with_beside, with_unlinked
from nbprof.model.errors import NbprofError, OutOfMemoryError, TableError
from nbprof.model.filters.empty_results import nothing_kept, there_are
from nbprof.model.filters.filter import NO_FILTER
from nbprof.tables import TABLES
from nbprof.tables.extensions import checked
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
    """The tables of `Trace`, which provides the model and the filter.

    Attributes
    ----------
    active_filter : Filter
        The filter that applies to the tables.
    """

    _owner: ClassVar[Owner] = "trace"

    active_filter: Filter

    @property
    @abstractmethod
    def place(self) -> str:
        """Worker and file of the trace, for messages."""

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
            The name of the table, which is also the name of its method.
        **options
            Options of the table, as its method takes them.

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
    """Compute a table of a trace, without a warning if the filter leaves no rows.

    The views and the command line call it, since they report empty tables themselves.

    Raises
    ------
    UnknownNameError
        A trace has no such table.
    TableError
        A table of nbprof itself cannot be computed, or one of an extension has other columns than
        it declares. Errors of extensions' tables are not caught.
    OutOfMemoryError
        There is not enough memory to compute it.
    """
    spec = table_spec("trace", name)
    given = {argument: getattr(trace, argument) for argument in spec.trace_arguments}
    chosen = spec.checked_options(options)
    model, filter_ = trace.model, trace.active_filter
    try:
        table = spec.finished(spec.make(model, filter_, **given, **chosen))
        table = checked(spec, table, chosen)
        if spec.whole_devices:
            return with_beside(table, filter_.beside_devices)
        if filter_.within is None:
            return table
        return with_unlinked(table, unlinked_rows(model, filter_))
    except (NbprofError, Warning):
        raise
    except Exception as error:
        if not TABLES.is_own(name):
            raise
        raise table_error(name, trace.place, error) from error


def table_error(name: str, place: str, error: Exception) -> NbprofError:
    """Return the error to raise for a table that could not be computed."""
    what = f"The table {name!r} of {place} could not be computed"
    return OutOfMemoryError.of(what, error) or TableError(
        f"{what}. {type(error).__name__}: {error}."
        " The file may hold values that nbprof does not expect: please report it."
    )


def _warn_if_empty(
    trace: TraceTables, name: str, options: Mapping[str, Any], table: pa.Table
) -> None:
    """Warn if a table is empty only because of the filter: a name may be mistyped.

    The warning names the user's line that called the method of the table, three calls above.

    Parameters
    ----------
    trace : Trace
        The trace under its filter.
    name : str
        Name of the table.
    options : mapping of str to object
        The options that the table was computed with.
    table : pyarrow.Table
        The table under the filter.
    """
    spec = table_spec("trace", name)
    narrows = spec.filtered and spec.warns_if_empty
    if table.num_rows or not trace.active_filter or not narrows:
        return
    whole = compute_table(trace.filter(NO_FILTER), name, **options).num_rows
    if whole:
        nothing_kept(name, trace.active_filter, there_are(whole, "row"), stacklevel=4)
