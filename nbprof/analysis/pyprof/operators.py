"""Chooses the formula of a kernel by the function that launched it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.analysis.pyprof.calls import UnsupportedError
from nbprof.analysis.pyprof.formulas import convolutions, data_movement, elementwise, matrices

if TYPE_CHECKING:
    from nbprof.analysis.pyprof.calls import Call
    from nbprof.analysis.pyprof.figures import Figures, Formula
    from nbprof.analysis.pyprof.records import Record

_FORMULAS: Final[dict[str, Formula]] = {
    **data_movement.FORMULAS,
    **elementwise.FORMULAS,
    **convolutions.FORMULAS,
    **matrices.FORMULAS,
}
_CELLS: Final = ("LSTMCell", "GRUCell", "RNNCell")


def figures_of(record: Record) -> Figures:
    """Return the figures of a kernel by the outermost call around its launch.

    Raises
    ------
    UnsupportedError
        There is no call, no formula for it, or the formula does not fit its arguments.
    """
    if not record.calls:
        message = "no call recorded"
        raise UnsupportedError(message)
    call = record.calls[0]
    formula = _formula_of(call)
    if formula is None:
        message = f"no formula for {call.function}"
        raise UnsupportedError(message)
    try:
        return formula(call, record)
    except (ValueError, TypeError, IndexError, ZeroDivisionError) as error:
        message = f"arguments of {call.function}: {error}"
        raise UnsupportedError(message) from error


def has_formula(call: Call) -> bool:
    """Return whether there is a formula for the function of a call."""
    return _formula_of(call) is not None


def _formula_of(call: Call) -> Formula | None:
    if call.module in _CELLS and call.function == "forward":
        return convolutions.cell
    return _FORMULAS.get(call.function)


def plain_params(call: Call) -> str:
    """Return shapes and types of a call without a formula."""
    shapes = ",".join(str(one.shape) for one in call.tensors).replace(" ", "")
    types = [one.dtype for one in call.tensors]
    return f"T=[{shapes}],{types}".replace(" ", "")
