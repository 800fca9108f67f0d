"""The two donuts of the kernels view: time by kernel name, and time by use of matrix units."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from nbprof.charts.donut.donut import donut, donut_height, labelled_donut, width_of
from nbprof.charts.donut.slices import Slice, merge
from nbprof.model.contract.table import term_of
from nbprof.model.names.short_names import color_slots
from nbprof.model.units import choose_time_unit, format_pct, format_time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from nbprof.charts.chart import Chart

#: The column that says it, now and in tables of former versions.
_USED: Final = ("matrix_unit_used", "tensor_core_used")


def kernel_donuts(
    kernels: pa.Table,
    *,
    width: int | Mapping[str, int] = 476,
    top: int | None = 7,
    unit: str = "auto",
    order: Sequence[str] | None = None,
) -> dict[str, Chart]:
    """Lay out the table ``kernels``: time by name, and the share that used matrix units.

    Parameters
    ----------
    kernels : pyarrow.Table
        Table ``kernels`` in any grouping; rows of one name are added up.
    width : int or mapping of str to int, optional
        CSS pixels of one donut, or by key, with that of all others under ``""``.
    top : int or None
        How many names have a slice of their own; None for all.
    unit : {"auto", "us", "ms", "s"}
        Unit of the total.
    order : sequence of str, optional
        Names of the unfiltered trace, largest first, from which colours are taken.

    Returns
    -------
    dict of str to Chart
        Keys ``total_time`` and, where the device has matrix units and it is known of some kernel,
        ``tensor_cores``, whatever the vendor calls them; empty for a table without rows.
    """
    if not kernels.num_rows:
        return {}
    names = kernels["name"].to_pylist()
    times = kernels["total_us"].to_pylist()
    total_width = width_of("total_time", width)
    made = {
        "total_time": donut(
            names,
            times,
            title="Kernel time by name",
            width=total_width,
            slot_of=color_slots(rank_kernels(kernels) if order is None else order),
            top=top,
            unit=unit,
        )
    }
    units = term_of(kernels, _USED[0])
    told = [name for name in _USED if name in kernels.column_names]
    known = [name for name in told if kernels[name].null_count < kernels.num_rows]
    if (known or units) and units != "":
        made["tensor_cores"] = _matrix_units(
            units or "Matrix units",
            kernels[(known or told)[0]].to_pylist(),
            times,
            width=width_of("tensor_cores", width),
            height=donut_height(total_width, many=top is None),
            unit=unit,
        )
    return made


def rank_kernels(kernels: pa.Table) -> list[str]:
    """Return names in the order that gives them colours: total time, largest first.

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
) -> Chart:
    """Lay out kernel time with and without matrix units, and where it is unknown."""
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
        title=f"{units}, share of kernel time",
        width=width,
        height=height,
    )
