"""Reductions: sums, means, extremes, norms, variances, and running sums.

A sum of n elements takes n additions (n - 1, and one for the first), and so do extremes; a mean has
one division for each result; a norm multiplies and adds; a variance takes the mean and the squared
distances: 4·n. Bytes are those of the input and of the result, whose shape follows from the
dimensions that were reduced, if their numbers were recorded.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula

if TYPE_CHECKING:
    from nbprof.analysis.costs.inputs import Inputs


def _names(words: str) -> tuple[str, ...]:
    return tuple(f"aten::{word}" for word in words.split())


#: Operations per element of the input, by operator.
_OPERATIONS: Final = {
    **dict.fromkeys(
        _names("sum mean nansum max min amax amin aminmax argmax argmin prod cumsum cumprod"
               " count_nonzero cumsum_ logcumsumexp"), 1
    ),
    **dict.fromkeys(_names("all any"), 1),
    **dict.fromkeys(_names("norm linalg_vector_norm"), 2),
    **dict.fromkeys(_names("logsumexp"), 3),
    **dict.fromkeys(_names("var std var_mean std_mean"), 4),
}  # fmt: skip
_RUNNING: Final = frozenset(_names("cumsum cumprod cumsum_ logcumsumexp"))
_POSITIONS: Final = frozenset(_names("argmax argmin"))
_BOOLEAN: Final = frozenset(_names("all any"))
#: Operators with a second result of positions, if they reduce one dimension.
_WITH_POSITIONS: Final = frozenset(_names("max min"))
#: Operators whose dimensions are the third argument, after an exponent.
_AFTER_ORDER: Final = frozenset(_names("norm linalg_vector_norm"))


def _cost(inputs: Inputs) -> Cost:
    name = inputs.operator
    n = inputs.count(0)
    if name in _WITH_POSITIONS and inputs.has(1):  # elementwise: torch.max(a, b)
        return Cost(0.0, inputs.bytes_of(0, 1) + inputs.bytes_of(0))
    flops = float(n * _OPERATIONS[name])
    results = n if name in _RUNNING else _results(inputs)
    if results is None:
        return Cost(flops, None)
    size = 8 if name in _POSITIONS else 1 if name in _BOOLEAN else inputs.size(0)
    size += 8 if name in _WITH_POSITIONS and results > 1 else 0
    return Cost(flops, inputs.bytes_of(0) + results * size)


def _results(inputs: Inputs) -> int | None:
    """Return the number of results, None if the dimensions were not recorded."""
    shape = inputs.shape(0)
    index = 2 if inputs.operator in _AFTER_ORDER else 1
    if index >= len(inputs.types) or inputs.type(index) == "":
        return 1
    dimensions = inputs.value(index)
    if dimensions is None:
        return None
    reduced = {one % len(shape) for one in _numbers(dimensions) if shape}
    if not reduced:
        return 1
    return prod(extent for index, extent in enumerate(shape) if index not in reduced)


def _numbers(value: Any) -> list[int]:
    values = value if isinstance(value, (list, tuple)) else [value]
    return [one for one in values if isinstance(one, int) and not isinstance(one, bool)]


FORMULA: Final = CostFormula("reductions", tuple(_OPERATIONS), _cost)
