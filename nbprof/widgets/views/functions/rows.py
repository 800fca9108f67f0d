"""Readers of the tables of functions: with source lines, and the calls of one function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.building import arrow_array, arrow_scalar
from nbprof.model.names.private_frames import short_path
from nbprof.tables.trace import compute_table
from nbprof.widgets.requests.protocol import RequestError
from nbprof.widgets.views.table_readers import TableReader

if TYPE_CHECKING:
    from nbprof.widgets.session.session import Progress
    from nbprof.widgets.views.drawing.screen import Screen

#: The column of a call with the function itself, by what is asked for.
_OWN: Final = {"callers": "callee", "callees": "caller"}
#: The column with the other function, which is called like the column of the table of functions.
_OTHER: Final = {"callers": "caller", "callees": "callee"}


class FunctionReader(TableReader):
    """Reads functions for the screen, where a row opens to its source line.

    The column ``call_stack`` has the function as a frame, and ``file`` a short path with the line.
    """

    def read(
        self,
        screen: Screen,
        name: str,
        group_by: str,
        extra: Any,
        progress: Progress | None = None,
    ) -> pa.Table:
        """Return the functions under the filter on screen."""
        table = super().read(screen, name, group_by, extra, progress)
        places = [
            f"{short_path(file)}:{line}" if line else file
            for file, line in zip(table["file"].to_pylist(), table["line"].to_pylist(), strict=True)
        ]
        at = table.schema.get_field_index("file")
        table = table.set_column(at, table.schema.field(at), arrow_array(places, pa.utf8()))
        return table.append_column("call_stack", table["name"])


class CallerReader(TableReader):
    """Reads all calls, or those of one function: its callers or callees, called ``name`` then."""

    def extra_of(self, params: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return the function and what is asked for; None for all calls."""
        asked = params.get("calls")
        if asked is None:
            return None
        if isinstance(asked, Mapping):
            of, side = asked.get("of"), asked.get("side")
            if isinstance(of, str) and of and side in _OWN:
                return of, str(side)
        message = f"Calls are requested with of, a function, and side, not as {asked!r}."
        raise RequestError(message)

    def read(
        self,
        screen: Screen,
        name: str,
        group_by: str,
        extra: Any,
        progress: Progress | None = None,
    ) -> pa.Table:
        """Return the calls under the filter on screen."""
        if extra is None:
            return super().read(screen, name, group_by, extra, progress)
        of, side = extra
        trace = screen.trace
        key = (screen.state.filter, name, of)
        make = lambda: compute_table(trace, name, function=of)  # noqa: E731 - made if needed
        return _calls_of(screen.session.cached(trace, key, make), of, side)

    def about(self, screen: Screen, table: pa.Table, found: pa.Table, extra: Any) -> dict[str, Any]:
        """Return that the rows are identified by the name of the other function."""
        said = super().about(screen, table, found, extra)
        return said if extra is None else {**said, "keys": ["name"]}

    def why_empty(self, screen: Screen, name: str, extra: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """Explain that a function has no callers or callees."""
        if extra is None:
            return None
        callers = extra[1] == next(iter(_OWN))
        text = "It was called from outside of the profile." if callers else "It called no other."
        if screen.state.filter:
            text = "None is recorded under the filter."
        return {"title": f"No {extra[1]}", "text": text, "actions": []}


def _calls_of(table: pa.Table, of: str, side: str) -> pa.Table:
    """Return the callers or callees of a function, named in the column ``name``."""
    own, other = _OWN[side], _OTHER[side]
    found = table.filter(pc.equal(table[own], arrow_scalar(of)))
    kept = found.drop_columns([own])
    names = ["name" if name == other else name for name in kept.column_names]
    return kept.rename_columns(names)
