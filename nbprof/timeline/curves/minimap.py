"""`Minimap`: an overview of the activity in the whole trace, with a band per process and device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model import intervals
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.slice_categories import CATEGORIES, CODES
from nbprof.timeline.slices import Slices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.lanes.lanes import LaneSet

Times = npt.NDArray[np.int64]

COLUMNS: Final = 1200

#: Maximum number of bands; more would be too thin to see, so the rest is merged.
MOST_BANDS: Final = 4

#: Categories that enclose everything else; they do not show when something ran.
_AROUND: Final = (
    CODES["step"],
    CODES["sync"],
    CODES["device_annotation"],
    *(CODES[name] for name in ("task", "computing", "communicating", "free")),
)

#: The same for these, except in processes that have nothing else.
_OFTEN_AROUND: Final = (CODES["annotation"], CODES["python"], CODES["module"])


@dataclass(frozen=True)
class Band:
    """One strip of the minimap.

    Attributes
    ----------
    group : str
        Key of the process or device; for a merged band, of the first one.
    label : str
        Name shown.
    """

    group: str
    label: str


@dataclass(frozen=True)
class Minimap:
    """The columns in which something ran; arrays have shape (entries,).

    Attributes
    ----------
    columns : int
        Number of equal parts the trace is cut into.
    bands : tuple of Band
    band, column : ndarray of int32
        Position of each entry.
    category : ndarray of uint8
        Category with the most self time.
    share : ndarray of float32
        Fraction of the column during which something ran, 0 to 1.
    """

    columns: int
    bands: tuple[Band, ...]
    band: npt.NDArray[np.int32]
    column: npt.NDArray[np.int32]
    category: npt.NDArray[np.uint8]
    share: npt.NDArray[np.float32]


def column_edges(end_ns: int, columns: int = COLUMNS) -> Times:
    """Return the starts of columns and the end of the last one, shape (columns + 1,)."""
    index = np.arange(columns + 1, dtype=np.int64)
    # For traces of years, ns times columns exceed 64 bits.
    whole, rest = divmod(max(end_ns, 0), columns)
    return index * whole + index * rest // columns


def minimap(model: TraceModel, extent_ns: tuple[int, int] | None = None) -> Minimap:
    """Return the minimap of a trace.

    Parameters
    ----------
    model : TraceModel
        The trace.
    extent_ns : (int, int), optional
        Start and end of the columns; by default those of the trace.
    """
    slices = Slices.of(model)
    lanes = lane_set(model)
    counted = np.flatnonzero((lanes.lane >= 0) & ~np.isin(slices.category, _AROUND))
    beside = _groups_without_counted(lanes, counted)
    bands, band_of_group = _bands(
        [(group.key, group.label) for group in lanes.groups if group.key not in beside]
    )
    band_of_lane = np.array([band_of_group.get(lane.group, -1) for lane in lanes.lanes], np.int64)
    band = band_of_lane[lanes.lane[counted]] if len(counted) else counted
    around = np.isin(slices.category[counted], _OFTEN_AROUND)
    has_more = np.bincount(band[~around], minlength=len(bands)) > 0
    is_kept = ~(around & has_more[band])
    counted, band = counted[is_kept], band[is_kept]
    low, high = extent_ns or (0, int(model.metadata.get("end_ns", 0)))
    edges = column_edges(high - low) + low
    shape = (len(bands), len(CATEGORIES), COLUMNS)
    time = _self_times(model, counted, band, edges, shape)
    share = np.zeros((len(bands), COLUMNS))
    for number in range(len(bands)):
        here = counted[band == number]
        busy = intervals.union(slices.start[here], slices.end[here])
        covered = intervals.measure_within(busy, edges[:-1], edges[1:])
        share[number] = covered / np.maximum(np.diff(edges), 1)
    where, column = np.nonzero(share)
    return Minimap(
        columns=COLUMNS,
        bands=bands,
        band=where.astype(np.int32),
        column=column.astype(np.int32),
        category=np.argmax(time, axis=1)[where, column].astype(np.uint8),
        share=share[where, column].astype(np.float32),
    )


def _groups_without_counted(lanes: LaneSet, counted: Times) -> set[str]:
    """Return the groups of lanes beside a device's streams that contain no slice that counts."""
    used = np.bincount(lanes.lane[counted], minlength=len(lanes.lanes)) > 0
    shown = {lane.group for lane, some in zip(lanes.lanes, used.tolist(), strict=True) if some}
    return {
        group.key
        for group in lanes.groups
        if group.key.startswith("device:") and group.key.count(":") > 1 and group.key not in shown
    }


def _bands(groups: Sequence[tuple[str, str]]) -> tuple[tuple[Band, ...], dict[str, int]]:
    """Return the bands, and the band that each group belongs to."""
    processes = [group for group in groups if group[0].startswith("process:")]
    devices = [group for group in groups if group not in processes]
    of_devices = min(len(devices), max(MOST_BANDS - len(processes), MOST_BANDS // 2))
    bands: list[Band] = []
    band_of: dict[str, int] = {}
    for some, most in ((processes, MOST_BANDS - of_devices), (devices, of_devices)):
        for number, (key, label) in enumerate(some):
            if number < most:
                bands.append(Band(key, label))
            elif number == most:
                bands[-1] = Band(bands[-1].group, f"{bands[-1].label} and {len(some) - most} more")
            band_of[key] = len(bands) - 1
    return tuple(bands), band_of


def _self_times(
    model: TraceModel, counted: Times, band: Times, edges: Times, shape: tuple[int, int, int]
) -> npt.NDArray[np.float64]:
    """Return the self time of each category in each column.

    Shape (bands, categories, columns). Each slice adds its time to its own category and subtracts
    it from that of the slice around it.
    """
    slices = Slices.of(model)
    keys = shape[0] * shape[1]
    time = _times(slices, counted, band * shape[1] + slices.category[counted], edges, keys)
    inner = np.flatnonzero(counted < slices.host_rows)
    above = model.nesting.parent[counted[inner]]
    inner, above = inner[above >= 0], above[above >= 0]
    around = band[inner] * shape[1] + slices.category[above]
    time -= _times(slices, counted[inner], around, edges, keys)
    return time.reshape(shape)


def _times(
    slices: Slices, ids: Times, key: Times, edges: Times, keys: int
) -> npt.NDArray[np.float64]:
    """Return the time of slices by key and column, shape (keys, columns)."""
    columns = len(edges) - 1
    start = np.clip(slices.start[ids], edges[0], edges[-1])
    end = np.clip(slices.end[ids], edges[0], edges[-1])
    first = np.minimum(np.searchsorted(edges, start, side="right") - 1, columns - 1)
    last = np.minimum(np.searchsorted(edges, end, side="right") - 1, columns - 1)
    cells = keys * (columns + 1)
    at_first, at_last = key * (columns + 1) + first, key * (columns + 1) + last
    # whole columns from the first to the last, minus the uncovered parts at both ends
    opened = np.bincount(at_first, minlength=cells) - np.bincount(at_last, minlength=cells)
    whole = np.cumsum(opened.reshape(keys, columns + 1), axis=1)[:, :columns] * np.diff(edges)
    parts = np.bincount(at_last, end - edges[last], cells)
    parts -= np.bincount(at_first, start - edges[first], cells)
    time: npt.NDArray[np.float64] = whole + parts.reshape(keys, columns + 1)[:, :columns]
    return time
