"""FLOPs and bytes of kernels whose launches lie in ranges that recorded the arguments of a call.

Such ranges wrap functions of PyTorch (`nbprof.analysis.pyprof`), and figures are those of PyProf's
report, also in the backward pass, whose kernels belong to the forward call of the same autograd
number. They differ from the report so that nothing counts twice and nothing is lost:

* kernels that an operator launches for the same figures share them by their times, and those that
  only prepare or reduce, by their names, have none beside others; PyProf repeats the figures;
* where PyProf has no formula for the outermost call, the next one inside counts: the products in
  ``multi_head_attention_forward``, the softmax in ``cross_entropy``;
* PyProf gives the figures of some calls to the first of their kernels, and takes equal calls
  without an autograd number for one; here each call has its own first kernel.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.costs.data_types import data_type
from nbprof.analysis.costs.helper_kernels import is_helper
from nbprof.analysis.pyprof.calls import UnsupportedError, call_of, parse_literal
from nbprof.analysis.pyprof.operators import figures_of, has_formula
from nbprof.analysis.pyprof.trace_records import kernel_rows, records_of
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.lookup import values_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nbprof.analysis.pyprof.calls import Call
    from nbprof.analysis.pyprof.figures import Figures
    from nbprof.analysis.pyprof.records import Record
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def put_range_costs(
    model: TraceModel,
    *,
    owner: Rows,
    flops: Floats,
    moved: Floats,
    is_matrix: Mask,
    types: list[str],
    type_code: Rows,
) -> bool:
    """Set the values of kernels that have no cost yet and whose ranges give one.

    Parameters
    ----------
    model : TraceModel
        The trace.
    owner, flops, moved, is_matrix, type_code : ndarray, shape (device rows,)
        As the fields of `nbprof.analysis.costs.charges.Charges`; changed in place. The owner is
        the outermost call with a formula around the launch, in the backward pass the operator that
        launched it.
    types : list of str
        Short names of types; new ones are added.

    Returns
    -------
    bool
        Whether any value was set.
    """
    is_call = _calls(model)
    if not is_call.any():
        return False
    rows = kernel_rows(model)
    calls = values_at(_outermost(model, is_call), model.links.launch[rows])
    operators = model.links.operator[rows]
    time = model.column("device", "duration_ns")[rows]
    free = np.isnan(flops[rows]) & np.isnan(moved[rows])
    found: list[tuple[int, Any, Record]] = []
    known: dict[Any, Figures | None] = {}  # kernels of equal calls have the same figures
    for at, record in enumerate(_of_calls(records_of(model), calls.tolist())):
        if free[at] and record.calls:
            like = (id(record.calls[0]), *(getattr(record, name) for name in _DECISIVE))
            if like not in known:
                known[like] = _figures(record)
            figures = known[like]
            if figures is not None:
                found.append((at, figures, record))
    alike = [
        (int(operators[at]) if operators[at] >= 0 else -2 - at, one.flops, one.bytes, one.params)
        for at, one, _ in found
    ]
    mains = {key for key, (_, _, record) in zip(alike, found, strict=True) if _computes(record)}
    # The gradients of several inputs have the same figures, but kernels of different names.
    keys = [
        None if key in mains and not _computes(record)
        else (*key, record.name if record.is_backward else "")
        for key, (_, _, record) in zip(alike, found, strict=True)
    ]  # fmt: skip
    total: dict[Any, list[float]] = {}
    for key, (at, _, _) in zip(keys, found, strict=True):
        sum_ = total.setdefault(key, [0.0, 0])
        sum_[0] += time[at]
        sum_[1] += 1
    for key, (at, one, record) in zip(keys, found, strict=True):
        of_all, number = total[key]
        part = 0.0 if key is None else time[at] / of_all if of_all > 0 else 1 / number
        row = rows[at]
        flops[row], moved[row] = one.flops * part, one.bytes * part
        is_matrix[row] = one.multiplies
        type_code[row] = _place(_type(record.calls[0]), types)
        owner[row] = operators[at] if record.is_backward or calls[at] < 0 else calls[at]
    return bool(found)


#: What formulas read of a kernel besides its call.
_DECISIVE: Final = ("name", "grid", "ordinal", "is_backward")


def _figures(record: Record) -> Figures | None:
    try:
        return figures_of(record)
    except UnsupportedError:
        return None


def _computes(record: Record) -> bool:
    return not is_helper(record.name)


def _of_calls(records: Iterable[Record], rows: Iterable[int]) -> Iterable[Record]:
    """Leave the calls with a formula, and count the kernels of forward calls from their first.

    Parameters
    ----------
    records : iterable of Record
        In order of time.
    rows : iterable of int
        The host row of the outermost call with a formula around each, -1 without one.
    """
    before, first = -1, 0
    for record, row in zip(records, rows, strict=True):
        ordinal = record.ordinal
        if row < 0 or record.is_backward:
            before = -1
        else:
            if row != before:
                first = ordinal
            elif ordinal < first:
                first = 0
            before = row
            ordinal -= first
        calls = [call for call in record.calls if has_formula(call)]
        yield replace(record, ordinal=ordinal, calls=calls)


def _calls(model: TraceModel) -> Mask:
    """Return which host rows are calls with a formula."""
    contents = map(parse_literal, model.values("range_texts", "text"))
    calls = (None if one is None else call_of(one) for one in contents)
    described = np.array([one is not None and has_formula(one) for one in calls], bool)
    is_call = np.zeros(model.tables["host"].num_rows, bool)
    is_call[model.column("range_texts", "row")] = described[model.column("range_texts", "text")]
    return is_call


def _outermost(model: TraceModel, is_call: Mask) -> Rows:
    """Return the outermost call around each host row or at it, -1 without one."""
    parent = model.nesting.parent
    outermost = is_call & (nearest_ancestor(parent, is_call) < 0)
    return np.where(outermost, np.arange(len(parent)), nearest_ancestor(parent, outermost))


def _type(call: Call) -> str:
    """Return the short name of the type of the first tensor of floating-point numbers."""
    known = (data_type(one.dtype) or "" for one in call.tensors)
    return next((one for one in known if one.startswith(("fp", "bf"))), "")


def _place(name: str, types: list[str]) -> int:
    if name not in types:
        types.append(name)
    return types.index(name)
