"""Adds the contributions of each step to a page, so that it can filter by steps without Python."""

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
    from nbprof.analysis.steps.step_parts import StepParts
    from nbprof.widgets.saved.writer import StateWriter
    from nbprof.widgets.session import Session, State


class PartsOfTables:
    """Puts the parts of each table in as soon as the table is inside.

    Parameters
    ----------
    writer : StateWriter
        Has the tables, and takes their parts.
    session, state : Session, State
        The trace, and the filter that the tables are under.
    """

    def __init__(self, writer: StateWriter, session: Session, state: State) -> None:
        self._writer = writer
        self._session = session
        self._state = state
        self._looked_at: set[str] = set()

    def follow(self) -> None:
        """Look at the tables that came since; say what has no room."""
        for entry in self._writer.names():
            kind, _, rest = entry.partition(":")
            if kind != "table" or entry in self._looked_at:
                continue
            self._looked_at.add(entry)
            name, _, group_by = rest.partition(":")
            self._add(name, group_by, entry)

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
        """Return what each step adds to a table; None if the table does not follow from that."""
        spec = TABLES.get(name)
        if spec is None or not spec.step_parts:
            return None
        model, filter_ = self._session.trace(self._state).model, self._state.filter
        try:
            parts: StepParts | None = imported(spec.step_parts)(model, table, group_by, filter_)
        except Exception as error:
            if TABLES.is_own(name):
                raise
            words = f"A page cannot filter the table {name!r}: {type(error).__name__}: {error}"
            warnings.warn(words, ExtensionWarning, stacklevel=2)
            return None
        return parts
