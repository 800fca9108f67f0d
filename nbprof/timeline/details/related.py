"""Finds the rows that belong to one row: its operator, device work, module, forward and backward.

All functions take and return rows of the host or device table; `relatives` combines them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.links.backward import forward_rows, linked_forward_rows
from nbprof.model.links.launches import operators_of_calls
from nbprof.model.links.module_tree import sources_of_device
from nbprof.model.names.roles import innermost_operators, operator_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


def _enclosing(model: TraceModel, row: int) -> Iterator[int]:
    """Yield the host rows around a host row, the innermost first."""
    parent = model.nesting.parent
    row = int(parent[row])
    while row >= 0:
        yield row
        row = int(parent[row])


def rows_inside(model: TraceModel, row: int) -> tuple[int, int]:
    """Return the range of host rows that start inside a host row, last exclusive.

    Rows are sorted by (thread, start), so they follow the row itself.
    """
    start, thread = model.column("host", "start_ns"), model.column("host", "thread")
    of_thread = int(np.searchsorted(thread, thread[row], side="right"))
    end = start[row] + model.column("host", "duration_ns")[row]
    return row + 1, row + 1 + int(np.searchsorted(start[row + 1 : of_thread], end, side="left"))


def device_rows_of(model: TraceModel, row: int) -> Rows:
    """Return the device rows that a host row launched, sorted by start.

    For a launching call this is what it launched; for an operator what it launched itself or, if
    nothing, what was launched inside; for other rows what was launched inside.
    """
    launch = model.links.launch
    if model.column("host", "kind")[row] == kinds.RUNTIME:
        return np.flatnonzero(launch == row)
    if operator_rows(model)[row]:
        own = np.flatnonzero(model.links.operator == row)
        if len(own):
            return own
    first, last = rows_inside(model, row)
    source = sources_of_device(model)
    return np.flatnonzero((source >= first) & (source < last))


def operator_of_host(model: TraceModel, row: int) -> int:
    """Return the operator around a host row, -1 for operators and rows outside of operators."""
    if operator_rows(model)[row]:
        return -1
    if model.column("host", "kind")[row] == kinds.RUNTIME:
        return int(operators_of_calls(model, np.array([row], np.int64))[0])
    return int(innermost_operators(model)[row])


def forward_of(model: TraceModel, row: int) -> int:
    """Return the forward operator of a host row in the backward pass, otherwise -1."""
    return int(forward_rows(model)[row])


def backward_of(model: TraceModel, row: int) -> Rows:
    """Return the backward operators of a host row, the outermost first; may be empty.

    They are those of the row itself or of the nearest slice around it that has some or, for an
    operator, of the operators it called: users cannot know which of several nested operators the
    autograd engine remembers.
    """
    linked = linked_forward_rows(model)
    backward = np.flatnonzero(linked >= 0)
    if not len(backward):
        return backward
    forward = linked[backward]
    for one in (row, *_enclosing(model, row)):
        rows: Rows = backward[forward == one]
        if len(rows):
            return rows
    if not operator_rows(model)[row]:
        return backward[:0]
    first, last = rows_inside(model, row)
    inside: Rows = backward[(forward >= first) & (forward < last)]
    return inside


def module_of(model: TraceModel, row: int) -> int:
    """Return the innermost module around a host row; -1 for none.

    In the backward pass it is the module of the forward operator.
    """
    kind = model.column("host", "kind")
    for start in (row, forward_of(model, row)):
        if start >= 0:
            for one in _enclosing(model, start):
                if kind[one] == kinds.MODULE:
                    return one
    return -1
