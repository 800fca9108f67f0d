"""The occupancy of each kernel: as recorded, computed where the recorder wrote an impossible 0."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import work_of_kind
from nbprof.analysis.devices.theoretical_occupancy import (
    LIMITS,
    MOST_WARPS,
    WARP,
    theoretical_occupancy,
)
from nbprof.analysis.grouping import dense, share
from nbprof.analysis.kernels.matrix_devices import NVIDIA, vendor
from nbprof.model.lookup import rows_of_values
from nbprof.model.trace import kinds
from nbprof.model.trace.device_properties import device_properties

if TYPE_CHECKING:
    from nbprof.analysis.devices.theoretical_occupancy import Limits
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Recorders write whole percents: less than this becomes 0.
_ROUNDS_TO_0: Final = 0.5
#: Shared memory of a block above which Kineto writes 0: it does not ask for the opt-in limit.
OPT_IN: Final = 49152


@dataclass(frozen=True)
class KernelOccupancy:
    """The occupancy of all device work.

    A recorded 0 is right if the grid is so small that its share of a device's warps rounds to 0.
    Any other 0 is impossible, because a kernel that runs has at least one warp: it is computed from
    the launch configuration or, without what that takes, unknown.

    AMD's traces have no occupancy, nor the registers and the shared memory that it would take to
    compute one. There it is missing, as in all traces whose recorder writes none.

    Attributes
    ----------
    percent : ndarray of float64, shape (device rows,)
        Occupancy in percent; NaN where it is missing or unknown.
    recorded : bool
        Whether the recorder wrote the occupancy of any device work.
    computed, unknown : ndarray of int64, shape (kernels,)
        Device rows with an impossible 0, by whether their occupancy could be computed.
    """

    percent: Floats
    recorded: bool
    computed: Rows
    unknown: Rows

    @classmethod
    def of(cls, model: TraceModel) -> KernelOccupancy:
        """Return the occupancy of the device rows of a trace; computed once."""
        return model.cached("occupancy of kernels", lambda: _of_rows(model))


def occupancy_columns(percent: Floats, time: npt.NDArray[np.int64]) -> dict[str, float | None]:
    """Return the mean occupancy of kernels by time, and the share of time with an unknown one.

    Parameters
    ----------
    percent : ndarray of float64, shape (kernels,)
        Occupancy; NaN if unknown.
    time : ndarray of int64, shape (kernels,)
        Nanoseconds.
    """
    known = np.isfinite(percent)
    total, rated = int(time.sum()), int(time[known].sum())
    mean = float(percent[known] @ time[known].astype(np.float64)) / rated if rated else None
    return {"occupancy_pct": mean, "occupancy_unknown_pct": share(total - rated, total)}


def _of_rows(model: TraceModel) -> KernelOccupancy:
    percent = model.column("device", "occupancy_pct")
    zero = np.flatnonzero((percent == 0) & work_of_kind(model, kinds.KERNEL))
    with np.errstate(invalid="ignore"):  # NaN compares as False
        recorded = bool((percent >= 0).any())
    device = model.column("device", "device")[zero]
    value = np.zeros(len(zero))
    for number, places in rows_of_values(device).items():
        value[places] = _values(model, _limits(model, number), zero[places])
    wrong = value != 0
    if wrong.any():
        percent = percent.copy()
        percent[zero] = value
    return KernelOccupancy(
        percent, recorded, zero[wrong & np.isfinite(value)], zero[np.isnan(value)]
    )


def _values(model: TraceModel, limits: Limits | None, rows: Rows) -> Floats:
    """Return what to say instead of 0 for kernels of one device: 0, the right value, or NaN.

    The right value is Kineto's: the smaller one of what the configuration allows and what the grid
    can fill, spread over all multiprocessors.
    """
    filled = _resident_warps(model, rows) * (100.0 / (limits.warps if limits else MOST_WARPS))
    shared = model.column("device", "shared_memory_bytes").take(rows)
    with np.errstate(invalid="ignore"):  # NaN compares as False
        wrong = (filled >= _ROUNDS_TO_0) | (np.isnan(filled) & (shared > OPT_IN))
    value = np.where(wrong, np.nan, 0.0)
    if limits and wrong.any():
        rows, shared = rows[wrong], shared[wrong]
        threads = _threads(model).take(model.column("device", "block").take(rows))
        registers = model.column("device", "registers").take(rows)
        # Many kernels share few configurations.
        group, first = dense(threads, registers, shared)
        launches = (column.take(first) for column in (threads, registers, shared))
        allowed = theoretical_occupancy(limits, *launches)
        value[wrong] = np.minimum(allowed.take(group), filled[wrong])
    return value


def _resident_warps(model: TraceModel, rows: Rows) -> Floats:
    """Return the warps that the grid has for each multiprocessor, at least; NaN if unknown."""
    warps = model.column("device", "warps_per_sm").take(rows)
    missing = np.flatnonzero(~np.isfinite(warps))
    if len(missing):
        rows = rows[missing]
        threads = _threads(model)[model.column("device", "block")[rows]]
        # Every block has at least one warp.
        of_block = np.maximum(threads / WARP, 1.0)
        warps[missing] = model.column("device", "blocks_per_sm")[rows] * of_block
    return warps


def _limits(model: TraceModel, device: int) -> Limits | None:
    """Return the limits of a device, None if unknown or not NVIDIA's, whose numbers AMD shares."""
    if vendor(model) != NVIDIA:
        return None
    properties = device_properties(model, device)
    return LIMITS.get((properties["compute_major"], properties["compute_minor"]))


def _threads(model: TraceModel) -> Rows:
    """Return the threads of each distinct block and, last, of a missing one: -1 if unknown."""
    products = map(_product, model.values("device", "block"))
    return model.cached("threads of blocks", lambda: np.array([*products, -1], np.int64))


def _product(text: str) -> int:
    """Return the number of threads of a block, written as JSON; -1 if it is no such text."""
    try:
        sizes = json.loads(text)
    except (ValueError, RecursionError):
        return -1
    if not isinstance(sizes, list) or not all(type(size) is int for size in sizes):
        return -1
    product = math.prod(sizes)
    return product if 0 < product < 1 << 31 else -1
