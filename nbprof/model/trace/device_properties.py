"""`device_properties`: name, memory and compute capability of a device, as recorded in a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.model.trace import schema

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel


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
    known: list[dict[str, Any]] = model.cached("known devices", model.tables["devices"].to_pylist)
    row_of_device = next((row for row in known if row["device"] == number), None)
    if row_of_device is not None:
        return row_of_device
    columns = schema.DEVICES.names
    if len({row["name"] for row in known}) != 1 or not known[0]["name"]:
        return {**dict.fromkeys(columns), "device": number}
    shared = {
        column: known[0][column] if len({row[column] for row in known}) == 1 else None
        for column in columns
    }
    return {**shared, "device": number}
