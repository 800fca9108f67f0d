"""Figures of reductions, indexing, copies, conversions and optimizers (PyProf's formulas)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.analysis.pyprof.calls import Tensor, UnsupportedError, element_bytes
from nbprof.analysis.pyprof.figures import Figures, listed, once, pairs

if TYPE_CHECKING:
    from nbprof.analysis.pyprof.calls import Call
    from nbprof.analysis.pyprof.figures import Formula
    from nbprof.analysis.pyprof.records import Record

#: Bytes of an index.
_INDEX: Final = 8


def _shape(data: Tensor) -> str:
    return pairs(("T", data.shape), dtype=data.dtype)


def _sum(call: Call, record: Record) -> Figures:
    data = call.tensor(0)
    return Figures(data.size, once(record, data.bytes), _shape(data))


def _mean(call: Call, record: Record) -> Figures:
    data = call.tensor(0)
    size = element_bytes(data.dtype)
    return Figures(once(record, data.size + 1), once(record, data.bytes + size), _shape(data))


def _norm(call: Call, record: Record) -> Figures:
    data = call.tensor(0)
    return Figures(once(record, 2 * data.size + 1), once(record, data.bytes), _shape(data))


def _any(call: Call, record: Record) -> Figures:  # noqa: ARG001 - as all formulas
    data = call.tensor(0)
    return Figures(0, data.bytes, _shape(data))


def _embedding(call: Call, record: Record) -> Figures:
    index, weight = call.tensor(0), call.tensor(1)
    if len(weight.shape) != 2:
        message = f"shapes that do not fit: {index};{weight}"
        raise UnsupportedError(message)
    row = index.size * weight.shape[1] * element_bytes(weight.dtype)
    bytes_ = once(record, 3 * row) if record.is_backward else index.bytes + 2 * row
    return Figures(0, bytes_, listed([index, weight]))


def _cat(call: Call, record: Record) -> Figures:
    tensors = call.tensors
    if not tensors:
        message = "no tensor given to cat"
        raise UnsupportedError(message)
    # After the tensors, which are one argument.
    axis = next((one.value for one in call.arguments if one.kind == "int"), 0)
    axis = len(tensors[0].shape) - 1 if axis == -1 else axis
    bytes_ = once(record, 2 * sum(one.bytes for one in tensors))
    return Figures(0, bytes_, f"T={listed(tensors)},A={axis}")


def _reshape(call: Call, record: Record) -> Figures:  # noqa: ARG001
    return Figures(0, 0, _shape(call.tensor(0)))


def _gather(call: Call, record: Record) -> Figures:  # noqa: ARG001
    data = call.tensor(0)
    return Figures(0, 2 * data.bytes, _shape(data))


def _index_select(call: Call, record: Record) -> Figures:  # noqa: ARG001
    data, index = call.tensor(0), call.tensor(1)
    dim = call.value("dim", 1, 0)
    if not isinstance(dim, int) or not -len(data.shape) <= dim < len(data.shape):
        message = f"dimension {dim!r} of {data}"
        raise UnsupportedError(message)
    shape = list(data.shape)
    shape[dim] = index.size
    params = pairs(("T", data.shape), ("D", dim), ("I", index.size), dtype=data.dtype)
    out = Tensor(tuple(shape), data.dtype)
    return Figures(0, 2 * out.bytes + _INDEX * index.size, params)


def _masked_select(call: Call, record: Record) -> Figures:  # noqa: ARG001
    data, mask = call.tensor(0), call.tensor(1)
    params = pairs(("T", data.shape), ("M", mask.shape), dtype=data.dtype)
    return Figures(0, 2 * data.bytes + mask.size, params)


def _masked_scatter(call: Call, record: Record) -> Figures:
    data = call.tensor(0)
    return Figures(0, once(record, 2 * data.bytes + data.size), _shape(data))


def _nonzero(call: Call, record: Record) -> Figures:
    data = call.tensor(0)
    indices = data.size * len(data.shape) * _INDEX
    return Figures(0, once(record, data.bytes + indices), _shape(data))


def _copy(call: Call, record: Record) -> Figures:  # noqa: ARG001
    target, source = call.tensor(0), call.tensor(1)
    size = element_bytes(target.dtype) + element_bytes(source.dtype)
    return Figures(0, target.size * size, _shape(target))


def _clone(call: Call, record: Record) -> Figures:  # noqa: ARG001
    data = call.tensor(0)
    return Figures(0, 2 * data.bytes, _shape(data))


def _convert(call: Call, record: Record) -> Figures:  # noqa: ARG001
    data = call.tensor(0)
    # The target of `to` is not recorded: its size counts as that of the source.
    target = data.dtype if call.function == "to" else call.function
    return Figures(0, data.bytes + data.size * element_bytes(target), _shape(data))


def _fill(call: Call, record: Record) -> Figures:  # noqa: ARG001
    if call.tensors:
        data = call.tensor(0)
    else:
        sizes = [one.value for one in call.positional if isinstance(one.value, int)]
        lists = [one.value for one in call.positional if one.kind in ("list", "tuple")]
        data = Tensor(tuple(lists[0] if lists else sizes), "float32")
    return Figures(0, data.bytes, _shape(data))


def _randperm(call: Call, record: Record) -> Figures:  # noqa: ARG001
    count = call.value("n", 0, None)
    if not isinstance(count, int):
        message = f"randperm({count!r})"
        raise UnsupportedError(message)
    return Figures(3 * count, _INDEX * count, pairs(("N", count)))


def _adam(call: Call, record: Record) -> Figures:
    """Return the figures of apex's fused Adam: weights, their copy, two moments, gradient."""
    weight, gradient = call.tensor(0), call.tensor(4)
    bytes_ = 6 * weight.bytes + gradient.bytes
    bytes_ += gradient.bytes if gradient.dtype != weight.dtype else 0
    params = pairs(("T", weight.shape), dtype=weight.dtype) + pairs(dtype=gradient.dtype)
    return Figures(0, once(record, bytes_), params)


FORMULAS: Final[dict[str, Formula]] = {
    "sum": _sum,
    "mean": _mean,
    "norm": _norm,
    "any": _any,
    "embedding": _embedding,
    "cat": _cat,
    "reshape": _reshape,
    "gather": _gather,
    "index_select": _index_select,
    "masked_select": _masked_select,
    "masked_scatter_": _masked_scatter,
    "nonzero": _nonzero,
    "copy_": _copy,
    **dict.fromkeys(("clone", "contiguous"), _clone),
    **dict.fromkeys(
        ("byte", "char", "double", "float", "half", "bfloat16", "int", "long", "short", "to"),
        _convert,
    ),
    **dict.fromkeys(("ones", "zeros", "ones_like", "zeros_like", "zero_", "fill_", "full"), _fill),
    "randperm": _randperm,
    "adam": _adam,
}
