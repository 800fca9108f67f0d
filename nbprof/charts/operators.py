"""The four donuts of the operator view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.charts.donut import donut, width_of
from nbprof.model.names import color_slots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from bokeh.plotting import figure

_COUNTED_TWICE: Final = "(a call counts in each of its parents)"

#: What each donut shows, by its key: the column of the table is the key and ``_us``.
OPERATOR_DONUTS: Final = {
    "device_self": "Device self time",
    "device_total": f"Device total time {_COUNTED_TWICE}",
    "host_self": "Host self time",
    "host_total": f"Host total time {_COUNTED_TWICE}",
}


def operator_donuts(
    operators: pa.Table,
    *,
    theme: str = "light",
    width: int | Mapping[str, int] = 476,
    top: int | None = 7,
    unit: str = "auto",
    order: Sequence[str] | None = None,
) -> dict[str, figure]:
    """Draw the table ``operators``: device and host time, self and total.

    Parameters
    ----------
    operators : pyarrow.Table
        Table ``operators`` in any grouping; rows of one name are added up.
    theme : {"light", "dark"}
        Colours.
    width : int or mapping of str to int, optional
        CSS pixels of one donut, or by key, with that of all others under ``""``.
    top : int or None
        How many names have a slice of their own; None for all.
    unit : {"auto", "us", "ms", "s"}
        Unit of the totals.
    order : sequence of str, optional
        Names of the unfiltered trace, largest first, from which colours are taken; so a filter
        changes none. By default the names of this table.

    Returns
    -------
    dict of str to bokeh.plotting.figure
        By the keys of `OPERATOR_DONUTS`; without those whose column is null throughout, as device
        times are in a trace without a device, and empty for a table without rows.
    """
    names = operators["name"].to_pylist()
    slot_of = color_slots(rank_operators(operators) if order is None else order)
    return {
        key: donut(
            names,
            operators[f"{key}_us"].to_pylist(),
            title=title,
            theme=theme,
            width=width_of(key, width),
            slot_of=slot_of,
            top=top,
            unit=unit,
        )
        for key, title in OPERATOR_DONUTS.items()
        if operators[f"{key}_us"].null_count < operators.num_rows
    }


def rank_operators(operators: pa.Table) -> list[str]:
    """Return names in the order that gives them colours: device self, else host self time.

    Parameters
    ----------
    operators : pyarrow.Table
        Table ``operators`` of the unfiltered trace.
    """
    device = operators["device_self_us"]
    measured = device.null_count < operators.num_rows
    values = (device if measured else operators["host_self_us"]).to_pylist()
    names = operators["name"].to_pylist()
    rows = zip(names, values, strict=True)
    return [n for n, _ in sorted(rows, key=lambda row: (-(row[1] or 0.0), row[0]))]
