"""`device_properties`: name, memory and compute capability of a device, as recorded in a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.model.names.short_names import middle_cut
from nbprof.model.trace import schema

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: Letters of a name, at most: every view names the devices, and some name all of them.
_LONGEST_NAME: Final = 200


def device_properties(model: TraceModel, number: int) -> dict[str, Any]:
    """Return the properties of a device, as columns of the table ``devices``.

    Recorders may number devices differently than they list them. A device that is not listed gets
    the properties of the listed ones if all of these are the same model; properties that differ
    between them, such as memory, stay unknown.

    Parameters
    ----------
    model : TraceModel
        The trace.
    number : int
        Id of the device, which may differ from its position in the list.

    Returns
    -------
    dict
        Values as in the table; None if unknown.
    """
    known, shared = model.cached("properties of devices", lambda: _known(model))
    return known.get(number) or {**shared, "device": number}


def _known(model: TraceModel) -> tuple[dict[int, dict[str, Any]], dict[str, Any]]:
    """Return the properties of the listed devices by number, and those of all others."""
    listed: list[dict[str, Any]] = model.tables["devices"].to_pylist()
    for row in listed:
        row["name"] = middle_cut(row["name"] or "", _LONGEST_NAME)
    by_number = {row["device"]: row for row in reversed(listed)}  # the first of a number counts
    columns = schema.DEVICES.names
    if len({row["name"] for row in listed}) != 1 or not listed[0]["name"]:
        return by_number, dict.fromkeys(columns)
    shared = {
        column: listed[0][column] if len({row[column] for row in listed}) == 1 else None
        for column in columns
    }
    return by_number, shared
