"""The curves of the memory chart, read from its tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from nbprof.model.units import device_label, format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Curve:
    """The memory of one device as a step function.

    Attributes
    ----------
    label : str
        What people call the device.
    time_ns : ndarray of int64, shape (points,)
        Ascending.
    allocated : ndarray of float64, shape (points,)
        Bytes.
    reserved : ndarray of float64, shape (points,)
        Bytes, NaN until the allocator has said it; NaN throughout where it says nothing but 0.
    peak : float
        Most allocated bytes.
    peak_us : float
        When they were first reached.
    capacity : float or None
        Memory of the device.
    """

    label: str
    time_ns: NDArray[np.int64]
    allocated: NDArray[np.float64]
    reserved: NDArray[np.float64]
    peak: float
    peak_us: float
    capacity: float | None

    @property
    def last(self) -> float:
        """Allocated bytes at the end."""
        return float(self.allocated[-1])

    @property
    def reserved_last(self) -> float | None:
        """Reserved bytes at the end, None where they are not known."""
        value = float(self.reserved[-1])
        return None if np.isnan(value) else value

    @property
    def capacity_shown(self) -> float | None:
        """The capacity if a line for it leaves the curve more than half of the axis."""
        shown = self.capacity is not None and self.peak > self.capacity / 2
        return self.capacity if shown else None

    @property
    def highest(self) -> float:
        """Most bytes of anything that is drawn for the device."""
        reserved = self.reserved[~np.isnan(self.reserved)]
        return max(self.peak, float(reserved.max(initial=0)), self.capacity_shown or 0)


def read_curves(curve: pa.Table, peak: pa.Table) -> list[Curve]:
    """Return the curves of the devices that have a row in the table ``memory_peak``, in its order.

    Parameters
    ----------
    curve, peak : pyarrow.Table
        Tables ``memory_curve`` and ``memory_peak``.
    """
    kinds = curve["device_type"].fill_null("")
    numbers = np.asarray(curve["device"].fill_null(-1), np.int64)
    time = np.rint(np.asarray(curve["time_us"], np.float64) * 1000).astype(np.int64)
    allocated = np.asarray(curve["allocated_bytes"], np.float64)
    reserved = np.asarray(curve["reserved_bytes"].cast("float64"), np.float64)
    found: list[Curve] = []
    for row in peak.to_pylist():
        number = -1 if row["device"] is None else row["device"]
        of_kind = np.asarray(pc.equal(kinds, row["device_type"] or ""), bool)
        rows = np.flatnonzero(of_kind & (numbers == number))
        if len(rows):
            made = Curve(
                device_label(row["device_type"], row["device"]),
                time[rows],
                allocated[rows],
                _said(reserved[rows]),
                float(row["peak_bytes"]),
                float(row["time_us"]),
                row["capacity_bytes"],
            )
            found.append(made)
    return found


def _said(reserved: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return reserved bytes, NaN from allocators that reserve nothing, such as that of the CPU."""
    reserves = bool((reserved > 0).any())
    return reserved if reserves else np.full(len(reserved), np.nan)


def end_labels(curves: Sequence[Curve], unit: Any) -> list[tuple[float, str]]:
    """Return what stands beside the ends of the curves, with the value there.

    Parameters
    ----------
    curves : sequence of Curve
        Those that are drawn; with several, each is called by its device.
    unit : ByteUnit
        Unit of the axis.
    """

    def text(words: str, value: float) -> tuple[float, str]:
        size = value / unit.divisor
        return size, f"{words} {format_number(size, unit.decimals)}"

    if len(curves) > 1:
        return [text(curve.label, curve.last) for curve in curves]
    found = []
    for curve in curves:
        found.append(text("Allocated", curve.last))
        if curve.reserved_last is not None:
            found.append(text("Reserved", curve.reserved_last))
        if curve.capacity_shown is not None:
            found.append(text("Capacity", curve.capacity_shown))
    return found
