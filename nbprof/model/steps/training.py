"""Decides whether a trace shows training or inference.

For inference, the words and stages of a training step would be misleading. Missing data decide
nothing: a trace of kernels alone may be of either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.links.backward import FORWARD_FLOW
from nbprof.model.links.launches import flow_codes
from nbprof.model.names.roles import is_training, is_training_kernel, named, rows_of_kinds
from nbprof.model.trace import kinds
from nbprof.model.trace.event_types import rows_of_types

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Mask = npt.NDArray[np.bool_]


def trains(model: TraceModel) -> bool | None:
    """Whether a recording has backward or optimizer work; None if this cannot be decided.

    Without such work, it is inference if operators were recorded.
    """
    return model.cached("trains", lambda: _find_training(model))


def is_inference(model: TraceModel) -> bool:
    """Whether operators were recorded, but no backward and no optimizer work."""
    return trains(model) is False


def training_rows(model: TraceModel) -> Mask:
    """Return the host rows that occur only in training, shape (host rows,)."""
    ranges = rows_of_kinds(model, "host", kinds.OPERATOR, kinds.ANNOTATION, kinds.STEP)
    is_training_row = named(model, "host", is_training) & ranges
    is_training_row |= model.column("host", "forward_thread") > 0
    return is_training_row | rows_of_types(model, "Backward", "Optimization")


def training_work(model: TraceModel) -> Mask:
    """Return the device rows that occur only in training, shape (device rows,)."""
    is_kernel = model.column("device", "kind") == kinds.KERNEL
    is_work: Mask = named(model, "device", is_training_kernel) & is_kernel
    return is_work


def _find_training(model: TraceModel) -> bool | None:
    if not model.capabilities.stages:
        return None
    arrows = flow_codes(model, "category", FORWARD_FLOW)[model.column("flows", "category")]
    if training_rows(model).any() or training_work(model).any() or arrows.any():
        return True
    return False if (model.column("host", "kind") == kinds.OPERATOR).any() else None
