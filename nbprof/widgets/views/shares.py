"""Adds columns of shares to tables: of all rows under the filter, and of the whole trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import pct
from nbprof.widgets.requests.pages import sums
from nbprof.widgets.views import groupings

if TYPE_CHECKING:
    import pyarrow as pa

_TIME: Final = "_us"
#: The column of tables that already contain the share of the rows under the filter.
_OWN_SHARE: Final = "pct"


def share_bases(name: str, table: pa.Table) -> list[str]:
    """Return the times of a table that add up over its rows, so that shares of them make sense."""
    columns = [column for column in groupings.sums(name) if column.endswith(_TIME)]
    return list(sums(table, columns))


def with_shares(name: str, table: pa.Table, whole: pa.Table) -> pa.Table:
    """Return a table with the shares of its times as further columns.

    Parameters
    ----------
    name : str
        Name of the table.
    table : pyarrow.Table
        The rows under the filter.
    whole : pyarrow.Table
        The same table without a filter.
    """
    bases = share_bases(name, table)
    of_filter, of_all = sums(table, bases), sums(whole, bases)
    for base in bases:
        stem = base.removesuffix(_TIME)
        if _OWN_SHARE not in table.column_names:
            meaning = f"Share of {base} of all rows under the filter."
            table = _added(table, f"{stem}_of_filter_pct", meaning, base, of_filter)
        meaning = f"Share of {base} of all rows of the trace, without a filter."
        table = _added(table, f"{stem}_of_all_pct", meaning, base, of_all)
    return table


def _added(
    table: pa.Table, name: str, meaning: str, base: str, totals: dict[str, float]
) -> pa.Table:
    values = np.array(
        [np.nan if value is None else value for value in table[base].to_pylist()], np.float64
    )
    total = totals.get(base, 0.0)
    shares = 100.0 * values / total if total else np.full(len(values), np.nan)
    known = [None if np.isnan(share) else float(share) for share in shares]
    column = pct(name, meaning)
    return table.append_column(column.field, arrow_array(known, column.type))
