"""Cost of every kernel: its share of the FLOPs and bytes of its operator, and what bounds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.costs.charges import charges_of
from nbprof.analysis.costs.limits import kernel_limits
from nbprof.analysis.grouping import ratio, words
from nbprof.model.building import arrow_array

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_BOUNDS: Final = ("compute", "memory", "unknown")
#: The largest whole number of an int64 that a float64 holds, nearly.
_MOST: Final = float(2**63 - 1024)


def cost_columns(model: TraceModel, rows: Rows) -> dict[str, Any]:
    """Return the columns flops, bytes, intensity, pct_of_peak and bound.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (kernels,)
        Device rows.
    """
    charges, limits = charges_of(model), kernel_limits(model)
    flops, moved = charges.device_flops[rows], charges.device_bytes[rows]
    compute, memory = limits.compute_ns[rows], limits.memory_ns[rows]
    duration = model.column("device", "duration_ns")[rows]
    # Kernels that only help others have no share, hence no least time.
    least = np.where(limits.least_ns[rows] > 0, limits.least_ns[rows], np.nan)
    known = ~(np.isnan(compute) | np.isnan(memory) | np.isnan(least))
    bound = np.where(known, np.where(compute >= memory, 0, 1), 2)
    return {
        "flops": _whole(flops),
        "bytes": _whole(moved),
        "intensity": ratio(flops, np.nan_to_num(moved)),
        "pct_of_peak": ratio(least, np.where(np.isnan(least), 0, duration), 100.0),
        "bound": words(_BOUNDS, bound),
    }


def _whole(values: Floats) -> pa.Array:
    """Return shares as whole numbers, null where they are unknown or too large."""
    fits = values < _MOST  # false for NaN
    return arrow_array(np.rint(np.where(fits, values, 0)).astype(np.int64), mask=~fits)
