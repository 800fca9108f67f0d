"""What NPUs have instead of matrix units: the cores that kernels ran on, and which are AI Cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.rows import work_of_kind
from nbprof.model.names.roles import named
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Collection

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Cores that AI Cores consist of: for matrices (AIC), for vectors (AIV), and both at once.
AI_CORES: Final = frozenset({"AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "MIX_AIV"})
#: Those whose tasks torch_npu calls AI_CORE, and counts in its times of operators with AI Cores.
AI_CORE_TASKS: Final = frozenset({"AI_CORE", "AI_VECTOR_CORE"})
#: What kernels of communication are said to have run on, in newer files and in older ones.
COMMUNICATION_CORES: Final = frozenset({"COMMUNICATION", "HCCL"})
#: The group of the lanes of communication.
HCCL: Final = "HCCL"


def is_npu(model: TraceModel) -> bool:
    """Whether the trace was recorded on an NPU."""
    return bool(model.metadata.get("device_type") == "npu")


def npu_rows(model: TraceModel) -> Rows:
    """Return the row in `npu_kernels` of every device row, -1 for none, shape (device rows,)."""

    def make() -> Rows:
        found = np.full(model.tables["device"].num_rows, -1, np.int64)
        rows = model.column("npu_kernels", "row")
        found[rows] = np.arange(len(rows))
        return found

    return model.cached("rows of NPU kernels", make)


def tells_cores(model: TraceModel) -> bool:
    """Whether the core that it ran on is known of any kernel."""
    return bool((model.column("npu_kernels", "accelerator_core") >= 0).any())


def core_codes(model: TraceModel) -> Rows:
    """Return the code of the accelerator core of every device row, -1 for unknown."""

    def make() -> Rows:
        row = npu_rows(model)
        known = row >= 0
        found = np.full(len(row), -1, np.int64)
        found[known] = model.column("npu_kernels", "accelerator_core")[row[known]]
        return found

    return model.cached("accelerator cores", make)


def rows_on(model: TraceModel, cores: Collection[str]) -> Mask:
    """Return which device rows are kernels that ran on some cores, shape (device rows,)."""
    texts = model.values("npu_kernels", "accelerator_core")
    wanted = np.array([text in cores for text in texts] + [False], bool)  # the last one is for -1
    found: Mask = wanted[core_codes(model)] & work_of_kind(model, kinds.KERNEL)
    return found


def ai_core_rows(model: TraceModel) -> Mask:
    """Return which device rows are kernels that ran on AI Cores, shape (device rows,)."""
    return model.cached("AI Core rows", lambda: rows_on(model, AI_CORES))


def hccl_rows(model: TraceModel) -> Mask:
    """Return which device rows are communication by HCCL, shape (device rows,).

    By the core that they ran on, by the lane that they are in, or by name.
    """
    rows = rows_on(model, COMMUNICATION_CORES)
    is_kernel = work_of_kind(model, kinds.KERNEL)
    rows |= is_kernel & named(model, "device", lambda name: name.startswith("hcom_"))
    lanes = [row for row in model.tables["lanes"].to_pylist() if row["group"] == HCCL]
    for lane in lanes:
        if lane["side"] == "device":
            in_lane = model.column("device", "stream") == lane["stream"]
            in_lane &= model.column("device", "device") == lane["place"]
            rows |= is_kernel & in_lane
    return rows
