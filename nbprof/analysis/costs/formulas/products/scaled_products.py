"""Matrix products of scaled 8-bit and 4-bit numbers, and grouped products of experts.

They count as `matrix_products`; scales are read but not counted as operations. A grouped product
multiplies each row with the matrix of its group, so the sizes of the groups do not matter: 2·M·N·K.
Two fp4 values in one byte count as two.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula
from nbprof.analysis.costs.data_types import element_bytes, is_packed_fp4, type_of_code

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.analysis.costs.inputs import Inputs

#: Bytes of an element of the result where its type was not recorded and operands have one byte or
#: less: fp16 or bf16.
_HALF: Final = 2.0
_BYTE_SCALES: Final = (2, 3)


def _scaled(
    inputs: Inputs,
    left: int = 0,
    right: int = 1,
    *,
    scales: tuple[int, ...] = (),
    bias: int | None = None,
    out_type: int | None = None,
    transposed: bool = False,
    result: int | None = None,
) -> Cost:
    """Return the cost of a product whose operands have scales."""
    (m, k), (rows, columns) = inputs.shape(left), inputs.shape(right)
    inner, n = (columns, rows) if transposed else (rows, columns)
    if inner != k:
        message = f"the shapes {inputs.shape(left)} and {inputs.shape(right)} do not fit"
        raise LookupError(message)
    k *= 2 if is_packed_fp4(inputs.type(left)) else 1
    moved = inputs.bytes_of(left, right) + sum(_scale_bytes(inputs, one) for one in scales)
    moved += m * n * _result_size(inputs, left, out_type, result)
    if bias is not None and inputs.has(bias):
        moved += inputs.bytes_of(bias)
    return Cost(2.0 * m * n * k, moved)


def _scale_bytes(inputs: Inputs, index: int) -> float:
    """Return the bytes of the scales of an operand: a tensor, or a list with its recipe after it.

    Blocks of 16 and 32 numbers (`torch.nn.functional.ScalingType` 2 and 3) have scales of a byte;
    0 if the kind of a list was not recorded.
    """
    if inputs.has(index):
        return inputs.bytes_of(index)
    recipe = inputs.value(index + 1)
    if inputs.type(index) != "TensorList" or not isinstance(recipe, list) or not recipe:
        return 0.0
    return float(sum(map(prod, inputs.list(index))) * (1 if recipe[0] in _BYTE_SCALES else 4))


def _result_size(inputs: Inputs, left: int, out_type: int | None, result: int | None) -> float:
    if result is not None:
        return inputs.size(result)
    if out_type is not None:
        size = element_bytes(type_of_code(inputs.value(out_type)))
        if size is not None:
            return size
    return max(inputs.size(left), _HALF)


def _grouped(
    inputs: Inputs, *, offsets: int, bias: int | None = None, scales: tuple[int, ...] = ()
) -> Cost:
    """Return the cost of a product of groups of rows, columns or a batch, divided by offsets.

    Of 2-D and 3-D operands: rows M x K in groups with one matrix K x N each; a batch of both; or K
    in groups, which gives one M x N result for each.
    """
    a, b = inputs.shape(0), inputs.shape(1)
    if is_packed_fp4(inputs.type(0)):  # two values in a byte along K
        a, b = (*a[:-1], 2 * a[-1]), (*b[:-2], 2 * b[-2], b[-1])
    groups = inputs.count(offsets) if inputs.has(offsets) else 1
    if len(a) == 2 and len(b) == 3:
        m, k, n, out = a[0], a[1], b[2], a[0] * b[2]
    elif len(a) == 3 and len(b) == 3:
        m, k, n, out = a[0] * a[1], a[2], b[2], a[0] * a[1] * b[2]
    elif len(a) == 3 and len(b) == 2:
        m, k, n, out = a[1], a[2], b[1], a[1] * b[1]
    else:
        m, k, n, out = a[0], a[1], b[1], groups * a[0] * b[1]
    moved = inputs.bytes_of(0, 1) + out * max(inputs.size(0), _HALF)
    moved += sum(_scale_bytes(inputs, one) for one in scales)
    if bias is not None and inputs.has(bias):
        moved += inputs.bytes_of(bias)
    return Cost(2.0 * m * k * n, moved)


def _int8_packed(inputs: Inputs) -> Cost:
    """Return the cost of a product with an int8 weight N x K and one scale for each row."""
    m, k = inputs.shape(0)
    n = inputs.shape(1)[0]
    return Cost(2.0 * m * n * k, inputs.bytes_of(0, 1, 2) + m * n * inputs.size(0))


def _int4_packed(inputs: Inputs, *, n_at: int = -2) -> Cost:
    """Return the cost of a product with an int4 weight in tiles, two values in a byte.

    The scales and zeros are groups x N x 2, which gives N; or groups x N, and zeros on their own.
    """
    m, k = inputs.shape(0)
    n = inputs.shape(3)[n_at]
    weight = n * k * 0.5
    read = inputs.bytes_of(0, *(one for one in (3, 4) if inputs.has(one)))
    return Cost(2.0 * m * n * k, read + weight + m * n * inputs.size(0))


def _int4_dynamic(inputs: Inputs) -> Cost:
    """Return the cost of a product with packed int4 weights: (input, weight, block, K, N)."""
    k, n = inputs.number(3), inputs.number(4)
    rows = inputs.count(0) // k
    moved = inputs.bytes_of(0) + n * k * 0.5 + rows * n * inputs.size(0)
    return Cost(2.0 * rows * n * k, moved)


_COSTS: Final[dict[str, Callable[[Inputs], Cost]]] = {
    # arguments: self, mat2, scale_a, scale_b, bias, scale_result, out_dtype, …
    "aten::_scaled_mm": lambda i: _scaled(i, scales=(2, 3), bias=4, out_type=6),
    # arguments: self, mat2, scales_a, recipe_a, swizzle_a, the same of b, bias, out_dtype, …
    "aten::_scaled_mm_v2": lambda i: _scaled(i, scales=(2, 5), bias=8, out_type=9),
    # arguments: self, mat2, offsets, bias, out_dtype
    "aten::_grouped_mm": lambda i: _grouped(i, offsets=2, bias=3),
    # arguments: self, mat2, scale_a, scale_b, offsets, bias, …
    "aten::_scaled_grouped_mm": lambda i: _grouped(i, offsets=4, bias=5, scales=(2, 3)),
    "aten::_scaled_grouped_mm_v2": lambda i: _grouped(i, offsets=8, bias=9, scales=(2, 5)),
    "aten::_weight_int8pack_mm": _int8_packed,
    "aten::_weight_int4pack_mm": _int4_packed,
    "aten::_weight_int4pack_mm_for_cpu": _int4_packed,
    "aten::_weight_int4pack_mm_with_scales_and_zeros": lambda i: _int4_packed(i, n_at=-1),
    "aten::_dyn_quant_matmul_4bit": _int4_dynamic,
    # (out, a, b, a_scales, b_scales, bias) of vLLM
    "_C::cutlass_scaled_mm": lambda i: _scaled(i, 1, 2, scales=(3, 4), bias=5, result=0),
    # (XQ, WQ, x_scale, w_scale, out, …) of AITER, with the weight N x K
    **dict.fromkeys(
        ("aiter::gemm_a8w8", "aiter::gemm_a8w8_blockscale", "aiter::gemm_a8w8_ck",
         "aiter::gemm_a8w8_bpreshuffle", "aiter::gemm_a4w4", "aiter::gemm_a4w4_blockscale"),
        lambda i: _scaled(i, scales=(2, 3), transposed=True, result=4 if i.has(4) else None),
    ),
}  # fmt: skip

FORMULA: Final = CostFormula(
    "scaled_products",
    tuple(_COSTS),
    lambda inputs: _COSTS[inputs.operator](inputs),
    is_matrix=True,
)
