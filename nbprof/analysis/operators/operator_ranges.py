"""Ranges inside operators that Paddle records: their phases, and the parts they consist of.

Other recorders have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.operators.calls import operator_calls
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.names.roles import innermost_operators, named, operator_rows, rows_of_kinds
from nbprof.model.trace import kinds
from nbprof.model.trace.event_types import KERNEL_LAUNCHES, rows_of_types

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: The phases of an operator in order, and substrings in the names of their events.
PHASES: Final = {
    "infer_shape": ("infer_shape", "infer_meta"),
    "compute": ("compute",),
    "node_creation": ("node_creation",),
}


def phases_of_rows(model: TraceModel) -> npt.NDArray[np.int8]:
    """Return the index of the operator phase that each host row is, -1 for none.

    Phases inside other parts of an operator count; phases inside a phase of the same operator do
    not. A kernel launch counts as the compute phase.
    """
    return model.cached("phases of host rows", lambda: _phases(model))


def parts(model: TraceModel) -> Mask:
    """Return which host rows are directly inside an operator, but no operators or runtime calls.

    Shape (host rows,).
    """
    return model.cached("parts of operators", lambda: _parts(model))


def calls_around(model: TraceModel, rows: Rows) -> Rows:
    """Return the index in `operator_calls` of the call around each of the given host rows."""
    return operator_calls(model).call_of_host[innermost_operators(model)[rows]]


def _phases(model: TraceModel) -> npt.NDArray[np.int8]:
    is_phase = model.column("host", "kind") == kinds.PHASE
    phase = np.full(len(is_phase), -1, np.int8)
    if not is_phase.any():
        return phase
    for index, words in reversed(list(enumerate(PHASES.values()))):
        phase[named(model, "host", lambda name, words=words: any(w in name for w in words))] = index  # type: ignore[misc]
    phase[rows_of_types(model, *KERNEL_LAUNCHES)] = list(PHASES).index("compute")
    operator = innermost_operators(model)
    phase[~is_phase | (operator < 0)] = -1
    above = nearest_ancestor(model.nesting.parent, phase >= 0)
    nested = above >= 0
    nested[nested] = operator[above[nested]] == operator[nested]
    phase[nested] = -1
    return phase


def _parts(model: TraceModel) -> Mask:
    if not model.capabilities.event_types:
        return np.zeros(model.tables["host"].num_rows, bool)
    parent, is_operator = model.nesting.parent, operator_rows(model)
    is_part = rows_of_kinds(model, "host", kinds.PHASE, kinds.ANNOTATION) & (parent >= 0)
    is_part[is_part] = is_operator[parent[is_part]]
    return is_part
