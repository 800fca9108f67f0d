"""The tables of a trace: each by its name or as a method, under the filter that the trace has."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from nbprof.analysis.devices.rows import unlinked_rows
from nbprof.model.contract.table import with_unlinked
from nbprof.model.errors import UnknownNameError
from nbprof.tables import TABLES
from nbprof.tables.empty import tell_if_empty
from nbprof.tables.methods import has
from nbprof.tables.trace_methods import TraceMethods

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.contract.spec import TableSpec
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
    def filter(self, filter_: Filter | None = None, /, **conditions: Any) -> TraceTables:
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
        made = self.made(name, **options)
        tell_if_empty(self, name, options, made)
        return made

    def made(self, name: str, **options: Any) -> pa.Table:
        """Return a table as `table` does, without a warning where a filter keeps nothing of it.

        This is for those who say so themselves, as the views do.

        Raises
        ------
        UnknownNameError
            A trace has no such table.
        """
        spec = self._spec(name)
        given = {argument: getattr(self, argument) for argument in spec.trace_arguments}
        made = spec.make(self.model, self.active_filter, **given, **options)
        return self.placed(spec.finished(made))

    def placed(self, table: pa.Table) -> pa.Table:
        """Return a table of the trace that tells, under ``within``, of work that it cannot place.

        How many rows of device work have neither a launch nor an operator stands in its metadata.
        """
        if self.active_filter.within is None:
            return table
        return with_unlinked(table, unlinked_rows(self.model, self.active_filter))

    def _spec(self, name: str) -> TableSpec:
        spec = TABLES.get(name)
        if spec is None or not has("trace", spec):
            others = ", ".join(s.name for s in TABLES.specs() if has("trace", s))
            where = "" if spec is None else f" `nbprof.load(...).{name}()` returns it."
            message = f"A trace has no table {name!r}; it has {others}.{where}"
            raise UnknownNameError(message)
        return spec
