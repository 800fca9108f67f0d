"""Figures of matrix products: mm, addmm, bmm, matmul and linear layers (PyProf's formulas)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.pyprof.calls import Tensor, UnsupportedError, element_bytes
from nbprof.analysis.pyprof.figures import Figures, broadcast, pairs

if TYPE_CHECKING:
    from nbprof.analysis.pyprof.calls import Call
    from nbprof.analysis.pyprof.figures import Formula
    from nbprof.analysis.pyprof.records import Record

_PRODUCT: Final = (
    "gemm",
    "gemv",
    "dot_kernel",
    "splitKreduce_kernel",
    "reduce_1Block_kernel",
    "cutlass",
)
_BIAS: Final = (
    "kernelReduceContigDim",
    "kernelReduceNoncontigDim_shared",
    "elementwise_kernel",
    "reduce_kernel",
    "kernelPointwiseApply2",
    "2d_grouped_direct_kernel",
)
_NO_PRODUCT: Final = ("kernelPointwiseApply2", "reduce_1Block_kernel", "elementwise_kernel")


def linear(call: Call, record: Record) -> Figures:
    """Return the figures of a linear layer: its product, or the kernel that adds the bias.

    The backward pass multiplies twice: for the gradient of the input, then for that of the weight.
    """
    data, weight = call.tensor(0), call.tensor(1)
    if len(weight.shape) != 2 or not data.shape or data.shape[-1] != weight.shape[1]:
        message = f"shapes that do not fit: {data};{weight}"
        raise UnsupportedError(message)
    m, k = weight.shape
    rows = data.shape[:-1]
    n = math.prod(rows)
    size = element_bytes(data.dtype)
    name = record.short_name
    if any(word in name for word in _PRODUCT):
        order: tuple[tuple[str, Any], ...] = (("M", m), ("N", rows), ("K", k))
        if record.is_backward:
            order = (
                (("M", k), ("N", rows), ("K", m))
                if record.ordinal == 0
                else (("M", k), ("N", m), ("K", rows))
            )
        counts = not record.is_backward or record.ordinal < 2
        return Figures(
            2 * m * n * k * counts,
            size * (m * n + m * k + n * k) * counts,
            pairs(*order, dtype=data.dtype),
            multiplies=True,
            operator="linear",
        )
    if any(word in name for word in _BIAS):
        params = pairs(("M", m), ("N", rows), dtype=data.dtype)
        return Figures(m * n, 2 * m * n * size, params, operator="bias")
    message = f"the kernel {name} in a linear layer"
    raise UnsupportedError(message)


def _product(batch: int, a: Tensor, b: Tensor, *, named: bool = False) -> Figures:
    """Return the figures of a product of two matrices, or of a batch of them."""
    (m, k), (other, n) = a.shape[-2:], b.shape[-2:]
    if k != other or a.dtype != b.dtype:
        message = f"operands that do not fit: {a};{b}"
        raise UnsupportedError(message)
    bytes_ = element_bytes(a.dtype) * batch * (m * n + m * k + n * k)
    # Column-major, as cuBLAS sees it.
    order = (("M", n), ("N", m), ("K", k))
    given = (("B", batch), *order) if named else order
    return Figures(2 * batch * m * n * k, bytes_, pairs(*given, dtype=a.dtype), multiplies=True)


def _of_rank(call: Call, first: int, rank: int) -> tuple[Tensor, Tensor]:
    a, b = call.tensor(first), call.tensor(first + 1)
    if len(a.shape) != rank or len(b.shape) != rank or a.shape[:-2] != b.shape[:-2]:
        message = f"operands that do not fit: {a};{b}"
        raise UnsupportedError(message)
    return a, b


def mm(call: Call, record: Record) -> Figures:  # noqa: ARG001 - as all formulas
    """Return the figures of a product of two matrices."""
    return _product(1, *_of_rank(call, 0, 2))


def addmm(call: Call, record: Record) -> Figures:  # noqa: ARG001
    """Return the figures of a product that is added to the first argument, without the sum."""
    return _product(1, *_of_rank(call, 1, 2))


def bmm(call: Call, record: Record) -> Figures:  # noqa: ARG001
    """Return the figures of a batch of products."""
    a, b = _of_rank(call, 0, 3)
    return _product(a.shape[0], a, b, named=True)


def matmul(call: Call, record: Record) -> Figures:
    """Return the figures of a product of vectors, matrices or batches of them.

    PyProf leaves the batch out of the bytes; here it counts.
    """
    a, b = call.tensor(0), call.tensor(1)
    params = pairs(("A", a.shape), ("B", b.shape), dtype=a.dtype)
    if not a.shape or not b.shape:
        message = f"operands that do not fit: {a};{b}"
        raise UnsupportedError(message)
    if any(word in record.short_name for word in _NO_PRODUCT):
        return Figures(0, 2 * a.bytes, params)
    left = Tensor((1, *a.shape) if len(a.shape) == 1 else a.shape, a.dtype)
    right = Tensor((*b.shape, 1) if len(b.shape) == 1 else b.shape, b.dtype)
    batch = broadcast([Tensor(one.shape[:-2], one.dtype) for one in (left, right)]).size
    found = _product(batch, left, right)
    out = batch * left.shape[-2] * right.shape[-1] * element_bytes(a.dtype)
    multiplies = "dot_kernel" not in record.short_name
    return Figures(found.flops, a.bytes + b.bytes + out, params, multiplies)


FORMULAS: Final[dict[str, Formula]] = {
    "linear": linear,
    "mm": mm,
    "addmm": addmm,
    "addmm_": addmm,
    "bmm": bmm,
    "matmul": matmul,
    "__matmul__": matmul,
}
