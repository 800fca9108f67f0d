"""Embeddings: rows of a table, selected by number, and their gradients.

Selecting takes no operations; each row is read and written once. The gradient adds a row for each
number, and its result has the size of the table, which is set to zero first. A bag adds up the rows
of each bag (PyTorch documentation of `Embedding` and `EmbeddingBag`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.analysis.costs.inputs import Inputs


def _embedding(inputs: Inputs) -> Cost:
    """Return the cost of embedding(weight, indices, …)."""
    rows = inputs.count(1) * inputs.shape(0)[1] * inputs.size(0)
    return Cost(0.0, 2 * rows + inputs.bytes_of(1))


def _dense_backward(inputs: Inputs) -> Cost:
    """Return the cost of embedding_dense_backward(grad_output, indices, num_weights, …)."""
    rows = inputs.number(2)
    gradient = inputs.count(0)
    table = rows * inputs.shape(0)[-1] * inputs.size(0)
    return Cost(float(gradient), 2 * inputs.bytes_of(0) + inputs.bytes_of(1) + table)


def _bag(inputs: Inputs) -> Cost:
    """Return the cost of _embedding_bag(weight, indices, offsets, …)."""
    width = inputs.shape(0)[1]
    selected = inputs.count(1) * width
    moved = (selected + inputs.count(2) * width) * inputs.size(0) + inputs.bytes_of(1, 2)
    return Cost(float(selected), moved)


_COSTS: Final[dict[str, Callable[[Inputs], Cost]]] = {
    "aten::embedding": _embedding,
    "aten::embedding_dense_backward": _dense_backward,
    **dict.fromkeys(("aten::embedding_bag", "aten::_embedding_bag",
                     "aten::_embedding_bag_forward_only"), _bag),
}  # fmt: skip

FORMULA: Final = CostFormula(
    "embeddings", tuple(_COSTS), lambda inputs: _COSTS[inputs.operator](inputs)
)
