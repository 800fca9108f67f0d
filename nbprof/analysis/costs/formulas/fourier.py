"""Fourier transforms over one or more dimensions: complex, from real numbers, and to real numbers.

A transform of N complex numbers counts as 5·N·log₂(N) operations, and half of that where input or
result is real, which is the convention of FFTs whatever the algorithm (Van Loan, Computational
Frameworks for the Fast Fourier Transform, 1992, section 1.4.5). Bytes are those of input and
result.
"""

from __future__ import annotations

from math import log2, prod
from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.analysis.costs.inputs import Inputs, Shape


def _dimensions(inputs: Inputs, shape: Shape) -> list[int]:
    """Return the dimensions that are transformed: (self, dim, …)."""
    given = inputs.value(1)
    if not isinstance(given, list) or not given or not shape:
        message = "the dimensions were not recorded"
        raise LookupError(message)
    return [int(one) % len(shape) for one in given]


def _operations(shape: Shape, dimensions: list[int]) -> float:
    """Return the operations of complex transforms of these extents."""
    extent = prod(shape[one] for one in dimensions)
    return 5.0 * prod(shape) * log2(extent) if extent else 0.0


def _complex(inputs: Inputs) -> Cost:
    """Return the cost of _fft_c2c(self, dim, normalization, forward)."""
    shape = inputs.shape(0)
    return Cost(_operations(shape, _dimensions(inputs, shape)), 2 * inputs.bytes_of(0))


def _from_real(inputs: Inputs) -> Cost:
    """Return the cost of _fft_r2c(self, dim, normalization, onesided)."""
    shape = inputs.shape(0)
    dimensions = _dimensions(inputs, shape)
    last = dimensions[-1]
    kept = shape[last] // 2 + 1 if inputs.value(3, default=True) else shape[last]
    written = inputs.count(0) // max(shape[last], 1) * kept * 2 * inputs.size(0)
    return Cost(_operations(shape, dimensions) / 2, inputs.bytes_of(0) + written)


def _to_real(inputs: Inputs) -> Cost:
    """Return the cost of _fft_c2r(self, dim, normalization, last_dim_size)."""
    shape = inputs.shape(0)
    dimensions = _dimensions(inputs, shape)
    result = list(shape)
    result[dimensions[-1]] = inputs.number(3)
    written = prod(result) * inputs.size(0) / 2
    return Cost(_operations(tuple(result), dimensions) / 2, inputs.bytes_of(0) + written)


_COSTS: Final[dict[str, Callable[[Inputs], Cost]]] = {
    "aten::_fft_c2c": _complex,
    "aten::_fft_r2c": _from_real,
    "aten::_fft_c2r": _to_real,
}

FORMULA: Final = CostFormula(
    "fourier", tuple(_COSTS), lambda inputs: _COSTS[inputs.operator](inputs)
)
