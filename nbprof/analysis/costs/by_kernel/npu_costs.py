"""FLOPs and bytes of NPU kernels, whose shapes and types are recorded for inputs and outputs.

Bytes are those of all inputs and outputs. FLOPs are known for matrix products and convolutions,
which count as in `formulas`. Tensors in a fractal format are padded to the blocks of the cube unit;
the padding counts, as the unit computes it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.costs.data_types import data_type, element_bytes
from nbprof.analysis.grouping import dense

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Floats = npt.NDArray[np.float64]
_Shape = tuple[int, ...]

_COLUMNS: Final = ("type", "input_shapes", "input_types", "output_shapes", "output_types")
_PRODUCT: Final = re.compile(r"^(?:Batch)?MatMul(?:V\d)?(?:Common)?$")
_CONVOLUTION: Final = re.compile(r"^Conv[23]D(?:V\d)?$")
_BY_INPUT: Final = re.compile(r"^Conv[23]DBackpropInput(?:V\d)?$")
_BY_WEIGHT: Final = re.compile(r"^Conv[23]DBackpropFilter(?:V\d)?$")
_MOST: Final = float(2**62)


@dataclass(frozen=True)
class NpuCosts:
    """Costs of NPU kernels; arrays have shape (kernels,).

    Attributes
    ----------
    row : ndarray of int64
        Device rows.
    flops, bytes : ndarray of float64
        NaN where unknown.
    types : list of str
        Short name of the type of the first input of each kernel, "" if unknown.
    """

    row: npt.NDArray[np.int64]
    flops: Floats
    bytes: Floats
    types: list[str]

    def put_into(
        self,
        flops: Floats,
        moved: Floats,
        is_matrix: npt.NDArray[np.bool_],
        types: list[str],
        type_code: npt.NDArray[np.int64],
    ) -> None:
        """Replace the values of device rows for which a kernel recorded its shapes."""
        multiplies, known = ~np.isnan(self.flops), ~np.isnan(self.bytes)
        flops[self.row[multiplies]] = self.flops[multiplies]
        moved[self.row[known]] = self.bytes[known]
        is_matrix[self.row[multiplies]] = True
        types += [name for name in dict.fromkeys(self.types) if name not in types]
        place = {name: code for code, name in enumerate(types)}
        type_code[self.row] = [place[name] for name in self.types]


def npu_costs(model: TraceModel) -> NpuCosts:
    """Return the costs of all NPU kernels."""
    group, first = dense(*(model.column("npu_kernels", name) for name in _COLUMNS))
    texts = [[_text(model, name, int(at)) for name in _COLUMNS] for at in first.tolist()]
    found = np.array([_cost(*one) for one in texts]).reshape(-1, 2)
    types = [data_type(one[2].strip('"').partition(";")[0]) or "" for one in texts]
    return NpuCosts(
        model.column("npu_kernels", "row"),
        found[group, 0],
        found[group, 1],
        [types[at] for at in group.tolist()],
    )


def _text(model: TraceModel, column: str, at: int) -> str:
    code = int(model.column("npu_kernels", column)[at])
    return model.values("npu_kernels", column)[code] if code >= 0 else ""


def _cost(
    kind: str, in_shapes: str, in_types: str, out_shapes: str, out_types: str
) -> tuple[float, float]:
    given, results = _shapes(in_shapes), _shapes(out_shapes)
    sizes = [_bytes(given, in_types), _bytes(results, out_types)]
    moved = math.nan if None in sizes else float(sum(one or 0 for one in sizes))
    try:
        flops = _flops(kind, given, results)
    except (IndexError, ZeroDivisionError):
        flops = math.nan
    return _limited(flops), _limited(moved)


def _limited(value: float) -> float:
    return value if value <= _MOST else math.nan


def _flops(kind: str, given: list[_Shape], results: list[_Shape]) -> float:
    if _PRODUCT.match(kind):
        out = results[0]
        inner = math.prod(given[0]) / math.prod(out[:-1])
        return 2.0 * math.prod(out) * inner if inner.is_integer() else math.nan
    if _CONVOLUTION.match(kind):
        return 2.0 * math.prod(results[0]) * _products(given[1])
    if _BY_INPUT.match(kind):
        return 2.0 * math.prod(given[2]) * _products(given[1])
    if _BY_WEIGHT.match(kind):
        return 2.0 * math.prod(given[2]) * _products(results[0])
    return math.nan


def _products(weight: _Shape) -> int:
    """Return the products for a result: of a fractal weight C1·H·W x N1 x N0 x C0, others N x …."""
    blocks = (8, 16, 32)
    is_fractal = len(weight) == 4 and weight[2] == 16 and weight[3] in blocks
    return weight[0] * weight[3] if is_fractal else math.prod(weight[1:])


def _shapes(text: str) -> list[_Shape]:
    """Read shapes such as ``"32,9216;4096"``, with or without quotes; an empty one is a scalar."""
    plain = text.strip().strip('"')
    if plain in {"", "N/A"}:
        return []
    try:
        return [
            tuple(int(extent) for extent in shape.split(",") if extent.strip())
            for shape in plain.split(";")
        ]
    except ValueError:
        return []


def _bytes(shapes: list[_Shape], types: str) -> float | None:
    """Return the bytes of tensors, None if a type is unknown."""
    named = [one for one in types.strip().strip('"').split(";") if one not in {"", "N/A"}]
    if not shapes or len(shapes) != len(named):
        return None if shapes or named else 0.0
    sizes = [element_bytes(name) for name in named]
    if None in sizes:
        return None
    return sum(math.prod(shape) * (size or 0) for shape, size in zip(shapes, sizes, strict=True))
