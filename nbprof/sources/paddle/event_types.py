"""Paddle's event types: their numbers in protobuf files, and the kinds of rows that they map to."""

from __future__ import annotations

import re
from typing import Final

from nbprof.model.trace import kinds

#: Names by number. Number 15 stood for `MLU_RUNTIME` before Paddle 3.
NAMES: Final = (
    "Operator",
    "Dataloader",
    "ProfileStep",
    "CudaRuntime",
    "Kernel",
    "Memcpy",
    "Memset",
    "UserDefined",
    "OperatorInner",
    "Forward",
    "Backward",
    "Optimization",
    "Communication",
    "PythonOp",
    "PythonUserDefined",
    "DygraphKernelLaunch",
    "StaticKernelLaunch",
)
OPERATOR: Final = "Operator"
CUDA_RUNTIME: Final = "CudaRuntime"
MLU_RUNTIME: Final = "MluRuntime"
KERNEL_LAUNCH: Final = NAMES.index("DygraphKernelLaunch")

#: Memory changes by number; reserved memory is held by the allocator.
MEMORY: Final = ("Allocate", "Free", "ReservedAllocate", "ReservedFree")

DEVICE: Final = {"Kernel": kinds.KERNEL, "Memcpy": kinds.MEMCPY, "Memset": kinds.MEMSET}

_HOST: Final = {
    OPERATOR: kinds.OPERATOR,
    "OperatorInner": kinds.PHASE,
    "DygraphKernelLaunch": kinds.PHASE,
    "StaticKernelLaunch": kinds.PHASE,
    "ProfileStep": kinds.STEP,
    CUDA_RUNTIME: kinds.RUNTIME,
    MLU_RUNTIME: kinds.RUNTIME,
}

#: Name prefixes of the calls of Cambricon's runtime, driver and libraries.
_MLU_CALL: Final = re.compile(r"cn(?:rt|nl|cl)?[A-Z]")


def host_kind(name: str) -> int:
    """Return the kind of host row for a type; unknown types are annotations."""
    return _HOST.get(name, kinds.ANNOTATION)


def is_known(name: str) -> bool:
    """Whether a type is known."""
    return name in NAMES or name == MLU_RUNTIME


def name_of(number: int) -> str:
    """Return the name of a type by its number in a file of Paddle 3."""
    return NAMES[number] if 0 <= number < len(NAMES) else f"type {number}"


def is_mlu_call(name: str) -> bool:
    """Whether a call belongs to an MLU; protobuf files do not name the runtime."""
    return _MLU_CALL.match(name) is not None
