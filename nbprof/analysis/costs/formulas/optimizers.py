"""Optimizers over lists of tensors: ``_foreach_…`` operators, and fused SGD, Adam and Adagrad.

A ``_foreach_`` operator does for each tensor of its lists what its elementwise form does. A fused
step counts the operations of its update rule for each parameter:

- SGD with momentum: buffer ← μ·buffer + (1 - τ)·g; p ← p - η·buffer: 5, and 2 for weight decay
  (Sutskever et al., 2013); bytes: p, g and buffer read, p and buffer written.
- Adam: two moments (3 + 4), the root and its correction (3), the step (3): 13, and 2 for weight
  decay, which counts always as its factor is not looked at (Kingma and Ba, 2015, algorithm 1;
  Loshchilov and Hutter, 2019); bytes: p, g and both moments read, p and both moments written.
- Adagrad: the sum of squares (2), the root (2), the step (3): 7 (Duchi et al., 2011); bytes: p, g
  and the sum read, p and the sum written.

Lists of tensors are recorded without the type of their elements. It is taken from the kernel's name
where that shows it (`Inputs.element`); otherwise bytes are unknown.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula

if TYPE_CHECKING:
    from nbprof.analysis.costs.inputs import Inputs

#: Operators of one function or one operation for each element.
_ONE: Final = (
    "add", "sub", "mul", "div", "neg", "abs", "sqrt", "rsqrt", "exp", "log",
    "reciprocal", "sigmoid", "tanh", "maximum", "minimum", "clamp_min",
    "clamp_max", "pow", "sign", "round", "trunc", "ceil", "floor", "erf",
)  # fmt: skip
#: Operations for an element of the first list.
_FOREACH: Final = {
    **dict.fromkeys(_ONE, 1),
    "norm": 2,
    "lerp": 3,
    "addcmul": 3,
    "addcdiv": 3,
    "copy": 0,
    "zero": 0,
}
#: Operations, and bytes moved in elements, for each parameter of a fused step.
_FUSED: Final = {
    "aten::_fused_sgd_": (7, 5),
    "aten::_fused_adam_": (15, 7),
    "aten::_fused_adamw_": (15, 7),
    "aten::_fused_adagrad_": (7, 5),
}


def _foreach(inputs: Inputs) -> Cost:
    word = inputs.operator.removeprefix("aten::_foreach_").rstrip("_")
    lists = [inputs.list(i) for i in range(len(inputs.shapes)) if inputs.is_list(i)]
    if not lists:
        message = "no list of tensors"
        raise LookupError(message)
    first = sum(map(prod, lists[0]))
    read = sum(prod(shape) for shapes in lists for shape in shapes)
    if word == "zero":
        read = 0
    elif word == "copy":
        read -= first
    written = len(lists[0]) if word == "norm" else first
    return Cost(float(_FOREACH[word] * first), inputs.list_bytes(read + written))


def _fused(inputs: Inputs) -> Cost:
    operations, moves = _FUSED[inputs.operator]
    count = sum(map(prod, inputs.list(0)))
    if inputs.operator == "aten::_fused_sgd_" and not inputs.shapes[2]:  # without momentum
        operations, moves = 4, 3
    return Cost(float(operations * count), inputs.list_bytes(moves * count))


_COSTS: Final = {
    **{f"aten::_foreach_{word}{end}": _foreach for word in _FOREACH for end in ("", "_")},
    **dict.fromkeys(_FUSED, _fused),
}

FORMULA: Final = CostFormula(
    "optimizers", tuple(_COSTS), lambda inputs: _COSTS[inputs.operator](inputs)
)
