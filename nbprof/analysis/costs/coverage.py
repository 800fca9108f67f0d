"""The share of device time for which FLOPs or bytes are known, which every figure states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import work_rows
from nbprof.analysis.grouping import share

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.analysis.costs.charges import Charges
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

COVERED: Final = "covered_pct"


def has_figures(charges: Charges) -> npt.NDArray[np.bool_]:
    """Return which device rows have FLOPs or bytes, shape (device rows,)."""
    return ~(np.isnan(charges.device_flops) & np.isnan(charges.device_bytes))


def covered_share(model: TraceModel, charges: Charges, rows: Rows | None = None) -> float | None:
    """Return the share of the time of device rows that has figures, in percent; None without any.

    By default, of all work of the trace.
    """
    rows = np.flatnonzero(work_rows(model)) if rows is None else rows
    duration = model.column("device", "duration_ns")[rows]
    return share(float(duration[has_figures(charges)[rows]].sum()), float(duration.sum()))


def with_share(table: pa.Table, share_: float | None) -> pa.Table:
    """Store the share in the metadata of a table, where views find it."""
    if share_ is None:
        return table
    return table.replace_schema_metadata(
        {**(table.schema.metadata or {}), COVERED: repr(float(share_))}
    )
