"""Finds the Python call stack of every host row: as recorded, or rebuilt from Python frames.

Traces of PyTorch up to 1.11, and those recorded with the `verbose` option, contain the stack of an
operator as text. All others recorded with `with_stack=True` contain the frames as slices. The stack
then consists of the frames that enclose the operator on its thread, innermost first as in the text.
The backward pass runs below `backward()` or on a thread without Python; its operators get the stack
of the forward operator with their sequence number, which is the line of code that they belong to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, overload

import numpy as np
import numpy.typing as npt

from nbprof.model.links.nesting import depths, nearest_ancestor
from nbprof.model.links.paths import Paths
from nbprof.model.names.name_tests import starts
from nbprof.model.names.roles import named
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

#: Names of built-in methods contain the address of their object, which is meaningless.
_ADDRESS: Final = re.compile(r" object at 0x[0-9a-fA-F]+>| at 0x[0-9a-fA-F]+>")

#: Python's own default limit of recursion.
MOST_FRAMES: Final = 1000

_ENGINE: Final = "autograd::engine::evaluate_function: "


@dataclass(frozen=True)
class CallStacks:
    """Call stacks of host rows.

    Attributes
    ----------
    code : ndarray of int64, shape (rows,)
        Number of the stack of each row, -1 without one.
    texts : sequence of str
        The stacks: frames joined by ";", the innermost first.
    """

    code: Rows
    texts: Sequence[str]


@dataclass(frozen=True)
class RebuiltTexts(Sequence[str]):
    """The texts of rebuilt stacks, each built when it is accessed.

    Building all stacks would be wasteful: with deep recursion, they would be far longer than the
    trace together. Stacks with more than `MOST_FRAMES` frames contain the names of the innermost
    frames and the number of the others.

    Attributes
    ----------
    used : list of int
        The path of each stack.
    frame : list of str
        The innermost frame of every path.
    parent : list of int
        The path of the frames around it, -1 if none.
    depth : ndarray of int64, shape (paths,)
        Number of frames around it.
    """

    used: list[int]
    frame: list[str]
    parent: list[int]
    depth: Rows

    @classmethod
    def of(cls, used: Rows, paths: Paths, names: list[str]) -> RebuiltTexts:
        """Return the texts of some paths, with names for their labels."""
        frames = [names[label] for label in paths.label.tolist()]
        return cls(used.tolist(), frames, paths.parent.tolist(), depths(paths.parent))

    def __len__(self) -> int:
        """Return the number of stacks."""
        return len(self.used)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        """Return one stack, or those of a slice."""
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        path = self.used[place]
        frames: list[str] = []
        for _ in range(min(int(self.depth[path]) + 1, MOST_FRAMES)):
            frames.append(self.frame[path])
            path = self.parent[path]
        if path >= 0:
            frames.append(f"… {int(self.depth[path]) + 1:,} more frames")
        return ";".join(frames)


def call_stacks(model: TraceModel) -> CallStacks:
    """Return the call stacks of the host rows; rebuilt where none was recorded as text.

    Computed once.
    """
    return model.cached("call stacks", lambda: _call_stacks(model))


def call_stack_of(model: TraceModel, row: int) -> str:
    """Return the call stack of one host row as text without building all others; "" if none.

    With deep recursion, all stacks together would be far longer than the trace.
    """
    recorded = model.column("host", "call_stack")
    if (recorded >= 0).any():
        return model.values("host", "call_stack")[recorded[row]] if recorded[row] >= 0 else ""
    above, code = _enclosing_frames(model), model.column("host", "name")
    names, place = names_of_frames(model)
    frames = []
    frame = int(above[stack_sources(model)[row]])
    while frame >= 0:
        frames.append(names[int(place[code[frame]])])
        frame = int(above[frame])
    return ";".join(frames)


def stack_sources(model: TraceModel) -> Rows:
    """Return the host row whose Python frames form the stack of each row, for rebuilt stacks.

    For nodes of the backward pass and the rows inside them, this is the first forward operator with
    their sequence number, unless the node itself runs Python code. For all other rows it is the row
    itself.

    Returns
    -------
    ndarray of int64, shape (host rows,)
        Host rows; computed once.
    """
    return model.cached("stack sources", lambda: _sources(model, _enclosing_frames(model)))


def _enclosing_frames(model: TraceModel) -> Rows:
    """Return the innermost Python frame or module that encloses every host row, -1 without one."""
    return model.cached(
        "frames round", lambda: nearest_ancestor(model.nesting.parent, _is_frame(model))
    )


def names_of_frames(model: TraceModel) -> tuple[list[str], Rows]:
    """Return the distinct host names without addresses, and their index for every name code."""
    return model.cached("names of frames", lambda: _without_addresses(model.values("host", "name")))


def _call_stacks(model: TraceModel) -> CallStacks:
    recorded = model.column("host", "call_stack").astype(np.int64)
    if (recorded >= 0).any():
        return CallStacks(recorded, model.values("host", "call_stack"))
    frames = np.flatnonzero(_is_frame(model))
    if not len(frames):
        return CallStacks(recorded, [])
    above = _enclosing_frames(model)
    names, place = names_of_frames(model)
    paths = Paths.of(frames, above, place[model.column("host", "name")[frames]])
    frame = above[stack_sources(model)]
    code = np.where(frame >= 0, paths.code[frame], -1)
    used, dense = np.unique(code[code >= 0], return_inverse=True)
    code[code >= 0] = dense
    return CallStacks(code, RebuiltTexts.of(used, paths, names))


def _is_frame(model: TraceModel) -> npt.NDArray[np.bool_]:
    kind = model.column("host", "kind")
    is_frame: npt.NDArray[np.bool_] = (kind == kinds.PYTHON) | (kind == kinds.MODULE)
    return is_frame


def _sources(model: TraceModel, above: Rows) -> Rows:
    own = np.arange(len(above))
    sequence = model.column("host", "sequence")
    has_number = sequence >= 0
    # The slice around a node is the engine that calls it: it has the node's number and its own
    # stack.
    is_node = model.column("host", "forward_thread") > 0
    is_node &= ~named(model, "host", starts(_ENGINE))
    forward = np.flatnonzero(has_number & (above >= 0) & ~is_node)
    if not len(forward):
        return own
    numbers, first = np.unique(sequence[forward], return_index=True)
    is_backward = has_number & (is_node | (above < 0))
    owner = np.where(is_backward, own, nearest_ancestor(model.nesting.parent, is_backward))
    wanted = sequence[np.maximum(owner, 0)]
    place = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    found = (owner >= 0) & (above == above[owner]) & (numbers[place] == wanted)
    return np.where(found, forward[first[place]], own)


def _without_addresses(names: list[str]) -> tuple[list[str], Rows]:
    """Return the distinct names without addresses, and the index of every name among them."""
    cut = [_ADDRESS.sub(">", name) for name in names]
    distinct = list(dict.fromkeys(cut))
    place = {name: number for number, name in enumerate(distinct)}
    return distinct, np.array([place[name] for name in cut], np.int64)
