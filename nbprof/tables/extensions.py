"""`checked`: refuses a table of an extension that has other columns than it declares."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from nbprof.model.errors import ExtensionWarning, TableError
from nbprof.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from nbprof.model.contract.spec import TableSpec


def checked(spec: TableSpec, table: pa.Table, options: Mapping[str, Any]) -> pa.Table:
    """Return a table that the function of a spec has made, if its columns are as declared.

    Parameters
    ----------
    spec : TableSpec
        The table.
    table : pyarrow.Table
        What it has made.
    options : mapping of str to object
        Options of the table.

    Warns
    -----
    ExtensionWarning
        A table of an extension has other columns than it declares.

    Raises
    ------
    TableError
        For the same reason, since views, commands and exports rely on the columns.
    """
    declared = None if TABLES.is_own(spec.name) else spec.columns_under(**options)
    if declared is None:
        return table
    wanted = {column.name for column in declared}
    there = set(table.column_names)
    more = there - wanted - {column.name for column in spec.extra_columns}
    wrong = [
        f"{what} {', '.join(map(repr, sorted(names)))}"
        for what, names in (("it lacks", wanted - there), ("it has not declared", more))
        if names
    ]
    if wrong:
        text = f"The {TABLES.described(spec.name)} cannot be used: {' and '.join(wrong)}."
        warnings.warn(text, ExtensionWarning, stacklevel=2)
        raise TableError(text)
    return table
