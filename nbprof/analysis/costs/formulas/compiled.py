"""Kernels that TorchInductor compiled with Triton: the bytes of their tensors.

The recorded inputs are the arguments of the kernel: tensors that it reads or writes, of which one
that it does both with is counted once, and then how many positions it computes: one number for a
pointwise kernel, and rows and their lengths for a reduction (names begin with ``triton_poi``,
``triton_red`` and ``triton_per``; PyTorch, torch/_inductor/codegen/triton.py). The name lists the
fused operators, but not how often, so operations are unknown. If some of them select a part of a
tensor, no more elements of it count than there are positions.
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula

if TYPE_CHECKING:
    from nbprof.analysis.costs.inputs import Inputs

#: Fused operators that read a part of a tensor.
_PART: Final = re.compile(
    r"_(?:embedding|index|gather|select|slice|split|unbind|chunk|narrow|as_strided)(?:_|$)"
)


def _tensors(inputs: Inputs) -> Cost:
    moved = 0.0
    tensors = inputs.tensors()
    if not tensors:
        message = f"{inputs.operator}: no tensor was recorded"
        raise LookupError(message)
    most = _positions(inputs) if _PART.search(inputs.operator) else None
    for at in tensors:
        count = inputs.count(at)
        moved += inputs.size(at) * (count if most is None else min(count, most))
    return Cost(None, moved)


def _positions(inputs: Inputs) -> int:
    """Return how many positions a kernel computes: its last number, of a reduction the last two."""
    numbers = 1 if inputs.operator.startswith("triton_poi") else 2
    count = len(inputs.types)
    return prod(inputs.number(at) for at in range(count - numbers, count))


FORMULA: Final = CostFormula("compiled", ("triton_poi_*", "triton_red_*", "triton_per_*"), _tensors)
