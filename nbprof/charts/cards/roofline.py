"""Card of the roofline view: operators by intensity and rate, below the limits of the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.charts.cards.cards import Card, CardChart, Switch
from nbprof.model.units import format_pct

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

#: The tables that the card uses.
TABLES: Final = ("operator_costs", "device_peaks", "step_flops")

#: Types in the order of their colours.
_COLORS: Final = {
    "fp64": "slot4", "fp32": "slot0", "tf32": "slot6", "bf16": "slot1", "fp16": "slot2",
    "fp8": "slot3", "int8": "slot8", "fp4": "slot5",
}  # fmt: skip


#: Groupings of the table, whose rows are the points.
_POINTS: Final = Switch("points", "Points", (("name+shape", "Operators"), ("kernel", "Kernels")))


def roofline_card(
    tables: dict[str, pa.Table], missing: str = "", devices: Iterable[str] = ()
) -> Card | None:
    """Return the card of the roofline.

    Without any rate it says why and lists the peaks of the device; None if these are unknown, too.

    Parameters
    ----------
    tables : dict of str to pyarrow.Table
        The tables of `TABLES`.
    missing : str, optional
        Why the trace has no rates, if that is known.
    devices : iterable of str, optional
        What the recording calls its devices.
    """
    costs = tables["operator_costs"]
    rates = [one for one in costs["tflops_per_s"].to_pylist() if one]
    places = [one for one in costs["intensity"].to_pylist() if one]
    if not rates or not places:
        if not tables["device_peaks"].num_rows:
            return None
        lacking = "bytes, since types were not recorded" if rates else "FLOPs"
        why = missing or f"no operator under the filter has {lacking}"
        note = f"{why}; what the device can reach:"
        return Card("roofline", "Roofline", note, table="device_peaks")
    types = [one for one in _COLORS if one in set(costs["type"].to_pylist())]
    roofs = tuple(_roofs(tables["device_peaks"].to_pylist(), types))
    charts = {
        group_by: (
            CardChart(
                "points",
                "roofline",
                "operator_costs",
                column,
                tuple((one, one, _COLORS[one]) for one in types),
                by="type",
                value="device_us",
                picks="name",
                across="intensity",
                up="tflops_per_s",
                axes=("Intensity, FLOP/byte", "TFLOP/s"),
                roofs=roofs,
                group_by=group_by,
            ),
        )
        for group_by, column in (("name+shape", "name"), ("kernel", "kernel"))
    }
    note = ", ".join(_words(tables, devices))
    return Card("roofline", "Roofline", note, charts, (_POINTS,))


def _roofs(peaks: list[dict[str, Any]], types: Iterable[str]) -> Iterable[tuple[Any, ...]]:
    """Return the roof of each type, of the first device that has one."""
    for one in types:
        rows = [row for row in peaks if row["dtype"] in (f"{one}_matrix", one)]
        if rows:
            best = max(rows, key=lambda row: row["peak_tflops"])
            yield one, _COLORS[one], best["peak_tflops"], best["memory_tb_per_s"] or 0.0


def _words(tables: dict[str, pa.Table], devices: Iterable[str]) -> Iterable[str]:
    """Say what the points are, what share of the time they cover, and what the roofs are of."""
    yield "points are operators by input shapes, or kernels with their share of their operator"
    yield "area by device time"
    covered = (tables["operator_costs"].schema.metadata or {}).get(b"covered_pct")
    if covered is not None:
        yield f"{format_pct(float(covered))} % of the device time has figures"
    names = dict.fromkeys(row["name"] for row in tables["device_peaks"].to_pylist())
    yield f"roofs of {', '.join(names)}" if names else _no_roofs(devices)


def _no_roofs(devices: Iterable[str]) -> str:
    """Say why there are no roofs, and how to get them."""
    names = " and ".join(dict.fromkeys(one for one in devices if one))
    called = f"calls the device “{names}”" if names else "does not name the device"
    return f"no roofs, since the recording {called}: nbprof.options.device_peaks sets its peaks"
