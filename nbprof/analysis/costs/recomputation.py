"""Finds forward operators that run again inside the backward pass: activation checkpointing.

The backward pass runs with gradients off, so its operators have no sequence number. Operators that
are recomputed run with gradients on: they have a number, are marked as forward, and lie inside an
operator of the backward pass. The same holds for operators of a backward pass that is itself
differentiated; only operators that also ran outside of it with the same inputs count as recomputed.

Ranges of old versions of PyTorch write the number 0 for operators without one. So operators of the
number 0 count only beside later ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.names.roles import operator_rows

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Mask = npt.NDArray[np.bool_]


def recomputed_rows(model: TraceModel) -> Mask:
    """Return which host rows are, or lie in, recomputed operators, shape (host rows,)."""
    return model.cached("recomputed rows", lambda: _find(model))


def _find(model: TraceModel) -> Mask:
    numbered = operator_rows(model) & (model.column("host", "sequence") >= 0)
    is_backward = numbered & (model.column("host", "forward_thread") > 0)
    nothing = np.zeros(len(numbered), bool)
    if not is_backward.any():
        return nothing
    parent = model.nesting.parent
    around = nearest_ancestor(parent, is_backward)
    inside = around >= 0
    forward = numbered & ~is_backward
    again, once = np.flatnonzero(forward & inside), np.flatnonzero(forward & ~inside)
    sequence = model.column("host", "sequence")
    later = nothing.copy()
    later[around[again[sequence[again] > 0]]] = True
    again = again[later[around[again]]]
    if not (len(again) and len(once)):
        return nothing
    rows = np.concatenate([once, again])
    group, first = dense(*(model.column("host", name)[rows] for name in ("name", "input_shapes")))
    ran = np.zeros(len(first), bool)
    ran[group[: len(once)]] = True
    found = nothing.copy()
    found[again[ran[group[len(once) :]]]] = True
    return found | (nearest_ancestor(parent, found) >= 0)
