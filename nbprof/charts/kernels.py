"""The two donuts of the kernel view."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from nbprof.charts.donut import donut, donut_height, draw_donut, width_of
from nbprof.charts.series import token_color
from nbprof.charts.slices import Slice, merge
from nbprof.charts.theme import palette
from nbprof.model.names import color_slots
from nbprof.model.units import choose_time_unit, format_number, format_pct, format_time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from bokeh.plotting import figure

    from nbprof.charts.theme import Palette

#: Colours of the cores of an NPU, as recorders call them.
_CORES: Final = {
    "AI_CORE": "kernel",
    "AI_VECTOR_CORE": "slot0",
    "MIX_AIC": "slot2",
    "MIX_AIV": "slot6",
    "AI_CPU": "slot4",
    "DSA_SQE": "slot3",
    "HCCL": "communication",
    "COMMUNICATION": "communication",
    "unknown": "other",
}


def kernel_donuts(
    kernels: pa.Table,
    *,
    theme: str = "light",
    width: int | Mapping[str, int] = 476,
    top: int | None = 7,
    unit: str = "auto",
    order: Sequence[str] | None = None,
    cores: pa.Table | None = None,
) -> dict[str, figure]:
    """Draw the table ``kernels``: time by name, and what of it used tensor cores, or each core.

    Parameters
    ----------
    kernels : pyarrow.Table
        Table ``kernels`` in any grouping; rows of one name are added up.
    theme : {"light", "dark"}
        Colours.
    width : int or mapping of str to int, optional
        CSS pixels of one donut, or by key, with that of all others under ``""``.
    top : int or None
        How many names have a slice of their own; None for all.
    unit : {"auto", "us", "ms", "s"}
        Unit of the total.
    order : sequence of str, optional
        Names of the unfiltered trace, largest first, from which colours are taken.
    cores : pyarrow.Table, optional
        Table ``accelerator_cores`` of an NPU.

    Returns
    -------
    dict of str to bokeh.plotting.figure
        Keys ``total_time`` and, where it is known, ``tensor_cores`` or on an NPU
        ``accelerator_cores``; empty for a table without rows.
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
            theme=theme,
            width=total_width,
            slot_of=color_slots(rank_kernels(kernels) if order is None else order),
            top=top,
            unit=unit,
        )
    }
    height = donut_height(total_width, many=top is None)
    if cores is not None and cores.num_rows:
        made["accelerator_cores"] = _accelerator_cores(
            cores, theme=theme, width=width_of("accelerator_cores", width), height=height, unit=unit
        )
    used = kernels["tensor_core_used"] if "tensor_core_used" in kernels.column_names else None
    if used is not None and used.null_count < kernels.num_rows:
        made["tensor_cores"] = _tensor_cores(
            used.to_pylist(),
            times,
            theme=theme,
            width=width_of("tensor_cores", width),
            height=height,
            unit=unit,
        )
    return made


def core_slices(cores: pa.Table, colors: Palette) -> list[Slice]:
    """Return the kernel time on each core of an NPU, the most first; a core keeps its colour.

    Parameters
    ----------
    cores : pyarrow.Table
        Table ``accelerator_cores``.
    colors : Palette
        Colours.
    """
    names = [name or "unknown" for name in cores["accelerator_core"].to_pylist()]
    return [
        Slice(name, name.replace("_", " "), value, token_color(_CORES.get(name, "slot9"), colors))
        for name, value in merge(names, cores["total_us"].to_pylist())
    ]


def _accelerator_cores(
    cores: pa.Table, *, theme: str, width: int, height: int, unit: str
) -> figure:
    """Draw kernel time by core."""
    colors = palette(theme)
    slices = core_slices(cores, colors)
    whole = math.fsum(s.value for s in slices)
    time_unit = choose_time_unit([whole], unit)
    return draw_donut(
        slices,
        hole=(format_number(whole / time_unit.divisor, time_unit.decimals), time_unit.label),
        write=lambda value: format_time(value, None if unit == "auto" else time_unit),
        title="Kernel time by accelerator core",
        colors=colors,
        width=width,
        height=height,
    )


def rank_kernels(kernels: pa.Table) -> list[str]:
    """Return names in the order that gives them colours: total time, largest first.

    Parameters
    ----------
    kernels : pyarrow.Table
        Table ``kernels`` of the unfiltered trace.
    """
    return [n for n, _ in merge(kernels["name"].to_pylist(), kernels["total_us"].to_pylist())]


def _tensor_cores(
    used: Sequence[bool | None],
    times: Sequence[float | None],
    *,
    theme: str,
    width: int,
    height: int,
    unit: str,
) -> figure:
    """Draw kernel time with and without tensor cores."""
    colors = palette(theme)
    fills = {
        "used": colors.categories["kernel"],
        "not used": colors.remainder,
        "unknown": colors.categories["other"],
    }
    words = ["unknown" if u is None else "used" if u else "not used" for u in used]
    slices = [Slice(name, name, value, fills[name]) for name, value in merge(words, times)]
    whole = math.fsum(s.value for s in slices)
    share = 100 * sum(s.value for s in slices if s.name == "used") / whole if whole else 0.0
    time_unit = choose_time_unit([whole], unit)
    return draw_donut(
        slices,
        hole=(f"{format_pct(share)} %", "used"),
        write=lambda value: format_time(value, None if unit == "auto" else time_unit),
        title="Tensor Cores, share of kernel time",
        colors=colors,
        width=width,
        height=height,
    )
