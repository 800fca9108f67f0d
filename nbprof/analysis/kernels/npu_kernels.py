"""Which NPU kernels compute, which communicate, and the share of computing on AI Cores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import work_of_kind
from nbprof.analysis.grouping import share, sums
from nbprof.analysis.kernels.communication import device_communication
from nbprof.analysis.kernels.npu_cores import ai_core_rows, knows_cores
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def computing_rows(model: TraceModel) -> Mask:
    """Return which device rows are kernels that compute, shape (device rows,)."""
    return work_of_kind(model, kinds.KERNEL) & ~device_communication(model)


def communicating_rows(model: TraceModel) -> Mask:
    """Return which device rows are kernels that communicate, shape (device rows,)."""
    return work_of_kind(model, kinds.KERNEL) & device_communication(model)


def ai_core_shares(model: TraceModel, rows: Rows, group: Rows, groups: int) -> list[float | None]:
    """Return the percentage of the time of computing kernels that ran on AI Cores, by group.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (rows,)
        Device rows; rows that are not computing kernels do not count.
    group : ndarray of int64, shape (rows,)
        Group number of each row.
    groups : int
        Number of groups.

    Returns
    -------
    list of float or None
        None where no core is known or nothing computed.
    """
    if not knows_cores(model):
        return [None] * groups
    computes = computing_rows(model)[rows]
    rows, group = rows[computes], group[computes]
    duration, on_core = model.column("device", "duration_ns")[rows], ai_core_rows(model)[rows]
    used, whole = sums(group[on_core], duration[on_core], groups), sums(group, duration, groups)
    return [share(*pair) for pair in zip(used.tolist(), whole.tolist(), strict=True)]
