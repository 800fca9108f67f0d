"""Operators of FBGEMM for recommendation models: embedding tables, sparse features, fp8 messages.

Signatures are those of FBGEMM (fbgemm_gpu/src and fbgemm_gpu/codegen). Permutations read and write
what they permute. A lookup reads a row of a table for each number and adds up those of each bag.
The widths of tables are known only if all have one width: where the sum of the widths is the
largest width times the number of tables, or, if these were not recorded, where the size of the
tables by the number of their rows, of which row-wise optimizers keep one number each, is the sum of
the widths by the number of tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.analysis.costs.inputs import Inputs

#: Bytes at the end of a row of fp8 numbers: its scale and its offset, two fp32 numbers.
_ROW_PARAMETERS: Final = 8


def _permuted(inputs: Inputs, *, total: int | None = None) -> Cost:
    """Return the cost of permuting features: (permutation, lengths, values, weights, total)."""
    features = inputs.count(0)
    lengths = inputs.shape(1)
    values = inputs.count(2)
    written = inputs.value(total) if total is not None else None
    if not isinstance(written, int):
        if features != lengths[0]:
            message = "how many values the chosen features have was not recorded"
            raise LookupError(message)
        written = values
    each = inputs.size(2) + (inputs.size(3) if inputs.has(3) else 0)
    of_lengths = 2 * features * inputs.count(1) / lengths[0] * inputs.size(1)
    return Cost(0.0, inputs.bytes_of(0) + of_lengths + 2 * written * each)


def _same(inputs: Inputs) -> Cost:
    """Return the cost of reading a tensor and writing one like it."""
    return Cost(0.0, 2 * inputs.bytes_of(0))


def _cumulated(inputs: Inputs) -> Cost:
    """Return the cost of sums of all numbers up to each, with a 0 before them."""
    count = inputs.count(0)
    rows = count // inputs.shape(0)[-1] if count else 0
    return Cost(float(count), (2 * count + rows) * inputs.size(0))


def _checked(inputs: Inputs) -> Cost:
    """Return the cost of reading all numbers and offsets: (rows of tables, numbers, offsets, …)."""
    return Cost(0.0, inputs.bytes_of(0, 1, 2))


def _to_fp8_rows(inputs: Inputs) -> Cost:
    """Return the cost of scaling rows to fp8; rows are padded to 4 bytes, parameters follow."""
    count = inputs.count(0)
    width = inputs.shape(0)[-1]
    rows = count // width
    return Cost(float(count), inputs.bytes_of(0) + rows * (-(-width // 4) * 4 + _ROW_PARAMETERS))


def _from_fp8_rows(inputs: Inputs) -> Cost:
    """Return the cost of scaling rows of fp8 back to fp32."""
    rows = inputs.count(0) // inputs.shape(0)[-1]
    count = inputs.count(0) - rows * _ROW_PARAMETERS
    return Cost(float(count), inputs.bytes_of(0) + 4 * count)


def _to_fp8(inputs: Inputs) -> Cost:
    count = inputs.count(0)
    return Cost(float(count), inputs.bytes_of(0) + count)


def _from_fp8(inputs: Inputs) -> Cost:
    count = inputs.count(0)
    return Cost(float(count), inputs.bytes_of(0) + 4 * count)


def _lookup(inputs: Inputs) -> Cost:
    """Return the cost of a lookup in split tables, whose result is fp32.

    Arguments: tables on the host, on the device and in unified memory, cache, places, offsets of
    tables, offsets of widths, sum of widths, largest width, sums of rows, bits, numbers, offsets
    of bags, pooling mode, weights, …; 20 is the optimizer's first state.
    """
    tables = inputs.count(4)
    numbers = inputs.count(11)
    bags = (inputs.count(12) - 1) // tables
    width = _width(inputs, tables)
    weighted = inputs.has(14)
    table = 1 if inputs.count(1) else 2
    moved = numbers * width * inputs.size(table) + 4 * bags * tables * width
    moved += inputs.bytes_of(11, 12, *((14,) if weighted else ()))
    return Cost(float(numbers * width * (2 if weighted else 1)), moved)


def _width(inputs: Inputs, tables: int) -> int:
    total, largest = inputs.value(7), inputs.value(8)
    if isinstance(total, int) and isinstance(largest, int) and total == tables * largest:
        return largest
    if inputs.result and inputs.has(20) and "rowwise" in inputs.operator:
        width, rest = divmod(inputs.result[-1], tables)
        if not rest and inputs.count(1) == inputs.count(20) * width > 0:
            return width
    message = "the widths of the tables were not recorded"
    raise LookupError(message)


_POOLED: Final = "torch::autograd::CppNode<fbgemm_gpu::PermutePooledEmbsFunction"
_COSTS: Final[dict[str, Callable[[Inputs], Cost]]] = {
    "fbgemm::permute_2D_sparse_data": lambda inputs: _permuted(inputs, total=4),
    "fbgemm::permute_sparse_features": _permuted,
    "fbgemm::permute_pooled_embs": _same,
    "fbgemm::permute_pooled_embs_auto_grad": _same,
    f"{_POOLED}*": _same,
    "fbgemm::recat_embedding_grad_output_mixed_D_batch": _same,
    **dict.fromkeys(("fbgemm::asynchronous_complete_cumsum", "fb::asynchronous_complete_cumsum"),
                    _cumulated),
    "fbgemm::bounds_check_indices": _checked,
    "fbgemm::FloatToFP8RowwiseQuantized": _to_fp8_rows,
    "fbgemm::FP8RowwiseQuantizedToFloat": _from_fp8_rows,
    "fbgemm::FloatToHFP8Quantized": _to_fp8,
    "fbgemm::HFP8QuantizedToFloat": _from_fp8,
    "fbgemm::split_embedding_codegen_lookup_*": _lookup,
}  # fmt: skip


def _cost(inputs: Inputs) -> Cost:
    found = _COSTS.get(inputs.operator)
    if found is None:
        found = _lookup if inputs.operator.startswith("fbgemm::") else _same
    return found(inputs)


FORMULA: Final = CostFormula("sparse_features", tuple(_COSTS), _cost, uses_result=True)
