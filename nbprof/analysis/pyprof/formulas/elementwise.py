"""Figures of pointwise functions, activations, normalization, softmax and losses (PyProf's)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.analysis.pyprof.calls import Tensor, UnsupportedError, element_bytes
from nbprof.analysis.pyprof.figures import Figures, broadcast, listed, once, operands, pairs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nbprof.analysis.pyprof.calls import Call
    from nbprof.analysis.pyprof.figures import Formula
    from nbprof.analysis.pyprof.records import Record

_IN_PLACE: Final = "_"


def _words(text: str, *, dunder: str = "") -> list[str]:
    """Return names, those in place, and those of Python's operators."""
    names = text.split()
    return [*names, *(name + _IN_PLACE for name in names), *(f"__{n}__" for n in dunder.split())]


_SIMPLE: Final = _words(
    "abs neg reciprocal ceil clamp floor frac round sign trunc", dunder="abs neg invert"
)
#: Functions that take some 20 operations an element.
_COSTLY: Final = _words(
    "exp expm1 log log2 log10 log1p sqrt rsqrt erf erfc erfinv acos asin atan atan2 cos cosh sin"
    " sinh tan tanh sigmoid"
)
_SUMS: Final = _words("add sub", dunder="add sub radd rsub iadd isub")
_PRODUCTS: Final = _words(
    "mul div", dunder="mul rmul imul truediv rtruediv itruediv rdiv floordiv rfloordiv"
)
_OTHER_BINARY: Final = _words("remainder fmod", dunder="mod")
_COMPARED: Final = _words("lt gt ge le eq ne", dunder="lt gt ge le eq ne")
_LOGICAL: Final = _words("", dunder="and or xor lshift rshift iand ior ixor ilshift irshift")
_POWERS: Final = _words("pow", dunder="pow rpow")
_TERNARY: Final = _words("addcdiv addcmul")
_ACTIVATIONS: Final = _words(
    "celu elu hardshrink hardtanh leaky_relu logsigmoid prelu relu relu6 rrelu selu softplus"
    " softshrink softsign tanhshrink threshold gelu silu mish hardswish hardsigmoid"
)


def _unary(cost: int) -> Formula:
    def figures(call: Call, record: Record) -> Figures:  # noqa: ARG001 - as all formulas
        given = operands(call)
        if not given:
            message = f"no tensor given to {call.function}"
            raise UnsupportedError(message)
        return Figures(cost * given[0].size, 2 * given[0].bytes, listed(given))

    return figures


def _binary(call: Call, record: Record) -> Figures:
    """Return the figures of a function of two operands.

    ``add(a, alpha, b)``, which old optimizers call, multiplies and adds.
    """
    given = operands(call)
    if len(given) == 3 and call.function in _SUMS and not given[1].shape:
        a, _, b = given
        out = broadcast([a, b])
        return Figures(2 * out.size, a.bytes + b.bytes + out.bytes, listed(given))
    if len(given) < 2:
        message = f"{len(given)} operands given to {call.function}"
        raise UnsupportedError(message)
    pair = given[:2]
    out = broadcast(pair)
    if not record.is_backward:
        result = Tensor(out.shape, "bool") if call.function in _COMPARED else out
        return Figures(out.size, sum(one.bytes for one in pair) + result.bytes, listed(given))
    if call.function in _SUMS:
        return Figures(0, 2 * out.bytes, listed(given))
    if call.function in _PRODUCTS:
        return Figures(out.size, 3 * out.bytes, listed(given))
    message = f"backward of {call.function}"
    raise UnsupportedError(message)


def _power(call: Call, record: Record) -> Figures:  # noqa: ARG001
    given = operands(call)
    if len(given) < 2:
        message = f"{len(given)} operands given to {call.function}"
        raise UnsupportedError(message)
    out = broadcast(given[:2])
    return Figures(20 * out.size, sum(t.bytes for t in given[:2]) + out.bytes, listed(given))


def _ternary(call: Call, record: Record) -> Figures:  # noqa: ARG001
    given = operands(call)
    tensors = [one for one in given if one.shape]
    if len(tensors) != 3:
        message = f"{len(tensors)} tensors given to {call.function}"
        raise UnsupportedError(message)
    out = broadcast(tensors)
    return Figures(3 * out.size, sum(t.bytes for t in tensors) + out.bytes, listed(given))


def _activation(call: Call, record: Record) -> Figures:
    data = call.tensor(0)
    return Figures(data.size, data.bytes * (3 if record.is_backward else 2), listed([data]))


def _dropout(call: Call, record: Record) -> Figures:  # noqa: ARG001
    data = call.tensor(0)
    return Figures(5 * data.size, 2 * data.bytes, listed([data]))


def _batch_norm(call: Call, record: Record) -> Figures:
    data = call.tensor(0)
    bytes_ = once(record, data.bytes * (5 if record.is_backward else 4))
    return Figures(8 * data.size, bytes_, listed([data]))


def _softmax(cost: int) -> Formula:
    def figures(call: Call, record: Record) -> Figures:
        data = call.tensor(0)
        passes = 5 if record.is_backward else 3
        return Figures(cost * data.size, passes * data.bytes, listed([data]))

    return figures


def _mse_loss(call: Call, record: Record) -> Figures:
    data = call.tensor(0)
    reduction = str(call.value("reduction", 4, "mean"))
    passes = 3 if record.is_backward or reduction == "none" else 2
    passes += record.is_backward and reduction == "none"
    elements = data.size * passes
    params = pairs(("T", data.shape), dtype=data.dtype) + f"red={reduction},"
    return Figures(2 * elements + 1, elements * element_bytes(data.dtype), params)


def _formulas(names: Iterable[str], formula: Formula) -> dict[str, Formula]:
    return dict.fromkeys(names, formula)


FORMULAS: Final[dict[str, Formula]] = {
    **_formulas(_SIMPLE, _unary(1)),
    **_formulas(_COSTLY, _unary(20)),
    **_formulas((*_SUMS, *_PRODUCTS, *_OTHER_BINARY, *_COMPARED, *_LOGICAL), _binary),
    **_formulas(_POWERS, _power),
    **_formulas(_TERNARY, _ternary),
    **_formulas(_ACTIVATIONS, _activation),
    "dropout": _dropout,
    "batch_norm": _batch_norm,
    "softmax": _softmax(40),
    "log_softmax": _softmax(21),
    "mse_loss": _mse_loss,
}
