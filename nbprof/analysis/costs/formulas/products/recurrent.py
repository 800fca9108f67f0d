"""Recurrent layers of cuDNN and MIOpen: LSTM, GRU and plain, with all layers and directions.

Each weight matrix multiplies every step of every sequence once, the input's and the state's
matrices of all gates alike: two operations for each element of the matrices and each step (cuDNN
documentation, `cudnnRNNMode_t`). The backward pass computes gradients of the inputs and of the
weights, with twice as many. Activations and biases are not counted. The hidden state between layers
stays in caches at best, so bytes are those of the input, the weights and the result.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final, NamedTuple

from nbprof.analysis.costs.cost_formula import Cost, CostFormula

if TYPE_CHECKING:
    from nbprof.analysis.costs.inputs import Inputs


class _Layout(NamedTuple):
    """Where an operator has the size of the hidden state and the flag for both directions."""

    hidden: int
    both: int
    backward: bool = False


_LAYOUTS: Final = {
    "aten::_cudnn_rnn": _Layout(7, 13),
    "aten::_cudnn_rnn_backward": _Layout(11, 17, backward=True),
    "aten::miopen_rnn": _Layout(6, 11),
    "aten::miopen_rnn_backward": _Layout(11, 16, backward=True),
}


def _cost(inputs: Inputs) -> Cost:
    layout = _LAYOUTS[inputs.operator]
    steps = prod(inputs.shape(0)[:-1])
    weights = [shape for shape in inputs.list(1) if len(shape) == 2]
    if not weights:
        message = f"{inputs.operator}: the weights were not recorded"
        raise LookupError(message)
    elements = sum(map(prod, weights))
    hidden = inputs.number(layout.hidden) * (2 if inputs.value(layout.both) else 1)
    moved = inputs.bytes_of(0) + inputs.size(0) * (elements + steps * hidden)
    passes = 2 if layout.backward else 1
    return Cost(2.0 * passes * steps * elements, passes * moved)


FORMULA: Final = CostFormula("recurrent", tuple(_LAYOUTS), _cost, is_matrix=True)
