"""`TraceModel`: the Arrow tables of one trace, with nesting, launches and steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.model.links.host_nesting import nesting_of
from nbprof.model.links.launches import links_of
from nbprof.model.names.communication_names import count_matches
from nbprof.model.steps.steps import find_steps
from nbprof.model.trace.trace_data import TraceData

if TYPE_CHECKING:
    from nbprof.model.links.host_nesting import Nesting
    from nbprof.model.links.launches import Links
    from nbprof.model.steps.steps import Steps


class TraceModel(TraceData):
    """The tables of one worker and span, and the data derived from them.

    Nesting, links and steps are computed on first use and kept with the model.
    """

    def under(self, communication_names: tuple[str, ...]) -> TraceModel:
        """Return the same trace with the user's rules for communication.

        It shares the tables and the derived data that does not depend on the rules. All other
        results are cached separately for the model as read and for the last rules, so that results
        of different rules are never mixed.

        Parameters
        ----------
        communication_names : tuple of str
            As `nbprof.model.names.communication_names.checked` returns them. The metadata of the
            result has the number of device events that each rule matches.
        """
        if communication_names == self.communication_names:
            return self
        base = self.as_read
        if communication_names == base.communication_names:
            return base
        with base._lock:  # noqa: SLF001 - of the same class
            if base._under[0] != communication_names:  # noqa: SLF001
                counts = {"communication_names": count_matches(base, communication_names)}
                base._under = communication_names, {}, {**base.metadata, **counts}  # noqa: SLF001
            _, kept, metadata = base._under  # noqa: SLF001
        other = TraceModel(base.tables, metadata, base.warnings, communication_names, base.dialect)
        other._read_as, other._lock, other._cache = base, base._lock, kept  # noqa: SLF001
        return other

    @property
    def nesting(self) -> Nesting:
        """Parent and depth of every host row, see `nbprof.model.links.host_nesting`."""
        return nesting_of(self)

    @property
    def links(self) -> Links:
        """Launch and operator of every device row, see `nbprof.model.links.launches`."""
        return links_of(self)

    @property
    def steps(self) -> Steps:
        """The steps of the trace, see `nbprof.model.steps.steps`."""
        return self.as_read.cached("steps", lambda: find_steps(self.as_read))
