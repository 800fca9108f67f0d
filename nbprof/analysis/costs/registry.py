"""The registry of cost formulas, and which one applies to an operator."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nbprof.registry import Registry

if TYPE_CHECKING:
    from nbprof.analysis.costs.cost_formula import CostFormula

_OWN: Final = "nbprof.analysis.costs.formulas."

#: All formulas, one for each family of nbprof's own; those that users register win.
FORMULAS: Final[Registry[CostFormula]] = Registry(
    "cost formula",
    "nbprof.cost_formulas",
    "nbprof.analysis.costs.cost_formula:CostFormula",
    {
        "matrix_products": f"{_OWN}products.matrix_products:FORMULA",
        "scaled_products": f"{_OWN}products.scaled_products:FORMULA",
        "convolutions": f"{_OWN}products.convolutions:FORMULA",
        "attention": f"{_OWN}products.attention:FORMULA",
        "normalization": f"{_OWN}normalization:FORMULA",
        "softmax": f"{_OWN}softmax:FORMULA",
        "elementwise": f"{_OWN}elementwise:FORMULA",
        "reductions": f"{_OWN}reductions:FORMULA",
        "pooling": f"{_OWN}pooling:FORMULA",
        "movement": f"{_OWN}movement:FORMULA",
        "embeddings": f"{_OWN}embeddings:FORMULA",
        "sparse_features": f"{_OWN}sparse_features:FORMULA",
        "recurrent": f"{_OWN}products.recurrent:FORMULA",
        "compiled": f"{_OWN}compiled:FORMULA",
        "optimizers": f"{_OWN}optimizers:FORMULA",
        "losses": f"{_OWN}losses:FORMULA",
        "fourier": f"{_OWN}fourier:FORMULA",
    },
)

#: The overload at the end of a name: letters, digits and ``_`` after a dot.
_OVERLOAD: Final = re.compile(r"(::\w+)\.\w+$")


def without_overload(operator: str) -> str:
    """Return the name of an operator without its overload.

    Examples
    --------
    >>> without_overload("aten::add_.Tensor")
    'aten::add_'
    """
    return _OVERLOAD.sub(r"\1", operator) if "." in operator else operator


class FormulaIndex:
    """Finds the formula of an operator; of several, the last one that was registered."""

    def __init__(self, formulas: tuple[CostFormula, ...]) -> None:
        pairs = [(name, formula) for formula in formulas for name in formula.operators]
        self._exact = {name: formula for name, formula in pairs if not name.endswith("*")}
        self._prefixes = [(name[:-1], one) for name, one in reversed(pairs) if name.endswith("*")]
        self._begins = tuple(prefix for prefix, _ in self._prefixes)

    def find(self, operator: str) -> CostFormula | None:
        """Return the formula of an operator, given with or without its overload."""
        for name in (operator, without_overload(operator)):
            if name in self._exact:
                return self._exact[name]
        if not operator.startswith(self._begins):  # without a step of Python for each prefix
            return None
        return next((one for prefix, one in self._prefixes if operator.startswith(prefix)), None)
