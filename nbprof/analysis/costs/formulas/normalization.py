"""Normalization: batch, layer, group, instance and RMS norms, forward and backward.

Of n elements in groups with a mean and a variance each, the forward pass takes one addition for the
mean; a subtraction, a multiplication and an addition for the variance; a subtraction and a
multiplication to normalize: 6·n; with a weight and a bias n more each (Ioffe and Szegedy, 2015,
algorithm 1; Ba et al., 2016). With recorded statistics (evaluation) the first four do not occur.
RMS norm needs no mean: 3·n, and n for the weight (Zhang and Sennrich, 2019). The backward pass
takes 11·n for the gradient by input: the normalized input again (2), the product with the weight
(1), two sums over a group (3) and their combination (5); the gradient of the weight takes 2·n and
that of the bias n. Statistics of groups, of which there are few, do not count.

Bytes are those of the input, the result, the weight and the bias; backward of the gradient and the
input read, and the gradients written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.analysis.costs.inputs import Inputs

_MEAN_AND_VARIANCE: Final = 4
_NORMALIZE: Final = 2
_INPUT_GRADIENT: Final = 11
_RMS: Final = 3
_RMS_INPUT_GRADIENT: Final = 8


def _forward(
    inputs: Inputs, weight: int = 1, bias: int | None = 2, *, training: int | None = None
) -> Cost:
    n = inputs.count(0)
    given = [one for one in (weight, bias) if one is not None and inputs.has(one)]
    per_element = _NORMALIZE + len(given)
    if training is None or inputs.value(training, default=True):
        per_element += _MEAN_AND_VARIANCE
    return Cost(float(n * per_element), 2 * inputs.bytes_of(0) + inputs.bytes_of(*given))


def _backward(
    inputs: Inputs, x: int, weight: int | None, mask: int | None, *, gradient: int = 0
) -> Cost:
    n = inputs.count(x)
    wanted = inputs.value(mask) if mask is not None else None
    if not isinstance(wanted, list):
        has_weight = weight is not None and inputs.has(weight)
        wanted = [True, has_weight, has_weight]
    by_input, by_weight, by_bias = (*wanted, False, False)[:3]
    flops = n * (_INPUT_GRADIENT * bool(by_input) + 2 * bool(by_weight) + bool(by_bias))
    moved = inputs.bytes_of(gradient, x) + (inputs.bytes_of(x) if by_input else 0)
    if weight is not None and inputs.has(weight):
        moved += inputs.bytes_of(weight) * (1 + bool(by_weight) + bool(by_bias))
    return Cost(float(flops), moved)


def _rms(inputs: Inputs, x: int, weight: int, moves: int = 2) -> Cost:
    """Return the cost of an RMS norm that reads or writes so many tensors like its input."""
    n = inputs.count(x)
    given = [weight] if inputs.has(weight) else []
    added = n if moves > 2 else 0
    return Cost(
        float(n * (_RMS + len(given)) + added), moves * inputs.bytes_of(x) + inputs.bytes_of(*given)
    )


def _rms_backward(inputs: Inputs) -> Cost:
    """Arguments: grad_out, input, normalized_shape, rstd, weight, output_mask."""
    n = inputs.count(1)
    weight = [4] if inputs.has(4) else []
    flops = n * (_RMS_INPUT_GRADIENT + 2 * len(weight))
    return Cost(float(flops), inputs.bytes_of(0, 1) + inputs.bytes_of(1, *weight, *weight))


_BATCH: Final = ("aten::native_batch_norm", "aten::cudnn_batch_norm", "aten::miopen_batch_norm",
                 "aten::_native_batch_norm_legit", "aten::batch_norm",
                 "aten::_batch_norm_with_update")  # fmt: skip

_COSTS: Final[dict[str, Callable[[Inputs], Cost]]] = {
    **dict.fromkeys(_BATCH, lambda i: _forward(i, training=5)),
    "aten::_batch_norm_impl_index": lambda i: _forward(i, training=5),
    "aten::_batch_norm_no_update": _forward,
    "aten::instance_norm": lambda i: _forward(i, training=5),
    "aten::native_layer_norm": lambda i: _forward(i, 2, 3),
    "aten::layer_norm": lambda i: _forward(i, 2, 3),
    "aten::native_group_norm": lambda i: _forward(i, 1, 2),
    "aten::group_norm": lambda i: _forward(i, 2, 3),
    "aiter::_groupnorm_run": lambda i: _forward(i, 2, 3),
    # arguments: grad_out, input, weight, four statistics, train, eps, mask
    "aten::native_batch_norm_backward": lambda i: _backward(i, 1, 2, 9),
    "aten::batch_norm_backward": lambda i: _backward(i, 1, 2, 9),
    # arguments: input, grad_output, weight, …
    "aten::cudnn_batch_norm_backward": lambda i: _backward(i, 0, 2, None, gradient=1),
    "aten::miopen_batch_norm_backward": lambda i: _backward(i, 0, 2, None, gradient=1),
    # arguments: grad_out, input, normalized_shape, mean, rstd, weight, bias, mask
    "aten::native_layer_norm_backward": lambda i: _backward(i, 1, 5, 7),
    # arguments: grad_out, input, mean, rstd, weight, N, C, HxW, group, mask
    "aten::native_group_norm_backward": lambda i: _backward(i, 1, 4, 9),
    # arguments: input, normalized_shape, weight, eps
    **dict.fromkeys(("aten::rms_norm", "aten::_fused_rms_norm"), lambda i: _rms(i, 0, 2)),
    "aten::_fused_rms_norm_backward": _rms_backward,
    # (result, input, weight, epsilon) and (input, residual, weight, epsilon) of vLLM
    "_C::rms_norm": lambda i: _rms(i, 1, 2),
    "_C::fused_add_rms_norm": lambda i: _rms(i, 0, 2, moves=4),
    "aiter::rms_norm": lambda i: _rms(i, 0, 1),
}

FORMULA: Final = CostFormula(
    "normalization", tuple(_COSTS), lambda inputs: _COSTS[inputs.operator](inputs)
)
