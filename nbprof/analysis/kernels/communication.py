"""Decides for all tables which kernels and host rows are communication.

The names come from `nbprof.model.names.communication_names` and from the user's rules that apply to
the model.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import has_device
from nbprof.analysis.kernels.npu_cores import core_communication, has_cores
from nbprof.model.links.module_tree import sources_of_device
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.names.communication_names import (
    is_communication_kernel,
    is_communication_operator,
    rows_matched,
)
from nbprof.model.names.name_tests import finds
from nbprof.model.names.roles import named, operator_rows, rows_of_kinds
from nbprof.model.trace import kinds
from nbprof.model.trace.event_types import COMMUNICATION, rows_of_types

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Mask = npt.NDArray[np.bool_]

_HOST_BACKEND = re.compile(r"^(?:gloo|mpi):")
#: Names of communication operators, for recorders that give events types, and their event type.
_TYPED_OPERATOR = re.compile(r"allreduce|broadcast|rpc", re.IGNORECASE)
_TYPED_HOST_BACKEND = re.compile(r"gloo|mpi(?![a-z])", re.IGNORECASE)


def device_communication(model: TraceModel) -> Mask:
    """Return which device rows are communication, shape (device rows,).

    Rows count by their own name, or because a communication operator launched them.
    """
    return model.cached("device communication", lambda: _device_communication(model))


def host_communication(model: TraceModel) -> Mask:
    """Return which host rows are communication on the host, shape (host rows,).

    These are ranges of backends without device work. Host ranges of device collectives only enqueue
    them and count as host work.
    """
    return model.cached("host communication", lambda: _host_communication(model))


def communication_calls(model: TraceModel) -> Mask:
    """Return which host rows are communication operators or annotations, shape (host rows,).

    If events have types, these are events of the communication type and operators by name.
    """
    return model.cached("communication calls", lambda: _communication_calls(model))


def _device_communication(model: TraceModel) -> Mask:
    by_name = named(model, "device", is_communication_kernel) | _by_rules(model, "device")
    by_name &= model.column("device", "kind") != kinds.DEVICE_ANNOTATION
    if model.capabilities.event_types:
        return by_name | _launched_inside(model, communication_calls(model))
    operator = model.links.operator
    known = operator >= 0
    by_operator = np.zeros(len(operator), bool)
    by_operator[known] = communication_calls(model)[operator[known]]
    if has_cores(model):
        by_name |= core_communication(model)
    return by_name | by_operator


def recorded_calls(model: TraceModel) -> Mask:
    """Return which `communication_calls` are identified by the recording itself.

    An operator that only a user's rule names may have any inputs.
    """
    return communication_calls(model.under(()))


def _communication_calls(model: TraceModel) -> Mask:
    if model.capabilities.event_types:
        is_call = named(model, "host", finds(_TYPED_OPERATOR))
        is_call |= _by_rules(model, "host")
        return is_call & operator_rows(model) | rows_of_types(model, COMMUNICATION)
    is_call = named(model, "host", is_communication_operator) | _by_rules(model, "host")
    return is_call & _ranges(model)


def _by_rules(model: TraceModel, table: str) -> Mask:
    """Return which rows of "host" or "device" have a name that matches a user's rule."""
    codes, rules = model.column(table, "name"), model.communication_names
    if not rules:
        return np.zeros(len(codes), bool)
    return rows_matched(model.values(table, "name"), codes, rules)


def _launched_inside(model: TraceModel, ranges: Mask) -> Mask:
    """Return which device rows were launched inside the given host rows."""
    inside = ranges | (nearest_ancestor(model.nesting.parent, ranges) >= 0)
    source = sources_of_device(model)
    launched = source >= 0
    launched[launched] = inside[source[launched]]
    return launched


def _host_communication(model: TraceModel) -> Mask:
    if model.capabilities.event_types:
        if not has_device(model):
            return communication_calls(model)
        by_name = named(model, "host", finds(_TYPED_HOST_BACKEND))
        return by_name & communication_calls(model)
    return named(model, "host", finds(_HOST_BACKEND)) & _ranges(model)


def _ranges(model: TraceModel) -> Mask:
    return rows_of_kinds(model, "host", kinds.OPERATOR, kinds.ANNOTATION)
