"""What tables of extensions must be: their names free, and their columns those declared."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from nbprof.model.errors import ExtensionWarning, TableError
from nbprof.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from nbprof.model.contract.spec import TableSpec


def name_conflict(spec: TableSpec) -> str:
    """Return why traces or profiles cannot have a method of a table's name; empty if they can."""
    from nbprof.profiles import Profile
    from nbprof.trace import Trace

    owners: dict[str, type] = {"trace": Trace, "profile": Profile}
    for owner, class_ in owners.items():
        if spec.scope not in (owner, "both"):
            continue
        noted = (vars(one).get("__annotations__", ()) for one in class_.__mro__)
        if hasattr(class_, spec.name) or any(spec.name in names for names in noted):
            return f"{class_.__name__} has an attribute {spec.name!r}, so it needs another name"
    return ""


def made(
    spec: TableSpec, data: Any, filter_: Any, options: Mapping[str, Any], **given: Any
) -> pa.Table:
    """Return the table that the function of a spec makes.

    Parameters
    ----------
    spec : TableSpec
        The table.
    data : TraceModel or Profile
        What it is made from.
    filter_ : Filter
        The filter.
    options : mapping of str to object
        Options of the table.
    **given
        Further arguments of the function.

    Warns
    -----
    ExtensionWarning
        A table of an extension has other columns than it declares.

    Raises
    ------
    TableError
        For the same reason, since views, commands and exports rely on the columns.
    """
    table = spec.finished(spec.make(data, filter_, **given, **options))
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
