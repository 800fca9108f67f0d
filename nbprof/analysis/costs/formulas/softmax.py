"""Softmax and log-softmax, forward and backward.

Softmax takes the maximum of a row, subtracts it, applies exp, sums and divides: 5 operations for an
element. Log-softmax subtracts the logarithm of the sum instead: as many. An exp or a logarithm
counts as one operation, as all functions of one element do. Backward, softmax multiplies gradient
and result, sums, subtracts the sum and multiplies: 4; log-softmax sums the gradient, applies exp,
multiplies and subtracts: 4 (Goodfellow et al., Deep Learning, 2016, section 4.1 and 6.2.2.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula

if TYPE_CHECKING:
    from nbprof.analysis.costs.inputs import Inputs

_FORWARD: Final = 5
_BACKWARD: Final = 4


def _cost(inputs: Inputs) -> Cost:
    n = inputs.count(0)
    if inputs.operator.endswith("backward_data"):
        return Cost(float(_BACKWARD * n), inputs.bytes_of(0, 1) + inputs.bytes_of(0))
    to_float = inputs.value(2) is True and inputs.operator.startswith("aten::_")
    written = n * (4 if to_float and inputs.size(0) < 4 else inputs.size(0))
    return Cost(float(_FORWARD * n), inputs.bytes_of(0) + written)


FORMULA: Final = CostFormula(
    "softmax",
    ("aten::softmax", "aten::_softmax", "aten::log_softmax", "aten::_log_softmax",
     "aten::_safe_softmax", "aten::_softmax_backward_data", "aten::_log_softmax_backward_data",
     "aten::_masked_softmax"),
    _cost,
)  # fmt: skip
