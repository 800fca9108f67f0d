"""The cores that NPU kernels ran on, and which of them are AI Cores (the NPU's matrix units)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import work_of_kind
from nbprof.model.names.name_tests import starts
from nbprof.model.names.roles import named
from nbprof.model.trace import kinds
from nbprof.model.trace.dialect import Cores

if TYPE_CHECKING:
    from collections.abc import Collection

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def has_cores(model: TraceModel) -> bool:
    """Return whether kernels name the core they ran on instead of using matrix units."""
    return model.capabilities.cores is not None


def cores_of(model: TraceModel) -> Cores:
    """Return the kinds of cores that kernels of a trace can run on."""
    return model.capabilities.cores or Cores()


def npu_rows(model: TraceModel) -> Rows:
    """Return the row in `npu_kernels` of each device row, -1 for none, shape (device rows,)."""

    def make() -> Rows:
        npu_row = np.full(model.tables["device"].num_rows, -1, np.int64)
        rows = model.column("npu_kernels", "row")
        npu_row[rows] = np.arange(len(rows))
        return npu_row

    return model.cached("rows of NPU kernels", make)


def knows_cores(model: TraceModel) -> bool:
    """Return whether the core is known for any kernel."""
    return bool((model.column("npu_kernels", "accelerator_core") >= 0).any())


def core_codes(model: TraceModel) -> Rows:
    """Return the code of the accelerator core of each device row, -1 if unknown."""

    def make() -> Rows:
        row = npu_rows(model)
        known = row >= 0
        codes = np.full(len(row), -1, np.int64)
        codes[known] = model.column("npu_kernels", "accelerator_core")[row[known]]
        return codes

    return model.cached("accelerator cores", make)


def rows_on(model: TraceModel, cores: Collection[str]) -> Mask:
    """Return which device rows are kernels that ran on given cores, shape (device rows,)."""
    texts = model.values("npu_kernels", "accelerator_core")
    wanted = np.array([text in cores for text in texts] + [False], bool)  # last: code -1
    is_on_core: Mask = wanted[core_codes(model)] & work_of_kind(model, kinds.KERNEL)
    return is_on_core


def ai_core_rows(model: TraceModel) -> Mask:
    """Return which device rows are kernels that ran on AI Cores, shape (device rows,)."""
    return model.cached("AI Core rows", lambda: rows_on(model, cores_of(model).main))


def core_communication(model: TraceModel) -> Mask:
    """Return which device rows communicate, judged by core, name or lane, shape (device rows,)."""
    cores, group = cores_of(model), model.vocabulary.communication_lanes
    rows = rows_on(model, cores.communication)
    is_kernel = work_of_kind(model, kinds.KERNEL)
    if cores.communication_prefix:
        begins = starts(cores.communication_prefix)
        rows |= is_kernel & named(model, "device", begins)
    lanes = [row for row in model.tables["lanes"].to_pylist() if group and row["group"] == group]
    for lane in lanes:
        if lane["side"] == "device":
            in_lane = model.column("device", "stream") == lane["stream"]
            in_lane &= model.column("device", "device") == lane["place"]
            rows |= is_kernel & in_lane
    return rows
