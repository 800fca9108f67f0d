"""Operators that only move data: copies, fills, concatenation, selection by index, sorting.

They have no operations. A copy reads and writes each element, with the type of either side; a fill
only writes. A selection reads the positions and the selected elements, and writes these. Sorting
reads all elements once, and writes values and positions of 8 bytes.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.analysis.costs.inputs import Inputs


#: Bytes of a position.
_POSITION: Final = 8


def _copy(inputs: Inputs) -> Cost:
    """Return the cost of copy_(self, source): the source may be broadcast."""
    return Cost(0.0, inputs.bytes_of(0) + inputs.bytes_of(1))


def _same(inputs: Inputs) -> Cost:
    """Return the cost of reading a tensor and writing one like it."""
    return Cost(0.0, 2 * inputs.bytes_of(0))


def _fill(inputs: Inputs) -> Cost:
    """Return the cost of writing a tensor."""
    return Cost(0.0, inputs.bytes_of(0))


def _concatenate(inputs: Inputs) -> Cost:
    """Return the cost of cat(tensors)."""
    return Cost(0.0, inputs.list_bytes(2 * sum(map(prod, inputs.list(0)))))


def _index_select(inputs: Inputs) -> Cost:
    """Return the cost of index_select(self, dim, index)."""
    shape, selected = inputs.shape(0), inputs.count(2)
    dimension = inputs.number(1) % max(len(shape), 1)
    rest = prod(extent for at, extent in enumerate(shape) if at != dimension)
    return Cost(0.0, 2 * selected * rest * inputs.size(0) + inputs.bytes_of(2))


def _gather(inputs: Inputs) -> Cost:
    """Return the cost of gather(self, dim, index): one element for each position."""
    return Cost(0.0, 2 * inputs.count(2) * inputs.size(0) + inputs.bytes_of(2))


def _scatter(inputs: Inputs) -> Cost:
    """Return the cost of scatter(self, dim, index, source), without the copy of self."""
    adds = inputs.count(2) if "add" in inputs.operator else 0
    passes = 3 if adds else 2
    return Cost(float(adds), passes * inputs.count(2) * inputs.size(0) + inputs.bytes_of(2))


def _put(inputs: Inputs) -> Cost:
    """Return the cost of index_put(self, indices, values, accumulate), indices not recorded."""
    adds = inputs.value(3)
    passes = 3 if adds else 2
    flops = None if adds is None else float(inputs.count(2) if adds else 0)
    return Cost(flops, passes * inputs.bytes_of(2))


def _sort(inputs: Inputs) -> Cost:
    """Return the cost of sort(self, …)."""
    return Cost(0.0, 2 * inputs.bytes_of(0) + _POSITION * inputs.count(0))


def _largest(inputs: Inputs) -> Cost:
    """Return the cost of topk(self, k, dim, …)."""
    shape = inputs.shape(0)
    extent = shape[int(inputs.value(2, -1))] if shape else 1
    found = inputs.count(0) // max(extent, 1) * inputs.number(1)
    return Cost(0.0, inputs.bytes_of(0) + found * (inputs.size(0) + _POSITION))


def _quantize(inputs: Inputs) -> Cost:
    """Return the cost of vLLM's quantization (result, input, scale): a product for each element."""
    return Cost(float(inputs.count(1)), inputs.bytes_of(0, 1, 2))


def _into_cache(inputs: Inputs) -> Cost:
    """Return the cost of writing keys and values to a cache: (key, value, caches, slots, …)."""
    read = inputs.bytes_of(0, 1)
    written = inputs.count(0) * inputs.size(2) + inputs.count(1) * inputs.size(3)
    return Cost(0.0, read + written + inputs.bytes_of(4))


_COSTS: Final[dict[str, Callable[[Inputs], Cost]]] = {
    "aten::copy_": _copy,
    # clone, contiguous and _to_copy copy by copy_, or do nothing
    **dict.fromkeys(("aten::flip", "aten::roll", "aten::triu", "aten::tril"), _same),
    **dict.fromkeys(("aten::fill_", "aten::zero_", "aten::normal_", "aten::uniform_",
                     "aten::random_"), _fill),
    "aten::cat": _concatenate,
    "aten::index_select": _index_select,
    "aten::gather": _gather,
    **dict.fromkeys(("aten::scatter", "aten::scatter_", "aten::scatter_add", "aten::scatter_add_"),
                    _scatter),
    **dict.fromkeys(("aten::index_put_", "aten::_index_put_impl_"), _put),
    "aten::sort": _sort,
    "aten::topk": _largest,
    # one number, copied to the host
    "aten::_local_scalar_dense": _same,
    **dict.fromkeys(("_C::static_scaled_fp8_quant", "_C::dynamic_scaled_fp8_quant"), _quantize),
    "_C_cache_ops::reshape_and_cache_flash": _into_cache,
}  # fmt: skip

FORMULA: Final = CostFormula(
    "movement", tuple(_COSTS), lambda inputs: _COSTS[inputs.operator](inputs)
)
