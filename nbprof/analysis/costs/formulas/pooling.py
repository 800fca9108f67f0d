"""Pooling: maxima and means over windows, and their gradients.

Each result takes one operation for every element of its window (Goodfellow et al., Deep Learning,
2016, section 9.3). Backward, each gradient is added once for a maximum, and once for every element
of its window for a mean. Maxima also write or read a position of 8 bytes for each result.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.analysis.costs.inputs import Inputs

_POSITION_BYTES: Final = 8


def _windows(
    inputs: Inputs, dims: int, *, has_dilation: bool, position_bytes: int, ceil: int
) -> Cost:
    """Return the cost of pooling: input, kernel_size, stride, padding, (dilation), ceil_mode."""
    x = inputs.shape(0)
    kernel = _extents(inputs, 1, dims)
    if kernel is None:
        message = "the size of the window was not recorded"
        raise LookupError(message)
    stride = _extents(inputs, 2, dims) or kernel
    padding = _extents(inputs, 3, dims) or (0,) * dims
    dilation = (_extents(inputs, 4, dims) if has_dilation else None) or (1,) * dims
    is_up = inputs.value(ceil) is True
    extents = []
    for n, k, s, p, d in zip(x[-dims:], kernel, stride, padding, dilation, strict=True):
        room = n + 2 * p - d * (k - 1) - 1
        count = (room + s - 1 if is_up else room) // s + 1
        if is_up and (count - 1) * s >= n + p:  # a window has to begin inside the input
            count -= 1
        extents.append(count)
    results = prod(x[:-dims]) * prod(extents)
    moved = inputs.bytes_of(0) + results * (inputs.size(0) + position_bytes)
    return Cost(float(results * prod(kernel)), moved)


def _extents(inputs: Inputs, index: int, dims: int) -> tuple[int, ...] | None:
    value = inputs.value(index)
    values = [value] if isinstance(value, int) else value
    if not isinstance(values, list) or not values:
        return None
    return tuple(values) * dims if len(values) == 1 else tuple(values)


def _adaptive(inputs: Inputs, dims: int) -> Cost:
    """Return the cost of adaptive means, whose windows together cover the input about once."""
    x = inputs.shape(0)
    sizes = _extents(inputs, 1, dims)
    if sizes is None:
        message = "the size of the result was not recorded"
        raise LookupError(message)
    results = prod(x[:-dims]) * prod(sizes)
    return Cost(float(inputs.count(0)), inputs.bytes_of(0) + results * inputs.size(0))


def _mean_backward(inputs: Inputs) -> Cost:
    """Return the cost of a gradient: grad_output, input, …."""
    return Cost(float(inputs.count(1)), inputs.bytes_of(0) + inputs.bytes_of(1))


def _maximum_backward(inputs: Inputs) -> Cost:
    """Return the cost of a gradient: grad_output, input, …, positions."""
    gradient = inputs.count(0)
    moved = inputs.bytes_of(0) + gradient * _POSITION_BYTES + inputs.bytes_of(1)
    return Cost(float(gradient), moved)


def _of(dims: int) -> dict[str, Callable[[Inputs], Cost]]:
    """Return the costs by operator, for windows of so many dimensions."""

    def mean(inputs: Inputs) -> Cost:
        return _windows(inputs, dims, has_dilation=False, position_bytes=0, ceil=4)

    def maximum(inputs: Inputs) -> Cost:
        return _windows(inputs, dims, has_dilation=True, position_bytes=_POSITION_BYTES, ceil=5)

    def adaptive(inputs: Inputs) -> Cost:
        return _adaptive(inputs, dims)

    return {
        f"aten::avg_pool{dims}d": mean,
        f"aten::_adaptive_avg_pool{dims}d": adaptive,
        f"aten::max_pool{dims}d_with_indices": maximum,
        f"aten::avg_pool{dims}d_backward": _mean_backward,
        f"aten::_adaptive_avg_pool{dims}d_backward": _mean_backward,
        f"aten::max_pool{dims}d_with_indices_backward": _maximum_backward,
    }


_COSTS: Final[dict[str, Callable[[Inputs], Cost]]] = {**_of(1), **_of(2), **_of(3)}

FORMULA: Final = CostFormula(
    "pooling", tuple(_COSTS), lambda inputs: _COSTS[inputs.operator](inputs)
)
