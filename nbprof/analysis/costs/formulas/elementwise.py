"""Elementwise operators of one, two or three tensors, with the types that were recorded.

They have bytes and count no operations: for one element a device executes none (``relu``) to some
twenty (``gelu``), as hardware counters show, and there is no agreed number. Bytes are those of all
tensors read, and of the result, whose shape follows by broadcasting (NumPy's rules) and whose type
is the widest of the tensors with a dimension.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula, in_place
from nbprof.analysis.costs.formulas.products.matrix_products import broadcast

if TYPE_CHECKING:
    from nbprof.analysis.costs.inputs import Inputs


def _names(words: str) -> tuple[str, ...]:
    return in_place(f"aten::{word}" for word in words.split())


#: Operators that may have ``out=`` as their last argument.
_PLAIN: Final = _names(
    "abs neg reciprocal ceil floor round trunc frac sign sgn exp exp2 expm1 log log2 log10"
    " log1p sqrt rsqrt square sin cos tan asin acos atan sinh cosh tanh erf erfc erfinv"
    " sigmoid relu relu6 elu celu selu leaky_relu hardtanh hardsigmoid softplus logit digamma"
    " lgamma clamp clamp_min clamp_max threshold add sub rsub mul div true_divide remainder"
    " fmod pow atan2 maximum minimum fmax fmin bitwise_and bitwise_or bitwise_xor bitwise_not"
    " floor_divide prelu _prelu_kernel nan_to_num hypot logaddexp __rsub__ bitwise_left_shift"
    " bitwise_right_shift"
)
_COMPARISONS: Final = _names(
    "eq ne lt le gt ge logical_and logical_or logical_xor logical_not isnan isinf isfinite __and__"
    " __or__"
)
_ROTARY: Final = "_C::rotary_embedding"
_OPERATORS: Final = (
    *_PLAIN,
    *_COMPARISONS,
    *_names("where masked_fill silu mish hardswish addcmul addcdiv lerp gelu bernoulli"),
    *(f"aten::{word}_backward" for word in ("threshold", "hardtanh", "leaky_relu", "relu",
      "sigmoid", "tanh", "gelu", "silu", "native_dropout")),
    *("aten::native_dropout", "aten::masked_scale", "aten::_fused_dropout", _ROTARY),
)  # fmt: skip
#: Operators whose second result is a mask of one byte for each element.
_WITH_MASK: Final = frozenset({"aten::native_dropout", "aten::_fused_dropout"})
#: Tensors that all have to be of the shape of the result: those that select values.
_BOOLEAN: Final = frozenset(_COMPARISONS)


def _cost(inputs: Inputs) -> Cost:
    if inputs.operator == _ROTARY:  # (positions, query, key, head_size, cache, …)
        n = inputs.count(1) + (inputs.count(2) if inputs.has(2) else 0)
        return Cost(0.0, 2 * n * inputs.size(1))
    given = [i for i in inputs.tensors() if i < _arguments(inputs)]
    if not given:
        message = "no tensor"
        raise LookupError(message)
    shapes = [inputs.shape(index) for index in given]
    # In-place operators have the shape and type of their first tensor.
    is_in_place = inputs.operator.endswith("_")
    count = prod(shapes[0] if is_in_place else broadcast(*shapes))
    written = count * _result_size(inputs, given, is_in_place=is_in_place)
    if inputs.operator in _WITH_MASK:
        written += count
    return Cost(0.0, inputs.bytes_of(*given) + written)


def _arguments(inputs: Inputs) -> int:
    """Return the number of arguments without a tensor for the result, which ``out=`` appends."""
    last = len(inputs.shapes) - 1
    is_out = last >= 2 and inputs.has(last) and inputs.operator in _PLAIN
    return last if is_out else last + 1


def _result_size(inputs: Inputs, given: list[int], *, is_in_place: bool) -> float:
    if is_in_place:
        return inputs.size(given[0])
    if inputs.operator in _BOOLEAN:
        return 1
    # Tensors without dimensions do not widen the type of others, and conditions are no values.
    first = 1 if inputs.operator == "aten::where" and len(given) > 1 else 0
    wide = [inputs.size(index) for index in given[first:] if inputs.shape(index)]
    return max(wide or [inputs.size(given[first])])


FORMULA: Final = CostFormula("elementwise", _OPERATORS, _cost)
