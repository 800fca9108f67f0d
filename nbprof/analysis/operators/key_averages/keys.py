"""Shapes and call stacks as keys of `key_averages`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.operators.key_averages.names import codes_where, is_backward_node
from nbprof.model.links.backward import linked_forward_rows
from nbprof.model.links.call_stacks import call_stacks
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.analysis.operators.key_averages.host_events import HostEvents
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

#: Parts of frames that PyTorch leaves out, if a frame contains both: of the start of the backward
#: pass and of its own tests.
_LEFT_OUT: Final = (
    ("autograd/__init__", "_make_grads"),
    ("autograd/__init__", "backward"),
    ("torch/tensor", "backward"),
    ("_internal/common_utils", "prof_callable"),
    ("_internal/common_utils", "prof_func_call"),
    ("_internal/common_utils", "prof_meth_call"),
)


@dataclass(frozen=True)
class Key:
    """A column of keys.

    Attributes
    ----------
    code : ndarray of int64, shape (calls,)
        Number of the text of each call.
    texts : list of str
        The texts; the first one is of events without any.
    """

    code: Rows
    texts: list[str]


def shapes(model: TraceModel, events: HostEvents) -> Key:
    """Return the input shapes of each call, ``[]`` for calls that take no tensors.

    PyTorch's table shows a list of tensors as ``[]``, although the trace has the shape of each.
    """
    return _distinct(
        model.column("host", "input_shapes")[events.row],
        [_flat(text) for text in model.values("host", "input_shapes")],
        "[]",
    )


def overloads(model: TraceModel, events: HostEvents, overload: list[str]) -> Key:
    """Return the overload of each operator, empty for other calls."""
    code = model.column("host", "name")[events.row]
    is_operator = model.column("host", "kind")[events.row] == kinds.OPERATOR
    return _distinct(np.where(is_operator, code, -1), overload, "")


def stacks(model: TraceModel, events: HostEvents, depth: int, *, rebuilt: bool) -> Key:
    """Return the innermost frames of the call stack of each call.

    Nodes of the backward pass and calls inside them have the stack of the first operator with the
    sequence number of their forward operator, on its thread.

    Parameters
    ----------
    model : TraceModel
        The trace.
    events : HostEvents
        The calls.
    depth : int
        Number of frames.
    rebuilt : bool
        Whether to rebuild stacks from Python functions where none was recorded as text.
    """
    if not rebuilt and not (model.column("host", "call_stack") >= 0).any():
        return Key(np.zeros(len(events.row), np.int64), [""])
    code = call_stacks(model).code[events.row]
    if (model.column("host", "call_stack") >= 0).any():
        code = _of_forward(model, events, code)
    known = call_stacks(model).texts
    used, place = np.unique(code[code >= 0], return_inverse=True)
    code = code.copy()
    code[code >= 0] = place
    is_kept = cache(_is_kept)  # stacks share most of their frames
    return _distinct(code, [_innermost(known[at], depth, is_kept) for at in used.tolist()], "")


def _of_forward(model: TraceModel, events: HostEvents, code: Rows) -> Rows:
    """Replace recorded stacks in the backward pass; those rebuilt from frames are so already."""
    kind = model.column("host", "kind")[events.row]
    is_node = codes_where(model.values("host", "name"), is_backward_node)
    is_node = is_node[model.column("host", "name")[events.row]] & (kind == kinds.OPERATOR)
    node = np.where(is_node, np.arange(len(code)), nearest_ancestor(events.parent, is_node))
    forward = np.append(linked_forward_rows(model)[events.row], -1)[node]
    sequence = model.column("host", "sequence").astype(np.int64)
    thread = model.column("host", "thread").astype(np.int64)
    width = int(thread.max(initial=0)) + 1
    number = (sequence + 1) * width + thread
    own = number[events.row]
    outside = np.flatnonzero(node < 0)
    known, first = np.unique(own[outside], return_index=True)
    wanted = np.append(number, -1)[np.where(forward >= 0, forward, -1)]
    if not len(known):
        return np.where(node >= 0, -1, code)
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    source = np.where(known[place] == wanted, outside[first[place]], -1)
    return np.where(node >= 0, np.append(code, -1)[source], code)


def _distinct(code: npt.NDArray[Any], texts: list[str], missing: str) -> Key:
    """Return a key with equal numbers for equal texts, and that of `missing` for -1."""
    number = {missing: 0}
    place = [number.setdefault(text, len(number)) for text in texts]
    return Key(np.array([*place, 0], np.int64)[code], list(number))


def _flat(text: str) -> str:
    try:
        found = json.loads(text)
    except ValueError:
        return text
    if not isinstance(found, list):
        return text
    return json.dumps([[] if _is_list_of_lists(one) else one for one in found])


def _is_list_of_lists(shape: Any) -> bool:
    return isinstance(shape, list) and any(isinstance(size, list) for size in shape)


def _innermost(stack: str, depth: int, is_kept: Callable[[str], bool]) -> str:
    frames = (frame.strip() for frame in stack.split(";"))
    return ";".join(islice((frame for frame in frames if is_kept(frame)), depth))


def _is_kept(frame: str) -> bool:
    return bool(frame) and not any(
        path in frame and function in frame for path, function in _LEFT_OUT
    )
