"""Adds the contributions of each step to a page, so that it can filter by steps without Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nbprof.analysis.memory.records import tells_names
from nbprof.analysis.steps.step_parts_devices import device_summary_parts, device_time_parts
from nbprof.analysis.steps.step_parts_memory import memory_operator_parts
from nbprof.analysis.steps.step_parts_tables import kernel_parts, operator_parts
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
        made = self._parts(name, group_by, table)
        if made is None:
            return
        found, about = made
        if not self._writer.add(f"partials:{name}:{group_by}", about, [to_ipc(found)]):
            self._writer.leave_out(
                f"{words(name, group_by)} cannot be filtered here, because of the size limit."
            )

    def _parts(
        self, name: str, group_by: str, table: pa.Table
    ) -> tuple[pa.Table, dict[str, Any]] | None:
        """Return the parts of a table and how it follows from them; None where it does not."""
        model, filter_ = self._session.trace(self._state).model, self._state.filter
        if name in ("device_time", "device_summary"):
            if filter_.time_us is not None:
                return None  # steps that a range cuts add something else
            if name == "device_summary" and model.capabilities.host_step_shares:
                return None  # its figures are of the steps on the host
            make = device_time_parts if name == "device_time" else device_summary_parts
            return make(model, filter_), {}
        found: StepParts
        if name == "operators":
            found = operator_parts(model, table, group_by, filter_)
        elif name == "kernels":
            found = kernel_parts(model, table, group_by, filter_)
        elif name == "memory_operators" and not tells_names(model):
            found = memory_operator_parts(model, table, filter_)
        else:
            return None
        about = {"columns": found.columns, "order": found.order, "shown": found.shown}
        return found.table, about
