"""Direction of host rows: whether they belong to the forward pass, the backward pass, an optimizer.

The direction is that of the ranges around a row on its thread, not of the moment: with a backward
pass on a thread of its own, both passes may launch kernels at the same time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.steps.stage_rows import STAGES, closures, stage_rows
from nbprof.model.links.backward import forward_rows
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.names.name_tests import finds
from nbprof.model.names.roles import named, operator_rows

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Directions in the order of their codes. A row of several is of the last, except in closures.
DIRECTIONS: Final = ("forward", "backward", "optimizer")

#: Names of the nodes of a backward pass, such as `MmBackward0`.
_NODE: Final = re.compile(r"Backward\d*$")


def directions(model: TraceModel) -> Rows:
    """Return the direction of every host row, shape (host rows,).

    A row is of the optimizer inside a range that an optimizer recorded, or inside an operator
    between the backward pass and the optimizer's step; of the backward pass if it has a forward
    operator, or inside a range of the autograd engine, a recorded backward stage or a
    node of the backward pass; of the forward pass inside an outermost operator of the step's
    thread, or inside the forward stage that the recorder wrote. Both passes keep their direction
    in a closure that an optimizer's step calls.

    Returns
    -------
    ndarray of int64
        Index in `DIRECTIONS`, -1 if the trace does not tell. Computed once.
    """
    return model.cached("directions", lambda: _find(model))


def _find(model: TraceModel) -> Rows:
    stages = stage_rows(model)

    def mask_of(rows: Rows) -> Mask:
        chosen = np.zeros(model.tables["host"].num_rows, bool)
        chosen[rows] = True
        return chosen

    forward, backward, optimizer = (
        mask_of(stages[STAGES.index(stage)]) for stage in ("Forward", "Backward", "Optimization")
    )
    nodes = operator_rows(model) & named(model, "host", finds(_NODE))
    code = np.full(len(nodes), -1, np.int64)
    code[_inside(model, mask_of(closures(model)))] = DIRECTIONS.index("optimizer")
    code[_inside(model, forward)] = DIRECTIONS.index("forward")
    code[_inside(model, backward | nodes) | (forward_rows(model) >= 0)] = DIRECTIONS.index(
        "backward"
    )
    code[_inside(model, optimizer)] = DIRECTIONS.index("optimizer")
    return code


def _inside(model: TraceModel, ranges: Mask) -> Mask:
    """Return which host rows are one of some ranges or inside one."""
    return ranges | (nearest_ancestor(model.nesting.parent, ranges) >= 0)
