"""Event types of recorders that classify host events more finely than by kind.

For other recorders, no row has a type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from nbprof.model.trace.trace_data import TraceData

Mask = npt.NDArray[np.bool_]

#: Types of ranges that are stages of a step, and the stage.
STAGE_OF_TYPE: Final = {
    "Dataloader": "DataLoader",
    "Forward": "Forward",
    "Backward": "Backward",
    "Optimization": "Optimization",
}
#: Types of the ranges of users; `RecordEvent` in Python, ``UserDefined`` in C++.
USER: Final = "PythonUserDefined"
COMMUNICATION: Final = "Communication"
#: Launches of an operator's kernels, which stand where older recorders write ``… compute``.
KERNEL_LAUNCHES: Final = ("DygraphKernelLaunch", "StaticKernelLaunch")


def has_types(model: TraceData) -> bool:
    """Whether host rows have types."""
    return bool(model.tables["host_types"].num_rows)


def rows_of_types(model: TraceData, *names: str) -> Mask:
    """Return which host rows are of some types, shape (host rows,)."""
    if not has_types(model):
        return np.zeros(model.tables["host"].num_rows, bool)
    wanted = np.array([name in names for name in model.values("host_types", "event_type")], bool)
    # The last one is for rows without a type, which have code -1.
    codes = model.column("host_types", "event_type")
    is_type: Mask = np.append(wanted, False).take(codes, mode="wrap")
    return is_type
