"""Convolutions of 1 to 3 dimensions: groups, dilation, transposed, bias, forward and backward.

Each element of the result of a convolution is a sum over one window: channels of a group times the
extent of the kernel, which is the product of the extents of the weight but the first. That gives
2·|out|·|weight[1:]| operations. A transposed convolution spreads each element of its input
instead: 2·|in|·|weight[1:]|. A bias and its gradient are elementwise work and a sum, whose
operations are not counted. The gradients by input and by weight repeat the
same products, hence as many operations each (Chellapilla et al., High Performance Convolutional
Neural Networks for Document Processing, 2006; `torch.utils.flop_counter` counts alike).

Padding counts: an implementation that skips it does less. Algorithms with fewer multiplications
(Winograd, FFT) may exceed what a device reaches at its peak.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.analysis.costs.inputs import Inputs, Shape


@dataclass(frozen=True)
class _Arguments:
    """The indices of the arguments of an operator; None where it has none.

    ``transposed`` is True, False, or the index of the argument that says so.
    """

    stride: int | None
    padding: int | None
    dilation: int | None = None
    bias: int | None = None
    output_padding: int | None = None
    groups: int | None = None
    transposed: int | bool = False


#: Orders of arguments, after input and weight.
_FULL: Final = _Arguments(3, 4, 5, bias=2, output_padding=7, groups=8, transposed=6)
_PLAIN: Final = _Arguments(3, 4, 5, bias=2)
_TRANSPOSED: Final = _Arguments(3, 4, 7, bias=2, output_padding=5, groups=6, transposed=True)
_CUDNN: Final = _Arguments(3, 2, 4)
_CUDNN_TRANSPOSED: Final = _Arguments(4, 2, 5, output_padding=3, groups=6, transposed=True)
_CUDNN_FUSED: Final = _Arguments(3, 4, 5, bias=2)
_MIOPEN: Final = _Arguments(4, 3, 5, bias=2)
_MIOPEN_TRANSPOSED: Final = _Arguments(5, 3, 6, bias=2, output_padding=4, groups=7, transposed=True)
_SLOW: Final = _Arguments(4, 5, bias=3)
_DILATED: Final = _Arguments(4, 5, 6, bias=3)
_SLOW_TRANSPOSED: Final = _Arguments(4, 5, 7, bias=3, output_padding=6, transposed=True)

_FORWARD: Final = {
    **dict.fromkeys(("aten::convolution", "aten::_convolution",
                     "aten::convolution_overrideable"), _FULL),
    **dict.fromkeys(("aten::conv1d", "aten::conv2d", "aten::conv3d"), _PLAIN),
    **dict.fromkeys(("aten::conv_transpose1d", "aten::conv_transpose2d",
                     "aten::conv_transpose3d"), _TRANSPOSED),
    "aten::cudnn_convolution": _CUDNN,
    "aten::cudnn_convolution_transpose": _CUDNN_TRANSPOSED,
    "aten::cudnn_convolution_relu": _CUDNN_FUSED,
    **dict.fromkeys(("aten::cudnn_convolution_add_relu", "aten::miopen_convolution_add_relu"),
                    _Arguments(5, 6, 7, bias=4)),
    **dict.fromkeys(("aten::miopen_convolution", "aten::miopen_depthwise_convolution",
                     "aten::mkldnn_convolution", "mkldnn::_convolution_pointwise"), _MIOPEN),
    "aten::miopen_convolution_relu": _CUDNN_FUSED,
    "aten::miopen_convolution_transpose": _MIOPEN_TRANSPOSED,
    **dict.fromkeys(("aten::_slow_conv2d_forward", "aten::thnn_conv2d",
                     "aten::slow_conv3d_forward", "aten::slow_conv3d"), _SLOW),
    **dict.fromkeys(("aten::_conv_depthwise2d", "aten::conv_depthwise3d",
                     "aten::slow_conv_dilated2d", "aten::slow_conv_dilated3d"), _DILATED),
    **dict.fromkeys(("aten::slow_conv_transpose2d", "aten::slow_conv_transpose3d"),
                    _SLOW_TRANSPOSED),
}  # fmt: skip


def _forward(inputs: Inputs) -> Cost:
    arguments = _FORWARD[inputs.operator]
    x, weight = inputs.shape(0), inputs.shape(1)
    transposed = _flag(inputs, arguments.transposed)
    out = _result(inputs, arguments, x, weight, transposed=transposed)
    flops = 2.0 * prod(x if transposed else out) * prod(weight[1:])
    moved = inputs.bytes_of(0, 1) + prod(out) * inputs.size(0)
    if arguments.bias is not None and inputs.has(arguments.bias):
        moved += inputs.bytes_of(arguments.bias)
    return Cost(flops, moved)


def _flag(inputs: Inputs, transposed: int | bool) -> bool:
    """Return whether a convolution is transposed; one whose flag was not recorded is not."""
    return transposed if isinstance(transposed, bool) else inputs.value(transposed) is True


def _result(
    inputs: Inputs, arguments: _Arguments, x: Shape, weight: Shape, *, transposed: bool
) -> Shape:
    """Return the shape of the result, from the arguments or from what the backward pass shows."""
    spatial = len(weight) - 2
    stride = _extents(inputs, arguments.stride, spatial)
    padding = _extents(inputs, arguments.padding, spatial)
    if stride is None or padding is None:
        shown = inputs.result
        if shown and len(shown) == len(x) and shown[: len(x) - spatial - 1] == x[: -spatial - 1]:
            return shown
        message = "stride and padding were not recorded"
        raise LookupError(message)
    dilation = _extents(inputs, arguments.dilation, spatial) or (1,) * spatial
    more = _extents(inputs, arguments.output_padding, spatial) or (0,) * spatial
    extent = _transposed_extent if transposed else _extent
    windows = zip(weight[2:], stride, padding, dilation, more, strict=True)
    extents = map(extent, x[len(x) - spatial :], windows)
    groups = inputs.value(arguments.groups, 1) if arguments.groups is not None else 1
    channels = weight[1] * groups if transposed else weight[0]
    return (*x[: len(x) - spatial - 1], channels, *extents)


def _extent(n: int, window: tuple[int, ...]) -> int:
    k, s, p, d, _ = window
    return (n + 2 * p - d * (k - 1) - 1) // s + 1


def _transposed_extent(n: int, window: tuple[int, ...]) -> int:
    k, s, p, d, more = window
    return (n - 1) * s - 2 * p + d * (k - 1) + more + 1


def _extents(inputs: Inputs, index: int | None, spatial: int) -> tuple[int, ...] | None:
    """Return an argument for each dimension; one number stands for all."""
    if index is None:
        return None
    value = inputs.value(index)
    if isinstance(value, int):
        value = [value]
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, int) for one in value):
        return None
    return tuple(value) * spatial if len(value) == 1 else tuple(value)


def _gradients(inputs: Inputs) -> Cost:
    """Return the cost of convolution_backward: gradients by input, weight and bias as asked for.

    Arguments: grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed,
    output_padding, groups, output_mask.
    """
    gradient, x, weight = (inputs.shape(index) for index in range(3))
    mask = _mask(inputs, 10)
    by_input, by_weight = mask[0], mask[1]
    has_bias = mask[2] if len(mask) > 2 else False
    base = x if _flag(inputs, 7) else gradient
    once = 2.0 * prod(base) * prod(weight[1:])
    flops = once * (by_input + by_weight)
    moved = inputs.bytes_of(0)
    moved += inputs.bytes_of(1) * (by_input + by_weight)  # written; read
    moved += inputs.bytes_of(2) * (by_input + by_weight)  # read; written
    moved += inputs.bytes_of(0) if by_input and by_weight else 0  # read by both
    return Cost(flops, moved + (weight[0] * inputs.size(2) if has_bias else 0))


def _mask(inputs: Inputs, index: int) -> list[bool]:
    value = inputs.value(index)
    if isinstance(value, (list, tuple)) and len(value) >= 2:
        return [bool(one) for one in value]
    return [True, True]


def _both_gradients(inputs: Inputs) -> Cost:
    """Return the cost of an older backward operator: input, grad_output, weight, …, mask."""
    mask = _mask(inputs, len(inputs.shapes) - 1)
    return _gradient(inputs, 1, 0, inputs.shape(2), times=sum(mask[:2]))


def _input_gradient(inputs: Inputs) -> Cost:
    """Return the cost of the gradient by input: input_size, grad_output, weight, …."""
    size = inputs.value(0)
    x = tuple(size) if isinstance(size, list) else _of_caller(inputs, 0)
    weight = inputs.shape(2)
    moved = inputs.bytes_of(1, 2) + prod(x) * inputs.size(1) if x else None
    base = _base(inputs, x, inputs.shape(1))
    return Cost(2.0 * prod(base) * prod(weight[1:]), moved)


def _weight_gradient(inputs: Inputs) -> Cost:
    """Return the cost of the gradient by weight: weight_size, grad_output, input, …."""
    size = inputs.value(0)
    weight = tuple(size) if isinstance(size, list) else _of_caller(inputs, 2)
    if weight is None:
        message = "the shape of the weight was not recorded"
        raise LookupError(message)
    base = _base(inputs, inputs.shape(2), inputs.shape(1))
    moved = inputs.bytes_of(1, 2) + prod(weight) * inputs.size(1)
    return Cost(2.0 * prod(base) * prod(weight[1:]), moved)


def _of_caller(inputs: Inputs, index: int) -> Shape | None:
    """Return the shape of an input of the operator that computes both gradients."""
    around = inputs.around
    return around.shape(index) if around is not None and around.operator in _BOTH else None


def _base(inputs: Inputs, x: Shape | None, gradient: Shape) -> Shape:
    if "transpose" not in inputs.operator:
        return gradient
    if x is None:
        message = "the shape of the input was not recorded"
        raise LookupError(message)
    return x


def _gradient(inputs: Inputs, gradient: int, x: int, weight: Shape, times: int) -> Cost:
    base = _base(inputs, inputs.shape(x), inputs.shape(gradient))
    moved = times * (inputs.bytes_of(gradient, x) + prod(weight) * inputs.size(gradient))
    return Cost(2.0 * times * prod(base) * prod(weight[1:]), moved)


_LIBRARIES: Final = ("cudnn", "miopen", "mkldnn")
_BOTH: Final = frozenset(
    f"aten::{library}_{kind}_backward"
    for library in _LIBRARIES
    for kind in ("convolution", "convolution_transpose", "depthwise_convolution")
)
_COSTS: Final[dict[str, Callable[[Inputs], Cost]]] = {
    **dict.fromkeys(_FORWARD, _forward),
    **dict.fromkeys(
        ("aten::convolution_backward", "aten::convolution_backward_overrideable"), _gradients
    ),
    **dict.fromkeys(sorted(_BOTH), _both_gradients),
    **dict.fromkeys((f"{one}_input" for one in sorted(_BOTH)), _input_gradient),
    **dict.fromkeys(
        (f"{one}_{end}" for one in sorted(_BOTH) for end in ("weight", "weights")),
        _weight_gradient,
    ),
}

FORMULA: Final = CostFormula(
    "convolutions",
    tuple(_COSTS),
    lambda inputs: _COSTS[inputs.operator](inputs),
    is_matrix=True,
    uses_caller=True,
    uses_result=True,
)
