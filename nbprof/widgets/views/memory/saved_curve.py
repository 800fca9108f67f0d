"""Thins out the curve of memory for saved state, keeping the ends and extremes of every stretch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbprof.model.arrays import encoded, floats_of, joined
from nbprof.model.building import filled

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa


def curve_rows(curve: pa.Table, count: int) -> npt.NDArray[np.int64]:
    """Return the rows of ``memory_curve`` that give the same picture as all rows.

    Each device gets a share of ``count``. For every stretch of time the first and last row are
    kept, and the rows with the least and the most memory allocated and reserved.
    """
    columns = [curve[name] for name in ("device_type", "device", "component")]
    codes = [joined(filled(encoded(column).indices, -1)) for column in columns]
    _, device = np.unique(np.stack(codes), axis=1, return_inverse=True)
    device = device.reshape(-1)
    time = floats_of(curve["time_us"])
    levels = [
        np.nan_to_num(floats_of(curve[f"{name}_bytes"])) for name in ("allocated", "reserved")
    ]
    kept = []
    for one in np.unique(device):
        rows = np.flatnonzero(device == one)
        bins = max(1, count * len(rows) // len(time) // 6)
        span = np.ptp(time[rows]) or 1.0
        place = np.minimum((time[rows] - time[rows].min()) * bins // span, bins - 1)
        for order in (
            np.lexsort((value[rows], place)) for value in (np.arange(len(time)), *levels)
        ):
            change = np.flatnonzero(np.diff(place[order])) + 1
            kept += [rows[order[np.append(0, change)]]]
            kept += [rows[order[np.append(change - 1, len(rows) - 1)]]]
    found: npt.NDArray[np.int64] = np.unique(np.concatenate(kept))
    return found
