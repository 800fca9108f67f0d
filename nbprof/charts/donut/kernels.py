"""The two donuts of the kernels view: time by kernel name, and time by use of matrix units."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from nbprof.charts.donut.donut import donut, donut_height, labelled_donut, width_of
from nbprof.charts.donut.slices import Slice, merge
from nbprof.model.contract.table import term_of
from nbprof.model.names.short_names import color_slots, short_name
from nbprof.model.units import choose_time_unit, format_pct, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa

    from nbprof.charts.chart import Chart

#: The column with the use of matrix units, and its name in tables of former versions.
_USED: Final = ("matrix_unit_used", "tensor_core_used")


def kernel_donuts(
    kernels: pa.Table,
    *,
    width: int | Mapping[str, int] = 476,
    top: int | None = 7,
    unit: str = "auto",
    order: Sequence[str] | None = None,
    unnamed: pa.Table | None = None,
    label: Callable[[str], str] = short_name,
) -> dict[str, Chart]:
    """Lay out the table ``kernels``: time by name, and the share that used matrix units.

    Parameters
    ----------
    kernels : pyarrow.Table
        Table ``kernels`` in any grouping; rows with the same name are added up.
    width : int or mapping of str to int, optional
        CSS pixels of each donut, or by key; ``""`` is for all keys that are not listed.
    top : int or None
        Number of names with a slice of their own; None for all.
    unit : {"auto", "ns", "us", "ms", "s"}
        Unit of the total.
    order : sequence of str, optional
        Names of the unfiltered trace, largest first, which determine the colours.
    unnamed : pyarrow.Table, optional
        The same table without a filter by name: all its names are drawn, muted if they are not in
        `kernels`. The use of matrix units is that of `kernels`.
    label : callable, optional
        Returns the label of a name.

    Returns
    -------
    dict of str to Chart
        Key ``total_time``; also ``tensor_cores``, for any vendor, if the device has matrix units
        and their use is known for some kernel. Empty for a table without rows.
    """
    whole = kernels if unnamed is None else unnamed
    if not whole.num_rows:
        return {}
    names = kernels["name"].to_pylist()
    times = kernels["total_us"].to_pylist()
    total_width = width_of("total_time", width)
    made = {
        "total_time": donut(
            whole["name"].to_pylist(),
            whole["total_us"].to_pylist(),
            title="Kernel time by name",
            width=total_width,
            slot_of=color_slots(rank_kernels(whole) if order is None else order),
            top=top,
            unit=unit,
            kept=None if unnamed is None else set(names),
            label=label,
        )
    }
    units = term_of(kernels, _USED[0])
    columns = [name for name in _USED if name in kernels.column_names]
    known = [name for name in columns if whole[name].null_count < whole.num_rows]
    if (known or units) and units != "":
        made["tensor_cores"] = _matrix_units(
            units or "Matrix units",
            kernels[(known or columns)[0]].to_pylist(),
            times,
            width=width_of("tensor_cores", width),
            height=donut_height(total_width, top=top),
            unit=unit,
            of="these kernels" if unnamed is not None else "kernel time",
        )
    return made


def rank_kernels(kernels: pa.Table) -> list[str]:
    """Return names in the order that determines colours: by total time, largest first.

    Parameters
    ----------
    kernels : pyarrow.Table
        Table ``kernels`` of the unfiltered trace.
    """
    return [n for n, _ in merge(kernels["name"].to_pylist(), kernels["total_us"].to_pylist())]


def _matrix_units(
    units: str,
    used: Sequence[bool | None],
    times: Sequence[float | None],
    *,
    width: int,
    height: int,
    unit: str,
    of: str,
) -> Chart:
    """Lay out kernel time with matrix units, without them, and with unknown use."""
    fills = {"used": "kernel", "not used": "remainder", "unknown": "other"}
    words = ["unknown" if u is None else "used" if u else "not used" for u in used]
    slices = [Slice(name, name, value, fills[name]) for name, value in merge(words, times)]
    whole = math.fsum(s.value for s in slices)
    share = 100 * sum(s.value for s in slices if s.name == "used") / whole if whole else 0.0
    time_unit = choose_time_unit([whole], unit)
    return labelled_donut(
        slices,
        hole=(f"{format_pct(share)} %", "used"),
        write=lambda value: format_time(value, None if unit == "auto" else time_unit),
        title=f"{units}, share of {of}",
        width=width,
        height=height,
    )
