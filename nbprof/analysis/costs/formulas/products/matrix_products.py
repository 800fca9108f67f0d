"""Matrix products: mm, addmm, bmm, baddbmm, linear, matmul, mv, dot, einsum.

A product of M x K and K x N takes M·N·K multiplications with additions, hence 2·M·N·K operations
(Golub and Van Loan, Matrix Computations, 1.1.11). A bias and the factors beta and alpha are
elementwise work, whose operations are not counted (see `elementwise`). Bytes are those of the
operands, the bias, unless beta is 0, and the result.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula, in_place

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.analysis.costs.inputs import Inputs, Shape


#: Bytes of an element of the result of integers.
_INTEGER: Final = 4


def _product(
    inputs: Inputs, left: int, right: int, *, bias: int | None = None, transposed: bool = False
) -> Cost:
    """Return the cost of ``left @ right (+ bias)``, with broadcast batch dimensions.

    Parameters
    ----------
    inputs : Inputs
        The inputs.
    left, right : int
        Indices of the operands.
    bias : int, optional
        Index of a tensor that is added, if it was given.
    transposed : bool, optional
        Whether the right operand is N x K, as the weight of a linear layer.
    """
    a, b = inputs.shape(left), inputs.shape(right)
    batch, m, k, n = _extents(a, b, transposed=transposed)
    out = batch * m * n
    size = _INTEGER if inputs.operator == "aten::_int_mm" else inputs.size(left)
    moved = inputs.bytes_of(left, right) + out * size
    if bias is not None and inputs.has(bias):
        moved += inputs.bytes_of(bias)
    return Cost(2.0 * out * k, moved)


def _with_beta(inputs: Inputs) -> Cost:
    """Return the cost of ``beta · bias + alpha · (left @ right)``: (bias, left, right, beta, …)."""
    return _product(inputs, 1, 2, bias=None if inputs.value(3) == 0 else 0)


def _extents(a: Shape, b: Shape, *, transposed: bool) -> tuple[int, int, int, int]:
    """Return batch, M, K and N as `torch.matmul` defines them for any number of dimensions."""
    if not a or not b:
        message = "a product of scalars"
        raise LookupError(message)
    if transposed and len(b) > 1:
        b = (*b[:-2], b[-1], b[-2])
    k = a[-1]
    m = a[-2] if len(a) > 1 else 1
    n = b[-1] if len(b) > 1 else 1
    if k != (b[-2] if len(b) > 1 else b[-1]):
        message = f"the shapes {a} and {b} do not fit"
        raise LookupError(message)
    return prod(broadcast(a[:-2], b[:-2])), m, k, n


def broadcast(*shapes: Shape) -> Shape:
    """Return the shape of tensors that are broadcast together.

    Raises
    ------
    LookupError
        They do not fit.
    """
    length = max(map(len, shapes), default=0)
    padded = [(1,) * (length - len(shape)) + shape for shape in shapes]
    result = []
    for extents in zip(*padded, strict=True):
        wide = {extent for extent in extents if extent != 1}
        if len(wide) > 1:
            message = f"the shapes {shapes} do not fit"
            raise LookupError(message)
        result.append(wide.pop() if wide else 1)
    return tuple(result)


def _einsum(inputs: Inputs) -> Cost:
    """Return the cost of an einsum of two tensors whose equation was recorded.

    Each index is visited once for every value of all others; indices of one operand only are summed
    first and hardly count.
    """
    equation = inputs.value(0)
    shapes = inputs.list(1)
    if not isinstance(equation, str) or len(shapes) != 2 or "." in equation:
        message = "an equation of two terms"
        raise LookupError(message)
    terms, _, result = equation.replace(" ", "").partition("->")
    names = terms.split(",")
    extent = {
        name: size
        for term, shape in zip(names, shapes, strict=True)
        for name, size in zip(term, shape, strict=True)
    }
    shared = set(names[0]) & set(names[1])
    used = shared | set(result)
    flops = 2.0 * prod(extent[name] for name in used)
    return Cost(flops, None)


def _batched_sum(inputs: Inputs) -> Cost:
    """Return the cost of addbmm, which sums the products of a batch."""
    batch, m, k = inputs.shape(1)
    n = inputs.shape(2)[2]
    moved = inputs.bytes_of(0, 1, 2) + m * n * inputs.size(1)
    return Cost(2.0 * batch * m * n * k, moved)


def _outer(inputs: Inputs) -> Cost:
    """Return the cost of an outer product, which only multiplies."""
    out = inputs.count(0) * inputs.count(1)
    return Cost(float(out), inputs.bytes_of(0, 1) + out * inputs.size(0))


_PLAIN: Final = ("aten::mm", "aten::bmm", "aten::matmul", "aten::mv", "aten::dot", "aten::vdot",
                 "aten::inner", "aten::_int_mm", "aten::chain_matmul", "torch::matmul")  # fmt: skip
_WITH_BIAS: Final = in_place(("aten::addmm", "aten::baddbmm", "aten::addmv"))
_LINEAR: Final = ("aten::linear", "aten::mkldnn_linear", "mkldnn::_linear_pointwise",
                  "vllm::rocm_unquantized_gemm")  # fmt: skip

_COSTS: Final[dict[str, Callable[[Inputs], Cost]]] = {
    **dict.fromkeys(_PLAIN, lambda inputs: _product(inputs, 0, 1)),
    **dict.fromkeys((*_WITH_BIAS, "aten::_addmm_activation"), _with_beta),
    **dict.fromkeys(_LINEAR, lambda inputs: _product(inputs, 0, 1, bias=2, transposed=True)),
    **dict.fromkeys(in_place(("aten::addbmm",)), _batched_sum),
    **dict.fromkeys(("aten::outer", "aten::ger"), _outer),
    "aten::einsum": _einsum,
}

FORMULA: Final = CostFormula(
    "matrix_products",
    tuple(_COSTS),
    lambda inputs: _COSTS[inputs.operator](inputs),
    is_matrix=True,
)
