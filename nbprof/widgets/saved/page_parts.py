"""Adds the contribution of each step to saved tables, so that a reader can filter by steps."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import pyarrow as pa

from nbprof.model.errors import ExtensionWarning
from nbprof.registry import imported
from nbprof.tables import TABLES
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.saved.tables import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.analysis.steps.step_parts import StepParts
    from nbprof.widgets.saved.writer import StateWriter
    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State


class PartsOfTables:
    """Adds the step contributions of each table after the table itself has been added.

    Parameters
    ----------
    writer : StateWriter
        Contains the tables, and gets their contributions.
    session, state : Session, State
        The trace, and the filter that the tables are under.
    """

    def __init__(self, writer: StateWriter, session: Session, state: State) -> None:
        self._writer = writer
        self._session = session
        self._state = state
        self._looked_at: set[str] = set()

    def add_new(self) -> Iterator[str]:
        """Add contributions for tables added since the last call; list those that do not fit.

        Yields
        ------
        str
            The table whose contributions were added or tried.
        """
        for entry in self._writer.names():
            kind, _, rest = entry.partition(":")
            if kind != "table" or entry in self._looked_at:
                continue
            self._looked_at.add(entry)
            name, _, group_by = rest.partition(":")
            self._add(name, group_by, entry)
            yield entry

    def _add(self, name: str, group_by: str, entry: str) -> None:
        with pa.ipc.open_stream(self._writer.part(entry)) as stream:
            table = stream.read_all()
        if table.num_rows < self._writer.about(entry)["rows"]:
            self._writer.leave_out(
                f"{words(name, group_by)} cannot be filtered here, because some rows are left out."
            )
            return
        parts = self._parts(name, group_by, table)
        if parts is None:
            return
        about = {"columns": parts.columns, "order": parts.order, "shown": parts.shown}
        if not self._writer.add(f"partials:{name}:{group_by}", about, [to_ipc(parts.table)]):
            self._writer.leave_out(
                f"{words(name, group_by)} cannot be filtered here, because of the size limit."
            )

    def _parts(self, name: str, group_by: str, table: pa.Table) -> StepParts | None:
        """Return the contribution of each step to a table; None if it is not a sum of these."""
        spec = TABLES.get(name)
        if spec is None or not spec.step_parts:
            return None
        model, filter_ = self._session.trace(self._state).model, self._state.filter
        try:
            parts: StepParts | None = imported(spec.step_parts)(model, table, group_by, filter_)
        except Exception as error:
            if TABLES.is_own(name):
                raise
            words = f"The table {name!r} is saved without a filter: {type(error).__name__}: {error}"
            warnings.warn(words, ExtensionWarning, stacklevel=2)
            return None
        return parts
