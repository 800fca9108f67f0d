"""Drops rows from the tables of a trace and updates the references between tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from nbprof.model.arrays import joined, numpy_of
from nbprof.model.building import arrow_array, arrow_scalar

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

#: Columns with rows of another table: (table, column) → the other table.
_REFERENCES: Final = {
    ("memory_stacks", "record"): "memory",
    ("memory_names", "record"): "memory",
    ("measured_operators", "row"): "host",
    ("npu_kernels", "row"): "device",
    ("communication_links", "row"): "communication",
    ("nvtx_ranges", "row"): "host",
    ("range_texts", "row"): "host",
    ("call_results", "row"): "host",
    ("library_calls", "row"): "host",
}

#: Tables with one row, or none, for every row of another table.
BESIDE: Final = {
    "host_types": "host",
    "host_categories": "host",
    "device_categories": "device",
    "memory_extra": "memory",
    "memory_requested": "memory",
    "cuda_work": "device",
}

#: Tables whose rows are of one of two other tables, named in the column ``side``.
_SIDED: Final = "collectives"


class Kept(NamedTuple):
    """The rows of a table that stay, shape (rows,)."""

    rows: npt.NDArray[np.bool_]

    @property
    def moved(self) -> npt.NDArray[np.int64]:
        """The new number of every old row, shape (rows,); -1 for those that are left out."""
        return np.where(self.rows, np.cumsum(self.rows) - 1, -1)


def without_rows(tables: Mapping[str, pa.Table], kept: Mapping[str, Kept]) -> dict[str, pa.Table]:
    """Return the tables with only the rows that stay.

    Rows of other tables that refer to one that is left out are left out, too, except operators that
    the recorder measured, which have times of their own.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        All tables of a trace.
    kept : mapping of str to Kept
        The rows that stay, for tables that lose rows.
    """
    found = dict(tables)
    for name, one in kept.items():
        found[name] = found[name].filter(arrow_array(one.rows))
    for name, other in BESIDE.items():
        if other in kept and tables[name].num_rows:
            found[name] = found[name].filter(arrow_array(kept[other].rows))
    for (name, column), other in _REFERENCES.items():
        if other in kept and found[name].num_rows:
            needed = name != "measured_operators"
            found[name] = _pointed(found[name], column, kept[other].moved, needed=needed)
    if found[_SIDED].num_rows:
        for other in ("host", "device"):
            if other in kept:
                table = found[_SIDED]
                own = numpy_of(pc.equal(joined(table["side"]), arrow_scalar(other)))
                found[_SIDED] = _pointed(table, "row", kept[other].moved, needed=True, only=own)
    return found


def _pointed(
    table: pa.Table,
    column: str,
    moved: npt.NDArray[np.int64],
    *,
    needed: bool,
    only: npt.NDArray[np.bool_] | None = None,
) -> pa.Table:
    """Return a table whose column points to the new rows; without the rows that need an old one."""
    rows = joined(table.column(column)).astype(np.int64)
    refers = rows >= 0 if only is None else only & (rows >= 0)
    new = rows.copy()
    new[refers] = moved[rows[refers]]
    place = table.schema.get_field_index(column)
    table = table.set_column(place, table.schema.field(place), arrow_array(new))
    lost = refers & (new < 0)
    return table.filter(arrow_array(~lost)) if needed and lost.any() else table
