"""The curves of the memory chart: one device's steps of memory as a row of pixels shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc
from bokeh.models import ColumnDataSource, Segment, Step, VAreaStep

from nbprof.charts.canvas import place
from nbprof.model.units import device_label
from nbprof.timeline.curves import reduce_steps

if TYPE_CHECKING:
    import pyarrow as pa
    from bokeh.plotting import figure
    from numpy.typing import NDArray

    from nbprof.charts.memory_plane import MemoryPlane
    from nbprof.charts.theme import Palette

Device = tuple[str | None, int | None]


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


def draw_curve(
    made: figure, curve: Curve, plane: MemoryPlane, colors: Palette, ink: str, *, filled: bool
) -> None:
    """Draw allocated memory as a line and reserved memory as dashes.

    Every pixel column shows where the line enters and leaves it, and how low and high it goes
    inside. The source ``allocated LABEL`` has that as columns time, first, last, low and high, in
    the units of the axes.

    Parameters
    ----------
    made : bokeh.plotting.figure
        Where to.
    curve : Curve
        What.
    plane : MemoryPlane
        Where things are.
    colors : Palette
        Colours.
    ink : str
        Colour of the allocated memory.
    filled : bool
        Whether the area under it is tinted.
    """
    source = _source("allocated", curve.time_ns, curve.allocated, plane, curve)
    name = str(source.name)
    if filled:
        area = VAreaStep(x="time", y1=0, y2="last", step_mode="after")
        area.update(fill_color=ink, fill_alpha=0.14)
        place(made, source, area, f"{name} area")
    within = Segment(x0="time", x1="time", y0="low", y1="high", line_color=ink)
    place(made, source, within, f"{name} range")
    line = Step(x="time", y="last", mode="after", line_color=ink, line_width=1.5)
    place(made, source, line, name)
    known = ~np.isnan(curve.reserved)
    if known.any():
        source = _source("reserved", curve.time_ns[known], curve.reserved[known], plane, curve)
        line = Step(x="time", y="last", mode="after", line_color=colors.reserved)
        line.update(line_dash=[5, 3], line_width=1.5 if filled else 1)
        place(made, source, line, str(source.name))


def _source(
    what: str,
    time_ns: NDArray[np.int64],
    values: NDArray[np.float64],
    plane: MemoryPlane,
    curve: Curve,
) -> ColumnDataSource:
    """Return a step function reduced to the columns of the plane, up to its right end."""
    per_unit = plane.time_unit.divisor * 1000
    start, end = round(plane.start * per_unit), round(plane.end * per_unit)
    # The right end of the axis is inside: what happens there is drawn in the last column.
    found = reduce_steps(time_ns, values / plane.unit.divisor, start, end + 1, plane.columns)
    columns: dict[str, Any] = {
        "time": found.time / per_unit,
        "first": found.first,
        "last": found.last,
        "low": found.low,
        "high": found.high,
    }
    if len(found.time):
        at_end = {name: column[-1] for name, column in columns.items()}
        last = at_end["last"]
        at_end |= {"time": plane.end, "first": last, "low": last, "high": last}
        columns = {name: np.append(column, at_end[name]) for name, column in columns.items()}
    return ColumnDataSource(columns, name=f"{what} {curve.label}")
