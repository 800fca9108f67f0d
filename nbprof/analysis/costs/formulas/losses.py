"""Losses and their gradients.

Counted are the operations of the definition for each element of the prediction (Goodfellow et al.,
Deep Learning, 2016, section 6.2), and one addition each for the reduction to a mean or a sum:
squared error 2, absolute error 2, binary cross-entropy 5 (two logarithms, two products, a sum),
Huber and smooth L1 4, Kullback-Leibler 3. Negative log-likelihood selects one value per target.
Gradients take as many operations, and a product with the gradient of the result.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.analysis.costs.inputs import Inputs

_OPERATIONS: Final = {
    "mse_loss": 2,
    "l1_loss": 2,
    "smooth_l1_loss": 4,
    "huber_loss": 4,
    "kl_div": 3,
    "binary_cross_entropy": 5,
    "binary_cross_entropy_with_logits": 6,
    "soft_margin_loss": 4,
}


def _forward(inputs: Inputs) -> Cost:
    """Return the cost of a loss (prediction, target, …, reduction), reduced unless it is 0."""
    n = inputs.count(0)
    word = inputs.operator.removeprefix("aten::")
    numbers = [i for i, kind in enumerate(inputs.types) if kind == "Scalar" and i >= 2]
    reduced = not (numbers and inputs.value(numbers[0]) == 0)
    flops = n * (_OPERATIONS[word] + reduced)
    return Cost(float(flops), inputs.bytes_of(0, 1) + (1 if reduced else n) * inputs.size(0))


def _backward(inputs: Inputs) -> Cost:
    """Return the cost of a gradient (grad_output, prediction, target, …)."""
    n = inputs.count(1)
    word = inputs.operator.removeprefix("aten::").removesuffix("_backward")
    moved = inputs.bytes_of(0, 1, 2) + n * inputs.size(1)
    return Cost(float(n * (_OPERATIONS[word] + 1)), moved)


def _likelihood(inputs: Inputs) -> Cost:
    """Return the cost of nll_loss (prediction, target, weight, reduction, …)."""
    targets = inputs.count(1)
    return Cost(float(2 * targets), targets * inputs.size(0) + inputs.bytes_of(1))


def _likelihood_backward(inputs: Inputs) -> Cost:
    """Return the cost of nll_loss_backward (grad_output, prediction, target, …).

    It writes the whole gradient, most of it zeros, and one value for each target.
    """
    targets = prod(inputs.shape(2))
    return Cost(float(targets), inputs.bytes_of(0, 1, 2))


_COSTS: Final[dict[str, Callable[[Inputs], Cost]]] = {
    **{f"aten::{word}": _forward for word in _OPERATIONS},
    **{f"aten::{word}_backward": _backward for word in _OPERATIONS},
    **dict.fromkeys(("aten::nll_loss", "aten::nll_loss_forward", "aten::nll_loss2d_forward",
                     "aten::nll_loss_nd"), _likelihood),
    **dict.fromkeys(("aten::nll_loss_backward", "aten::nll_loss2d_backward"),
                    _likelihood_backward),
}  # fmt: skip

FORMULA: Final = CostFormula(
    "losses", tuple(_COSTS), lambda inputs: _COSTS[inputs.operator](inputs)
)
