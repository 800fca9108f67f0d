"""The Python call stack of every host row, recorded with it or rebuilt from Python frames.

Traces of PyTorch up to 1.11, and those recorded with the `verbose` option, hold the stack of an
operator as text. All others with `with_stack=True` hold the frames as slices: the stack is then
what encloses the operator on its thread, the innermost frame first, as in the text. The backward
pass runs on a thread without Python; its operators have the stack of the forward operator with
their sequence number, which is the line of code that they belong to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model import kinds
from nbprof.model.nesting import depths, nearest_ancestor

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel

Rows = npt.NDArray[np.int64]

#: Built-in methods are named with the address of their object, which says nothing.
_ADDRESS = re.compile(r" object at 0x[0-9a-fA-F]+>| at 0x[0-9a-fA-F]+>")


@dataclass(frozen=True)
class CallStacks:
    """Call stacks of host rows.

    Attributes
    ----------
    code : ndarray of int64, shape (rows,)
        Number of the stack of each row, -1 without one.
    texts : list of str
        The stacks: frames joined by ";", the innermost first.
    """

    code: Rows
    texts: list[str]


def call_stacks(model: TraceModel) -> CallStacks:
    """Return the call stacks of the host rows; rebuilt where none was recorded as text."""
    recorded = model.column("host", "call_stack").astype(np.int64)
    if (recorded >= 0).any():
        return CallStacks(recorded, model.values("host", "call_stack"))
    kind = model.column("host", "kind")
    is_frame = (kind == kinds.PYTHON) | (kind == kinds.MODULE)
    if not is_frame.any():
        return CallStacks(recorded, [])
    above = nearest_ancestor(model.nesting.parent, is_frame)
    paths = _Paths.of(model, np.flatnonzero(is_frame), above)
    frame = _with_backward(model, above)
    code = np.where(frame >= 0, paths.code[frame], -1)
    used, dense = np.unique(code[code >= 0], return_inverse=True)
    code[code >= 0] = dense
    return CallStacks(code, [paths.text(path) for path in used.tolist()])


def _with_backward(model: TraceModel, above: Rows) -> Rows:
    """Return the frame of every row, that of the forward operator for those of the backward pass.

    Of several forward operators with one number, the first counts.
    """
    sequence = model.column("host", "sequence")
    has_number = sequence >= 0
    forward = np.flatnonzero(has_number & (above >= 0))
    if not len(forward):
        return above
    numbers, first = np.unique(sequence[forward], return_index=True)
    is_backward = has_number & (above < 0)
    owner = nearest_ancestor(model.nesting.parent, is_backward)
    owner = np.where(is_backward, np.arange(len(owner)), owner)
    wanted = sequence[np.maximum(owner, 0)]
    place = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    found = (above < 0) & (owner >= 0) & (numbers[place] == wanted)
    return np.where(found, above[forward[first[place]]], above)


@dataclass(frozen=True)
class _Paths:
    """Frames that are the same from the outermost on have the same path.

    `code` is by host row; `name` and `parent` are by path, `parent` -1 for the outermost.
    """

    code: Rows
    name: Rows
    parent: Rows
    names: list[str]

    @classmethod
    def of(cls, model: TraceModel, frames: Rows, above: Rows) -> _Paths:
        """Give every path a number, one level of depth at a time."""
        names, renamed = _without_addresses(model.values("host", "name"))
        depth = depths(above)[frames]
        order = np.argsort(depth, kind="stable")
        levels = np.split(frames[order], np.flatnonzero(np.diff(depth[order])) + 1)
        code = np.full(len(above) + 1, -1, np.int64)  # one more for the parent of the outermost
        path_name: list[Rows] = []
        path_parent: list[Rows] = []
        count = 0
        for level in levels:
            label = renamed[model.column("host", "name")[level]]
            key = (code[above[level]] + 1) * len(names) + label
            distinct, number = np.unique(key, return_inverse=True)
            code[level] = count + number
            path_name.append(distinct % len(names))
            path_parent.append(distinct // len(names) - 1)
            count += len(distinct)
        return cls(code, np.concatenate(path_name), np.concatenate(path_parent), names)

    def text(self, path: int) -> str:
        """Return the frames of a path, the innermost first."""
        frames = []
        while path >= 0:
            frames.append(self.names[int(self.name[path])])
            path = int(self.parent[path])
        return ";".join(frames)


def _without_addresses(names: list[str]) -> tuple[list[str], Rows]:
    """Return the distinct names without addresses, and for every name its place among them."""
    cut = [_ADDRESS.sub(">", name) for name in names]
    distinct = list(dict.fromkeys(cut))
    place = {name: number for number, name in enumerate(distinct)}
    return distinct, np.array([place[name] for name in cut], np.int64)
