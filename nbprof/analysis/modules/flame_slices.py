"""`Slices`: the host rows that are frames of a flame graph, and their nesting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import (
    kept_host_rows,
)
from nbprof.model.filters import selection
from nbprof.model.links.module_tree import ModuleTree
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.lookup import values_at
from nbprof.model.names.roles import operator_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Slices:
    """The host rows that are frames, and their nesting.

    Attributes
    ----------
    row : ndarray of int64, shape (frames,)
        Host row.
    index : ndarray of int64, shape (host rows,)
        Index of the frame that each row is, -1 for none.
    inner : ndarray of int64, shape (host rows,)
        Index of the frame that each row is or lies in, -1 for none. For rows of the backward pass
        outside its own frames, the frame of the forward operator's module.
    parent : ndarray of int64, shape (frames,)
        Index of the frame around each, -1 for none.
    """

    row: Rows
    index: Rows
    inner: Rows
    parent: Rows

    @classmethod
    def of(cls, model: TraceModel, filter_: Filter) -> Slices:
        """Find the rows that the filter keeps and link each to the next kept row around it."""
        kind = model.column("host", "kind")
        is_frame = operator_rows(model) | (kind == kinds.PYTHON) | (kind == kinds.MODULE)
        is_frame = is_frame & kept_host_rows(model, filter_)
        row = np.flatnonzero(is_frame)
        index = np.full(len(is_frame), -1, np.int64)
        index[row] = np.arange(len(row))
        around = values_at(index, nearest_ancestor(model.nesting.parent, is_frame))
        inner = np.where(is_frame, index, around)
        forward = ModuleTree.of(model).forward_call
        left_out = (inner < 0) & (forward >= 0)
        if left_out.any():
            left_out &= selection.host_rows(model, filter_.replace(name=None, kinds=None))
            inner[left_out] = inner[forward[left_out]]
        return cls(row, index, inner, around[row])
