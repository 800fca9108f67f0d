"""FLOPs of operators by the rule of PyTorch's profiler, which knows only a few operators.

Trace files do not contain FLOPs: they are computed from shapes and other inputs. Each operator
counts what its own formula gives, so that matrix products inside other operators count once, as
operators of their own. `nbprof.analysis.costs` has formulas for all common operators.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.analysis.operators.key_averages.host_events import HostEvents
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

_CONV_ARGUMENTS: Final = 7


def flops_of(model: TraceModel, events: HostEvents, names: list[str]) -> Rows | None:
    """Return the FLOPs of each call, 0 without a formula; None if no shapes were recorded.

    Parameters
    ----------
    model : TraceModel
        The trace.
    events : HostEvents
        The calls.
    names : list of str
        The names that the calls refer to.

    Returns
    -------
    ndarray of int64, shape (calls,), or None
    """
    shapes = model.column("host", "input_shapes")[events.row]
    if not (shapes >= 0).any():
        return None
    flops = np.zeros(len(shapes), np.int64)
    known = np.array([name in _FORMULAS for name in names], bool)
    rows = np.flatnonzero(known[events.name] & (shapes >= 0) & ~events.is_annotation)
    if not len(rows):
        return flops
    values = model.column("host", "input_values")[events.row[rows]]
    group, first = dense(events.name[rows], shapes[rows], values)
    shape_texts = model.values("host", "input_shapes")
    value_texts = model.values("host", "input_values")
    each = [
        operator_flops(
            names[events.name[rows[at]]],
            shape_texts[shapes[rows[at]]],
            value_texts[values[at]] if values[at] >= 0 else "[]",
        )
        for at in first.tolist()
    ]
    flops[rows] = np.array(each, np.int64)[group]
    return flops


def operator_flops(name: str, shapes: str, values: str = "[]") -> int:
    """Return the FLOPs of a call; 0 without a formula, or if the inputs do not fit it.

    Parameters
    ----------
    name : str
        Name of the operator.
    shapes, values : str
        Shapes of its inputs, and the inputs that are not tensors, as JSON.

    Examples
    --------
    >>> operator_flops("aten::mm", "[[4, 8], [8, 16]]")
    1024
    >>> operator_flops("aten::softmax", "[[4, 8], [], []]")
    0
    """
    formula = _FORMULAS.get(name)
    if formula is None:
        return 0
    try:
        found = formula(json.loads(shapes), json.loads(values))
    except (ValueError, TypeError, IndexError, ZeroDivisionError, OverflowError):
        return 0
    return found if 0 <= found < 1 << 63 else 0


def _product(first: int) -> Callable[[Any, Any], int]:
    """Return the formula for a matrix product of the inputs at `first` and behind it."""

    def formula(shapes: Any, _: Any) -> int:
        left, right = shapes[first], shapes[first + 1]
        if len(left) != 2 or len(right) != 2 or left[1] != right[0]:
            return 0
        return 2 * _numel(left) * int(right[1])

    return formula


def _batched_product(first: int) -> Callable[[Any, Any], int]:
    """Return the formula for a batch of matrix products."""

    def formula(shapes: Any, _: Any) -> int:
        left, right = shapes[first], shapes[first + 1]
        if len(left) != 3 or len(right) != 3 or left[2] != right[1]:
            return 0
        return 2 * _numel(left) * int(right[2])

    return formula


def _elementwise(shapes: Any, _: Any) -> int:
    return _numel(shapes[0])


def _convolution(shapes: Any, values: Any) -> int:
    """Two operations for each weight and each place of the output that it contributes to."""
    image, weight = shapes[0], shapes[1]
    if len(values) < _CONV_ARGUMENTS:
        return 0
    stride, padding, dilation = (_pair(values[at]) for at in (3, 4, 5))
    groups = int(values[6])
    batch, channels, *extent = image
    out_channels, _, *kernel = weight
    out = [
        (size + 2 * pad - step * (width - 1) - 1) // by + 1
        for size, pad, step, width, by in zip(
            extent, padding, dilation, kernel, stride, strict=True
        )
    ]
    places, weights = math.prod(out), math.prod(kernel)
    return int(2 * batch * places * weights * channels * out_channels // groups)


def _pair(value: Any) -> list[int]:
    """Return an argument such as ``"[1, 1]"`` as two numbers."""
    numbers = json.loads(value) if isinstance(value, str) else value
    if isinstance(numbers, int):
        return [numbers, numbers]
    return [int(numbers[0]), int(numbers[-1])]


def _numel(shape: Any) -> int:
    """Return the number of elements of a tensor; a shape of a list of tensors is an error."""
    sizes = [int(size) for size in shape]
    return math.prod(sizes)


_FORMULAS: Final[dict[str, Callable[[Any, Any], int]]] = {
    "aten::conv2d": _convolution,
    "aten::mm": _product(0),
    "aten::addmm": _product(1),
    "aten::bmm": _batched_product(0),
    "aten::baddbmm": _batched_product(1),
    "aten::add": _elementwise,
    "aten::mul": _elementwise,
}
