"""Classifies device slices by layer, task type and name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds
from nbprof.sources.ascend.trace.processes import COMMUNICATION, HARDWARE, OVERLAP

if TYPE_CHECKING:
    from nbprof.sources.ascend.trace.columns import Columns
    from nbprof.sources.ascend.trace.lanes import LaneDetails

Kinds = npt.NDArray[np.int8]

#: Task types of kernels, in addition to those that start with `_KERNEL_STARTS`.
_KERNELS: Final = frozenset({"AI_CPU", "AICPU", "DSA_SQE", "DSA", "FFTS_PLUS", "FUSION"})
_KERNEL_STARTS: Final = ("AI_CORE", "AI_VECTOR", "AIV", "AIC", "MIX_AI", "KERNEL_")

#: Kinds of other tasks by the beginning of their name, or else of their type.
_STARTS: Final = (
    ("MEMCPY", kinds.MEMCPY),
    ("MEMSET", kinds.MEMSET),
    ("EVENT_", kinds.SYNC),
    ("NOTIFY_", kinds.SYNC),
)

_UNKNOWN: Final = -1


def kinds_of(slices: Columns, details: LaneDetails, texts: dict[str, list[str]]) -> Kinds:
    """Return the kind of slices that ran on a device, shape (slices,).

    Parts of a communication operator are tasks, since the operator itself is counted.
    """
    groups = np.array(details.group, object)
    planes = np.array([name.startswith("Plane") for name in details.name], bool)
    lane = slices["lane"]
    kind = np.full(len(lane), kinds.TASK, np.int8)
    hardware = (groups == HARDWARE)[lane]
    kind[hardware] = _of_tasks({name: slices[name][hardware] for name in slices}, texts)
    operators = (groups == COMMUNICATION)[lane] & (slices["part_type"] < 0) & ~planes[lane]
    kind[operators] = kinds.KERNEL
    kind[(groups == OVERLAP)[lane]] = kinds.DEVICE_ANNOTATION
    return kind


def _of_tasks(slices: Columns, texts: dict[str, list[str]]) -> Kinds:
    types = [_plain(text) for text in texts["task_type"]]
    # The last entry is for tasks without a type.
    is_kernel = np.array([*map(_is_kernel, types), False], bool)
    by_type = np.array([*map(_by_start, types), _UNKNOWN], np.int8)[slices["task_type"]]
    by_name = np.array([_by_start(_plain(name)) for name in texts["name"]], np.int8)
    kind = by_name[slices["name"]]
    kind = np.where(kind == _UNKNOWN, by_type, kind)
    kind = np.where(kind == _UNKNOWN, kinds.TASK, kind)
    return np.where(is_kernel[slices["task_type"]], kinds.KERNEL, kind).astype(np.int8)


def _plain(text: str) -> str:
    return text.upper().replace(" ", "_")


def _is_kernel(task_type: str) -> bool:
    return task_type in _KERNELS or task_type.startswith(_KERNEL_STARTS)


def _by_start(text: str) -> int:
    return next((kind for start, kind in _STARTS if text.startswith(start)), _UNKNOWN)
