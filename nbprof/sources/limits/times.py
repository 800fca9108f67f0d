"""Drops events whose time is too far from all others to belong to the same recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.arrays import joined
from nbprof.model.building import arrow_array
from nbprof.sources.limits.rows import Kept, without_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from nbprof.sources.defects import DefectLog

Times = npt.NDArray[np.int64]
Tables = dict[str, "pa.Table"]

#: Nanoseconds from the first event to the last one, at most: two years. A hundred lanes of this
#: length still add up in int64.
LONGEST_NS: Final = 1 << 56

#: Tables whose rows are events, and the column with their time.
_EVENTS: Final = {
    "host": "start_ns",
    "device": "start_ns",
    "memory": "time_ns",
    "counters": "time_ns",
    "flows": "time_ns",
    "memory_categories": "time_ns",
    "allocator_events": "time_ns",
    "unified_memory": "time_ns",
}

#: Tables that measure the same as the events; a recorder may write them with another clock, and
#: nothing adds up their times. A time of -1 is unknown in some of them.
_MEASURES: Final = {
    "memory_components": ("time_ns",),
    "step_ranges": ("start_ns", "end_ns"),
    "communication": ("start_ns",),
}
_UNKNOWN: Final = -1


def within_one_recording(
    tables: Tables, metadata: dict[str, Any], defects: DefectLog
) -> tuple[Tables, dict[str, Any]]:
    """Return tables and metadata of a trace without events that are far from most others.

    If all of them lie within `LONGEST_NS`, nothing changes. Otherwise only the events of one period
    of this length stay: the period with the most events.
    """
    times = {
        name: _column(tables[name], column)
        for name, column in _EVENTS.items()
        if tables[name].num_rows
    }
    if not times:
        return tables, metadata
    low = min(int(one.min()) for one in times.values())
    high = max(int(one.max()) for one in times.values())
    if low >= -LONGEST_NS and high - min(low, 0) <= LONGEST_NS:
        return tables, metadata
    arrows = times.pop("flows", np.empty(0, np.int64))
    first, last = _fullest_period(list(times.values()) or [arrows])
    kept: dict[str, Kept] = {}
    for name in _EVENTS:
        at = _column(tables[name], _EVENTS[name])
        stays = (at >= first) & (at <= last)
        if not stays.all():
            kept[name] = Kept(stays)
            _count(name, tables[name], ~stays, defects)
    tables = without_rows(tables, kept)
    zero = 0 if first >= 0 and last <= LONGEST_NS else first
    return _counted_from(zero, tables, metadata)


def _fullest_period(times: list[Times]) -> tuple[int, int]:
    """Return the first and last time of the period of `LONGEST_NS` with the most events.

    The earliest one of several.
    """
    ordered = np.sort(np.concatenate(times))
    until = np.searchsorted(ordered, ordered + LONGEST_NS, "right")
    most = int(np.argmax(until - np.arange(len(ordered))))
    return int(ordered[most]), int(ordered[until[most] - 1])


def _count(name: str, table: pa.Table, gone: npt.NDArray[np.bool_], defects: DefectLog) -> None:
    row = int(np.argmax(gone))
    what = name.replace("_", " ")
    if "name" in table.column_names:
        what = f"{table['name'][row].as_py()!r} ({what})"
    days = table.column(_EVENTS[name])[row].as_py() / 86_400e9
    example = f"{what} is {days:,.0f} days from the first event; left out"
    defects.note("time stamps far from all others", int(gone.sum()), example)


def _counted_from(
    zero: int, tables: Mapping[str, pa.Table], metadata: dict[str, Any]
) -> tuple[Tables, dict[str, Any]]:
    """Return tables and metadata whose times count from another time zero."""
    moved = dict(tables)
    for name, columns in {**{name: (c,) for name, c in _EVENTS.items()}, **_MEASURES}.items():
        for column in columns if zero and moved[name].num_rows else ():
            at = _column(moved[name], column)
            unknown = (at == _UNKNOWN) & (name in _MEASURES)
            place = moved[name].schema.get_field_index(column)
            field = moved[name].schema.field(place)
            values = arrow_array(np.where(unknown, at, at - zero))
            moved[name] = moved[name].set_column(place, field, values)
    found = {**metadata, "epoch_ns": metadata.get("epoch_ns", 0) + zero, "end_ns": last_end(moved)}
    recorded = found.pop("recorded_ns", None)
    if recorded is not None and all(0 <= at - zero <= LONGEST_NS for at in recorded):
        found["recorded_ns"] = tuple(at - zero for at in recorded)
    return moved, found


def last_end(tables: Mapping[str, pa.Table]) -> int:
    """Return the last end of all events."""
    ends = [0]
    for name, column in _EVENTS.items():
        if tables[name].num_rows:
            end = _column(tables[name], column)
            if "duration_ns" in tables[name].column_names:
                end = end + _column(tables[name], "duration_ns")
            ends.append(int(end.max()))
    return max(ends)


def _column(table: pa.Table, name: str) -> Times:
    found: Times = joined(table.column(name)).astype(np.int64, copy=False)
    return found
