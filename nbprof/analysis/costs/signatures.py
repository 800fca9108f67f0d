"""Costs of operators by signature: the name, shapes, types and values of a call.

A training loop repeats the same calls, so a formula runs once for each distinct signature, of which
there are hundreds, and not for each of many thousand calls.
"""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.costs.cost_formula import Cost
from nbprof.analysis.costs.inputs import Inputs
from nbprof.analysis.costs.registry import (
    FORMULAS,
    FormulaIndex,
    without_overload,
)
from nbprof.analysis.grouping import dense
from nbprof.analysis.kernels.matrix_dtypes import DTYPES
from nbprof.analysis.kernels.matrix_units import dtype_of_rows
from nbprof.model.errors import ExtensionWarning
from nbprof.model.links.backward import linked_forward_rows
from nbprof.model.lookup import values_at
from nbprof.model.names.name_tests import finds
from nbprof.model.names.roles import innermost_operators, names_of, operator_rows

if TYPE_CHECKING:
    from nbprof.analysis.costs.cost_formula import CostFormula
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_COLUMNS: Final = ("name", "input_shapes", "input_types", "input_values")
#: Types of the elements of lists in the names of kernels that process them.
_LISTS: Final = re.compile(r"multi_tensor_apply|CatArray|foreach", re.IGNORECASE)
_ELEMENT: Final = re.compile(r"(?:c10::)?(?:BFloat16|Half)|\b(?:float|double|long|int|bool)\b")
#: Autograd's nodes, whose inputs are the gradients of a forward operator's results.
_NOT_NODES: Final = ("aten::", "autograd::engine")


@dataclass(frozen=True)
class SignatureCosts:
    """Costs of the operator calls that have a formula.

    Attributes
    ----------
    row : ndarray of int64, shape (calls,)
        Host rows, ascending.
    flops, bytes : ndarray of float64, shape (calls,)
        NaN where unknown.
    is_matrix : ndarray of bool, shape (calls,)
        Whether the FLOPs are those of matrix products.
    data_type : list of str, index of it shape (calls,)
        Short names of types of the operands, "" if unknown, and the index of each call's.
    """

    row: Rows
    flops: Floats
    bytes: Floats
    is_matrix: Mask
    types: list[str]
    type_code: npt.NDArray[np.int64]


def signature_costs(model: TraceModel) -> SignatureCosts:
    """Return the costs of all operator calls with a formula, under the formulas of this moment."""
    formulas = tuple(FORMULAS.specs())
    holder: list[Any] = model.cached("signature costs", lambda: [None])
    kept = holder[0]
    if kept is None or kept[0] != formulas:
        kept = holder[0] = formulas, _Signatures(model, FormulaIndex(formulas)).costs()
    costs: SignatureCosts = kept[1]
    return costs


class _Signatures:
    def __init__(self, model: TraceModel, index: FormulaIndex) -> None:
        self._model = model
        names = model.values("host", "name")
        self._names = names
        self._formulas = [index.find(name) for name in names]
        has = np.array([one is not None for one in self._formulas] + [False], bool)
        self._row = np.flatnonzero(has[model.column("host", "name")] & operator_rows(model))
        self._failed: set[str] = set()

    def costs(self) -> SignatureCosts:
        """Run each formula once for every signature."""
        model, row = self._model, self._row
        keys = [model.column("host", name)[row] for name in _COLUMNS]
        caller = innermost_operators(model)[row]
        name = keys[0]
        by_caller = self._flags("uses_caller")[name]
        by_result = self._flags("uses_result")[name]
        # The caller is told by its own signature, so that equal ones do not repeat.
        caller_key = np.zeros(len(row), np.int64)
        if by_caller.any():
            of_caller = [values_at(model.column("host", one), caller) for one in _COLUMNS]
            caller_key = np.where(by_caller & (caller >= 0), dense(*of_caller)[0] + 1, 0)
        result = np.full(len(row), -1, np.int64)
        if by_result.any():
            result = np.where(by_result, self._results()[row], -1)
        element = self._elements(row, self._flags("is_matrix")[name])
        group, first = dense(*keys, caller_key, result, element)
        found = [
            self._evaluate(
                int(row[at]), int(caller[at]) if by_caller[at] else -1, int(result[at]),
                int(element[at]),
            )
            for at in first.tolist()
        ]  # fmt: skip
        types = list(dict.fromkeys(one[2] for one in found)) or [""]
        code = np.array([types.index(one[2]) for one in found], np.int64)
        flops, moved = (np.array([one[k] for one in found], np.float64) for k in (0, 1))
        is_matrix = self._flags("is_matrix")[name]
        if not len(row):
            return SignatureCosts(row, flops, moved, is_matrix, types, code)
        return SignatureCosts(row, flops[group], moved[group], is_matrix, types, code[group])

    def _flags(self, attribute: str) -> Mask:
        return np.array([bool(getattr(one, attribute, False)) for one in self._formulas], bool)

    def _inputs(self, row: int) -> Inputs:
        model = self._model
        texts, name = [], self._names[int(model.column("host", "name")[row])]
        for column in _COLUMNS[1:]:
            code = int(model.column("host", column)[row])
            texts.append(model.values("host", column)[code] if code >= 0 else "")
        return Inputs.of_texts(without_overload(name), *texts)

    def _evaluate(
        self, row: int, caller: int, result: int, element: int
    ) -> tuple[float, float, str]:
        """Return FLOPs, bytes and type of a signature, NaN where unknown."""
        formula = self._formulas[int(self._model.column("host", "name")[row])]
        if formula is None:
            return math.nan, math.nan, ""
        plain = self._inputs(row)
        shape = self._inputs_of_shapes(result)
        inputs = Inputs(
            plain.operator,
            plain.shapes,
            plain.types,
            plain.values,
            self._inputs(caller) if caller >= 0 else None,
            shape,
            self._element_names[element] if element >= 0 else "",
        )
        cost = self._run(formula, inputs)
        return _number(cost.flops), _number(cost.bytes), inputs.data_type or ""

    def _run(self, formula: CostFormula, inputs: Inputs) -> Cost:
        try:
            cost = formula.cost(inputs)
            return Cost(*cost) if cost is not None else Cost(None, None)
        except LookupError:
            return Cost(None, None)
        except Exception as error:  # noqa: BLE001 - inputs and users' formulas may be anything
            if not FORMULAS.is_own(formula.name) and formula.name not in self._failed:
                self._failed.add(formula.name)
                reason = f"{type(error).__name__}: {error}"
                text = f"The cost formula {formula.name!r} failed for {inputs.operator}. {reason}."
                warnings.warn(text, ExtensionWarning, stacklevel=2)
            return Cost(None, None)

    def _inputs_of_shapes(self, code: int) -> tuple[int, ...] | None:
        if code < 0:
            return None
        shapes = Inputs.of_texts(
            "", self._model.values("host", "input_shapes")[code], "", ""
        ).shapes
        first = shapes[0] if shapes else ()
        return first if first and not any(isinstance(one, tuple) for one in first) else None

    def _results(self) -> Rows:
        """Return the code of the shapes that show the result of each forward operator, else -1.

        A node of the backward pass gets the gradient of the result, which has the same shape.
        """
        model = self._model
        forward = linked_forward_rows(model)
        shapes = model.column("host", "input_shapes").astype(np.int64)
        names = model.values("host", "name")
        is_node = np.array([not name.startswith(_NOT_NODES) for name in names] + [False], bool)
        backward = np.flatnonzero(
            (forward >= 0) & (shapes >= 0) & is_node[model.column("host", "name")]
        )
        known = np.full(len(shapes), -1, np.int64)
        known[forward[backward[::-1]]] = shapes[backward[::-1]]
        # Operators that call each other for the same result share it.
        above = innermost_operators(model)
        wanted = np.zeros(len(shapes), bool)
        wanted[self._row] = self._flags("uses_result")[model.column("host", "name")[self._row]]
        for _ in range(4):  # conv2d, convolution, _convolution, cudnn_convolution
            rows = np.flatnonzero(wanted & (above >= 0))
            rows = rows[wanted[above[rows]]]
            up = rows[(known[rows] >= 0) & (known[above[rows]] < 0)]
            known[above[up]] = known[up]
            down = rows[(known[rows] < 0) & (known[above[rows]] >= 0)]
            known[down] = known[above[down]]
        return known

    def _elements(self, row: Rows, is_matrix: Mask) -> Rows:
        """Return the index of the type that kernels of a call show, else -1.

        That is the type of the elements of lists, and for matrix products whose types were not
        recorded that of the operands.
        """
        model = self._model
        names = model.values("device", "name")
        self._element_names: list[str] = list(DTYPES)
        codes = np.full(len(names) + 1, -1, np.int64)
        for code in np.flatnonzero(names_of(model, "device").passing(finds(_LISTS))).tolist():
            shown = _ELEMENT.search(names[code])
            if shown:
                text = shown[0].removeprefix("c10::")
                if text not in self._element_names:
                    self._element_names.append(text)
                codes[code] = self._element_names.index(text)
        shown_by = codes[model.column("device", "name")]
        found = self._of_calls(shown_by)[row]
        bare = is_matrix & (model.column("host", "input_types")[row] < 0)
        if bare.any():
            found = np.where(
                bare, self._of_calls(dtype_of_rows(model).astype(np.int64))[row], found
            )
        return found

    def _of_calls(self, shown: Rows) -> Rows:
        """Return what kernels of each host row show, -1 for nothing, shape (host rows,)."""
        found = np.full(self._model.tables["host"].num_rows, -1, np.int64)
        operator = self._model.links.operator
        kernels = np.flatnonzero((operator >= 0) & (shown >= 0))
        found[operator[kernels]] = shown[kernels]
        return found


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return math.nan
    return float(value) if math.isfinite(value) and value >= 0 else math.nan
