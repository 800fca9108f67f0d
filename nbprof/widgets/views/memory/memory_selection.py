"""`Lens`: the device, range and sizes that the memory view shows, applied to its tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.arrays import floats_of, joined
from nbprof.model.building import arrow_array, arrow_scalar, filled
from nbprof.widgets.requests.protocol import RequestError
from nbprof.widgets.views.memory.choices import ALL, CURVE_KINDS

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.widgets.session.session import Progress, Session
    from nbprof.widgets.session.state import State


@dataclass(frozen=True)
class Lens:
    """The selection of the memory view.

    Parameters
    ----------
    device : str
        Key of a device, `ALL`, or empty for the first.
    range_us : (float, float), optional
        The brushed range, microseconds.
    sizes : (float, float), optional
        Smallest and largest block, bytes.
    by : str
        Kind of curve: one of `CURVE_KINDS`, or `ALL`.
    """

    device: str = ""
    range_us: tuple[float, float] | None = None
    sizes: tuple[float, float] | None = None
    by: str = CURVE_KINDS[0]

    @classmethod
    def parse(cls, plain: object) -> Lens:
        """Read the ``memory`` of a request.

        Raises
        ------
        RequestError
            It is not an object of device, range, sizes and what the curve is drawn of.
        """
        if plain is None:
            return cls()
        if not isinstance(plain, Mapping) or not isinstance(plain.get("device", ""), str):
            message = (
                f"The memory selection must be an object with the key of a device, not {plain!r}."
            )
            raise RequestError(message)
        by = plain.get("by") or CURVE_KINDS[0]
        if by not in (*CURVE_KINDS, ALL):
            message = f"Curves are drawn by {' or '.join(CURVE_KINDS)}, not by {by!r}."
            raise RequestError(message)
        pairs = (_pair("range", plain.get("range")), _pair("sizes", plain.get("sizes")))
        return cls(plain.get("device", ""), *pairs, by)

    def whole(self) -> Lens:
        """Return the same device without time range and sizes."""
        return Lens(self.device, by=self.by)

    def within(self, filter_: Filter) -> Filter:
        """Return a filter narrowed to the brushed range."""
        if self.range_us is None:
            return filter_
        low, high = self.range_us
        if filter_.time_us is not None:
            first, last = filter_.time_us
            low, high = max(low, first), min(high, last)
        return filter_.replace(time_us=(low, max(low, high)))

    def table(
        self, session: Session, state: State, name: str, progress: Progress | None = None
    ) -> pa.Table:
        """Return a table narrowed to this selection."""
        from nbprof.charts.memory.curves import of_components, of_devices
        from nbprof.widgets.views.memory.devices import (
            chosen_curve_kind,
            chosen_device,
            devices_left_out,
            offered_devices,
        )

        narrowed = replace(state, filter=self.within(state.filter))
        table = session.table(narrowed, name, "", progress)
        model = session.trace(state).model
        shown = chosen_device(model, self.device)
        if shown != ALL:
            table = _of_device(table, shown)
        elif devices_left_out(model):
            table = _of_devices(table, [*offered_devices(model)])
        if name == "memory_curve":
            kind = chosen_curve_kind(model, shown, self.by)
            table = {"operator": of_devices, "component": of_components}.get(kind, _all)(table)
        if self.sizes is not None and "size_bytes" in table.column_names:
            size = floats_of(table["size_bytes"])
            low, high = self.sizes
            table = table.filter(arrow_array((size >= low) & (size <= high)))
        return table

    def peaks(self, session: Session, state: State) -> pa.Table:
        """Return the table ``memory_peak`` narrowed to this selection, in the order of devices."""
        from nbprof.widgets.views.memory.devices import device_key, device_order

        table = replace(self, sizes=None).table(session, state, "memory_peak")
        pairs = zip(table["device_type"].to_pylist(), table["device"].to_pylist(), strict=True)
        order = device_order(session.trace(state).model)
        places = [order[device_key(*pair)] for pair in pairs]
        return table.take(arrow_array(np.argsort(places, kind="stable"), pa.int64()))


def with_share(holders: pa.Table, peaks: pa.Table) -> pa.Table:
    """Return ``memory_peak_holders`` with a column for the share of the device's peak."""
    of = {(row["device_type"], row["device"]): row["peak_bytes"] for row in peaks.to_pylist()}
    pairs = zip(holders["device_type"].to_pylist(), holders["device"].to_pylist(), strict=True)
    whole = np.array([of.get(pair) or math.nan for pair in pairs], np.float64)
    share = 100 * floats_of(holders["bytes"]) / whole
    field = pa.field(
        "pct",
        pa.float64(),
        metadata={"unit": "%", "meaning": "Share of the memory in use at the peak of the device."},
    )
    return holders.append_column(field, arrow_array(share, nan_is_null=True))


#: The first device without a range.
WHOLE: Final = Lens()


def _of_device(table: pa.Table, key: str) -> pa.Table:
    """Return the rows of the device with a key."""
    kind, _, number = key.partition(":")
    wanted = {"device_type": kind or None, "device": int(number) if number else None}
    keep = None
    for name, value in wanted.items():
        if name not in table.column_names:  # components belong to one kind of device
            continue
        column = table[name]
        same = pc.is_null(column) if value is None else pc.equal(column, arrow_scalar(value))
        keep = same if keep is None else pc.and_(keep, same)
    return table.filter(filled(keep, value=False))


def _of_devices(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Return the rows of several devices."""
    pairs = [key.partition(":") for key in keys]
    number = joined(filled(table["device"], -1))
    if "device_type" not in table.column_names:  # components belong to one kind of device
        numbers = [int(one or -1) for _, _, one in pairs]
        return table.filter(arrow_array(np.isin(number, numbers)))
    keep = np.zeros(table.num_rows, bool)
    types = filled(table["device_type"], "")
    for kind in {kind for kind, _, _ in pairs}:
        numbers = [int(one or -1) for own, _, one in pairs if own == kind]
        keep |= joined(pc.equal(types, arrow_scalar(kind))) & np.isin(number, numbers)
    return table.filter(arrow_array(keep))


def _all(table: pa.Table) -> pa.Table:
    return table


def _pair(what: str, plain: object) -> tuple[float, float] | None:
    if plain is None:
        return None
    numbers = list(plain) if isinstance(plain, Sequence) and not isinstance(plain, str) else []
    valid = len(numbers) == 2 and all(
        isinstance(n, (int, float)) and not isinstance(n, bool) and math.isfinite(n)
        for n in numbers
    )
    if not valid or numbers[0] > numbers[1]:
        message = f"The {what} of memory must be two numbers in ascending order, not {plain!r}."
        raise RequestError(message)
    return float(numbers[0]), float(numbers[1])
