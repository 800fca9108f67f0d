"""`Outline`: every call of every step of one side, from which a page aligns trees of other steps.

A page has no traces. With the positions of all steps, and what each step has there, it finds the
positions of the steps that count as `Positions` does; `js/src/views/diff/later/calls/` does so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import latest
from nbprof.diffs.trees.calls import Calls
from nbprof.diffs.trees.positions import cells_of, figures_of, numbered, parents

if TYPE_CHECKING:
    from nbprof.diffs.sides.used_steps import UsedSteps
    from nbprof.diffs.values.cells import Cells
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Outline:
    """The positions of all steps; position 0 is the step itself.

    Attributes
    ----------
    parent : ndarray of int64, shape (positions,)
        The position around each one, -1 around the step.
    occurrence : ndarray of int64, shape (positions,)
        Which one it is of the siblings with its label, from 1.
    labels : list of (int, str, str)
        Kind, common text and name of labels.
    shapes : list of str
        Input shapes of calls as JSON.
    cells : Cells
        Times in µs by position and step.
    among, label, shape : ndarray of int64, shape (cells,)
        Of the call of a position in a step: which one it is of all its siblings, its label, and its
        input shapes, -1 without.
    backward : ndarray of bool, shape (cells,)
        Whether that call is in the backward pass.
    """

    parent: Rows
    occurrence: Rows
    labels: list[tuple[int, str, str]]
    shapes: list[str]
    cells: Cells
    among: Rows
    label: Rows
    shape: Rows
    backward: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, model: TraceModel, filter_: Filter, steps: UsedSteps) -> Outline:
        """Find the positions of steps, whichever of them count; once for each filter.

        Parameters
        ----------
        model, filter_ : TraceModel, Filter
            One side.
        steps : UsedSteps
            All steps in the filter's range.
        """
        return latest(model, f"diff outline {steps}", filter_, lambda: _find(model, filter_, steps))


def _find(model: TraceModel, filter_: Filter, steps: UsedSteps) -> Outline:
    calls = Calls.of(model, filter_, steps)
    node, occurrence, among = numbered(calls, steps.count)
    count = int(node.max(initial=0)) + 1
    cells = cells_of(calls, steps, node, count, figures_of(model))
    # The call behind each cell; the step itself is none.
    key = node * steps.count + calls.step
    order = np.argsort(key, kind="stable")
    place = np.searchsorted(key[order], cells.row * steps.count + cells.step)
    call = np.append(order, -1)[np.where(cells.row > 0, place, len(order))]

    def at(values: npt.NDArray[np.signedinteger]) -> Rows:
        found: Rows = np.append(values, -1).astype(np.int64)[call]
        return found

    used, shape = np.unique(calls.shapes[calls.shapes >= 0], return_inverse=True)
    shapes = np.full(len(calls.shapes), -1, np.int64)
    shapes[calls.shapes >= 0] = shape
    texts = model.values("host", "input_shapes")
    occurrences = np.ones(count, np.int64)
    occurrences[node] = occurrence + 1
    return Outline(
        parent=parents(calls, node, count),
        occurrence=occurrences,
        labels=calls.labels,
        shapes=[texts[code] for code in used.tolist()],
        cells=cells,
        among=at(among),
        label=at(calls.label),
        shape=at(shapes),
        backward=at(calls.backward.astype(np.int64)) == 1,
    )
