"""`Curve`: the memory of a device or component over time, read from the memory tables."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.analysis.memory.components import BOTH
from nbprof.model.arrays import floats_of, joined
from nbprof.model.building import arrow_array, arrow_scalar, filled
from nbprof.model.lookup import rows_of_values
from nbprof.model.units import device_label, format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


#: Dash patterns of lines in CSS pixels; all other lines are solid.
DASHES: Final = {
    "reserved": (5, 3),
    "peak allocated": (1, 3),
    "peak reserved": (1, 3),
    "baseline": (9, 4),
}


class Line(NamedTuple):
    """One line of a curve: its label, and its values as far as they are known.

    Parameters
    ----------
    of : str
        allocated, reserved, peak allocated, peak reserved, or baseline (of another run).
    time_ns : ndarray of int64, shape (points,)
    values : ndarray of float64, shape (points,)
        Bytes.
    """

    of: str
    time_ns: NDArray[np.int64]
    values: NDArray[np.float64]

    @property
    def dashes(self) -> tuple[int, ...]:
        """Pixels of line and gap; empty for a solid line."""
        return DASHES.get(self.of, ())


@dataclass(frozen=True)
class Curve:
    """The memory of one device, or of one component, as step functions.

    Attributes
    ----------
    label : str
        Display name of the device, or name of the component.
    lines : list of Line
        The recorded lines; for a device, memory in use comes first.
    peak : float
        Maximum of the allocated bytes.
    peak_us : float
        Time at which the maximum was first reached.
    capacity : float or None
        Total memory of the device.
    is_component : bool
        Whether it is a component.
    """

    label: str
    lines: list[Line]
    peak: float = 0.0
    peak_us: float = math.nan
    capacity: float | None = None
    is_component: bool = False

    @property
    def capacity_shown(self) -> float | None:
        """The capacity, if the curve still takes more than half of the axis when it is drawn."""
        shown = self.capacity is not None and self.peak > self.capacity / 2
        return self.capacity if shown else None

    @property
    def highest(self) -> float:
        """The largest value that is drawn, in bytes."""
        highest = max(float(line.values.max(initial=0)) for line in self.lines)
        return max(self.peak, highest, self.capacity_shown or 0)


def read_curves(curve: pa.Table, peak: pa.Table, most: int | None = None) -> list[Curve]:
    """Return the curves of the devices in the table ``memory_peak``, in its order.

    Parameters
    ----------
    curve, peak : pyarrow.Table
        Tables ``memory_curve`` and ``memory_peak``.
    most : int, optional
        Maximum number of curves, from the first device; by default all.
    """
    curve = of_devices(curve)
    kinds = filled(curve["device_type"], "").to_pylist()
    keys = list(zip(kinds, joined(filled(curve["device"], -1)).tolist(), strict=True))
    place = {key: at for at, key in enumerate(dict.fromkeys(keys))}
    rows = rows_of_values(np.array([place[key] for key in keys], np.int64))
    found: list[Curve] = []
    for row in peak.to_pylist():
        number = -1 if row["device"] is None else row["device"]
        at = place.get((row["device_type"] or "", number))
        lines = [] if at is None else _lines(curve.take(arrow_array(rows[at])))
        if lines:
            label = device_label(row["device_type"], row["device"])
            peak_at = float(row["peak_bytes"]), float(row["time_us"])
            found.append(Curve(label, lines, *peak_at, row["capacity_bytes"]))
        if len(found) == most:
            break
    if len(found) > 1:  # with several devices, lines of peaks would be too many
        short = [[one for one in c.lines if not one.of.startswith("peak")] for c in found]
        found = [replace(c, lines=lines) for c, lines in zip(found, short, strict=True)]
    return found


def read_components(curve: pa.Table) -> list[Curve]:
    """Return the curves of the components in the table ``memory_curve``, grouped by device."""
    curve = of_components(curve)
    keys = list(zip(*(curve[name].to_pylist() for name in _KEYS), strict=True))
    number = {key: at for at, key in enumerate(dict.fromkeys(keys))}
    places = np.array([number[key] for key in keys], np.int64)
    several = len({key[:2] for key in number}) > 1
    found = []
    for (kind, device, component), at in number.items():
        label = f"{device_label(kind, device)} {component}" if several else str(component)
        lines = _lines(curve.filter(arrow_array(places == at)))
        if lines:
            found.append(Curve(label, lines, is_component=True))
    return found


#: Columns that identify the curve of a component.
_KEYS: Final = ("device_type", "device", "component")


def of_devices(curve: pa.Table) -> pa.Table:
    """Return the rows of ``memory_curve`` for whole devices."""
    parts = curve["component"]
    if parts.null_count == len(parts):
        return curve
    whole = pc.or_kleene(pc.is_null(parts), pc.equal(parts, arrow_scalar(BOTH)))
    return curve.filter(whole)


def of_components(curve: pa.Table) -> pa.Table:
    """Return the rows of ``memory_curve`` for components of devices."""
    return curve.filter(pc.not_equal(curve["component"], arrow_scalar(BOTH)))


def _lines(curve: pa.Table) -> list[Line]:
    """Return a line for each column of ``memory_curve`` with values."""
    time = np.rint(floats_of(curve["time_us"]) * 1000).astype(np.int64)
    found = []
    for of in ("allocated", *DASHES):
        name = f"{of.replace(' ', '_')}_bytes"
        if name not in curve.column_names:
            continue
        values = floats_of(curve[name])
        known = ~np.isnan(values)
        # Allocators that reserve nothing, such as that of the CPU, always report 0.
        if known.any() and (of == "allocated" or (values[known] > 0).any()):
            found.append(Line(of, time[known], values[known]))
    return found


def end_labels(curves: Sequence[Curve], unit: Any) -> list[tuple[float, str]]:
    """Return the labels at the right ends of the curves, with the last values.

    Parameters
    ----------
    curves : sequence of Curve
        The curves that are drawn; if there are several, labels name the device.
    unit : ByteUnit
        Unit of the axis.
    """

    def text(words: str, value: float) -> tuple[float, str]:
        size, least = value / unit.divisor, 10.0**-unit.decimals
        if 0 < size < least / 2:  # would be rounded to 0
            return size, f"{words} <{format_number(least, unit.decimals)}"
        return size, f"{words} {format_number(size, unit.decimals)}"

    if len(curves) > 1 and not curves[0].is_component:
        return [text(curve.label, float(curve.lines[0].values[-1])) for curve in curves]
    found = []
    for curve in curves:
        for line in curve.lines:
            words = f"{curve.label} {line.of}" if curve.is_component else line.of.capitalize()
            found.append(text(words, float(line.values[-1])))
        if curve.capacity_shown is not None:
            found.append(text("Capacity", curve.capacity_shown))
    return found


def wants_labels(curves: Sequence[Curve]) -> bool:
    """Return whether there are so many lines that they need labels to be distinguished."""
    return any(curve.is_component for curve in curves) or (
        len(curves) == 1 and len(curves[0].lines) > len(("allocated", "reserved"))
    )
