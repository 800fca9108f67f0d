"""What counts as communication between devices or processes: one decision for every table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model import kinds
from nbprof.model.roles import named, of_kinds

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel

Mask = npt.NDArray[np.bool_]

_DEVICE_NAME = re.compile(r"nccl|rccl|hccl|oneccl|msccl|nvshmem|cross_device_reduce", re.IGNORECASE)
_OPERATOR_NAME = re.compile(r"(nccl|gloo|mpi|ucc|xccl|hccl|rccl):|c10d::|record_param_comms")
_HOST_BACKEND = re.compile(r"(gloo|mpi):")


def is_communication_operator(name: str) -> bool:
    """Whether an operator or annotation of this name is a collective or point-to-point call."""
    return _OPERATOR_NAME.match(name) is not None


def device_communication(model: TraceModel) -> Mask:
    """Return which device rows are communication, shape (device rows,).

    By their own name, or because a communication operator launched them.
    """
    return model.cached("device communication", lambda: _device_communication(model))


def host_communication(model: TraceModel) -> Mask:
    """Return which host rows communicate by themselves, shape (host rows,).

    These are ranges of backends without device work. The host ranges of device collectives only
    enqueue, and are work of the host.
    """
    return model.cached("host communication", lambda: _host_communication(model))


def communication_calls(model: TraceModel) -> Mask:
    """Return which host rows are communication operators or annotations, shape (host rows,)."""
    return named(model, "host", is_communication_operator) & _ranges(model)


def _device_communication(model: TraceModel) -> Mask:
    by_name = named(model, "device", lambda name: _DEVICE_NAME.search(name) is not None)
    by_name &= model.column("device", "kind") != kinds.DEVICE_ANNOTATION
    operator = model.links.operator
    known = operator >= 0
    by_operator = np.zeros(len(operator), bool)
    by_operator[known] = communication_calls(model)[operator[known]]
    return by_name | by_operator


def _host_communication(model: TraceModel) -> Mask:
    return named(model, "host", lambda name: _HOST_BACKEND.match(name) is not None) & _ranges(model)


def _ranges(model: TraceModel) -> Mask:
    return of_kinds(model, "host", kinds.OPERATOR, kinds.ANNOTATION)
