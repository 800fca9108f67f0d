"""Finds the Python call stack of every host row: as recorded, or rebuilt from Python frames.

Traces of PyTorch up to 1.11, and those recorded with the `verbose` option, contain the stack of an
operator as text. All others recorded with `with_stack=True` contain the frames as slices. The stack
then consists of the frames that enclose the operator on its thread, innermost first as in the text.
The backward pass runs below `backward()` or on a thread without Python; its operators get the stack
of the forward operator with their sequence number, which is the line of code that they belong to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.links.paths import Paths
from nbprof.model.names.roles import named
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

#: Names of built-in methods contain the address of their object, which is meaningless.
_ADDRESS: Final = re.compile(r" object at 0x[0-9a-fA-F]+>| at 0x[0-9a-fA-F]+>")

_ENGINE: Final = "autograd::engine::evaluate_function: "


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
    above, code = _frames_round(model), model.column("host", "name")
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
    return model.cached("stack sources", lambda: _sources(model, _frames_round(model)))


def _frames_round(model: TraceModel) -> Rows:
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
    above = _frames_round(model)
    names, place = names_of_frames(model)
    paths = Paths.of(frames, above, place[model.column("host", "name")[frames]])
    frame = above[stack_sources(model)]
    code = np.where(frame >= 0, paths.code[frame], -1)
    used, dense = np.unique(code[code >= 0], return_inverse=True)
    code[code >= 0] = dense
    return CallStacks(code, [_text(paths, path, names) for path in used.tolist()])


def _is_frame(model: TraceModel) -> npt.NDArray[np.bool_]:
    kind = model.column("host", "kind")
    found: npt.NDArray[np.bool_] = (kind == kinds.PYTHON) | (kind == kinds.MODULE)
    return found


def _sources(model: TraceModel, above: Rows) -> Rows:
    own = np.arange(len(above))
    sequence = model.column("host", "sequence")
    has_number = sequence >= 0
    # The slice around a node is the engine that calls it: it has the node's number and its own
    # stack.
    is_node = model.column("host", "forward_thread") > 0
    is_node &= ~named(model, "host", lambda name: name.startswith(_ENGINE))
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


def _text(paths: Paths, path: int, names: list[str]) -> str:
    """Return the frames of a path as text, innermost first."""
    frames = []
    while path >= 0:
        frames.append(names[int(paths.label[path])])
        path = int(paths.parent[path])
    return ";".join(frames)


def _without_addresses(names: list[str]) -> tuple[list[str], Rows]:
    """Return the distinct names without addresses, and the index of every name among them."""
    cut = [_ADDRESS.sub(">", name) for name in names]
    distinct = list(dict.fromkeys(cut))
    place = {name: number for number, name in enumerate(distinct)}
    return distinct, np.array([place[name] for name in cut], np.int64)
