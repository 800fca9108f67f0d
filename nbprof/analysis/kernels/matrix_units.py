"""Decides for every kernel whether it uses matrix units (Tensor Cores, Matrix Cores), or unknown.

All figures use this definition. The full name of a kernel decides first; its operator may show that
there was nothing to multiply. All other kernels are unknown and never counted as not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.devices.device_rows import work_of_kind
from nbprof.analysis.grouping import share, sums
from nbprof.analysis.kernels.communication import device_communication
from nbprof.analysis.kernels.matrix_devices import AMD, has_units, uses_by_name, vendor
from nbprof.analysis.kernels.matrix_dtypes import DTYPES, dtype_by_name, dtype_of_inputs
from nbprof.analysis.kernels.matrix_names import NOT_USED, UNKNOWN, USED
from nbprof.analysis.kernels.matrix_operators import cannot_multiply, could_multiply
from nbprof.model.building import arrow_array
from nbprof.model.lookup import values_at
from nbprof.model.names.roles import named
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int8]

#: Names of the types as shown to users.
USE_WORDS: Final = {USED: "used", NOT_USED: "not used", UNKNOWN: "unknown"}


def use_of_rows(model: TraceModel) -> Codes:
    """Return `USED`, `NOT_USED` or `UNKNOWN` for each device row; non-kernels use none.

    Shape (device rows,).
    """
    evidence: Codes = model.cached("evidence of matrix units", lambda: _evidence(model))
    # Communication depends on the user's rules, which may change.
    idle = (evidence < 0) & device_communication(model)
    use: Codes = np.where(idle, np.int8(NOT_USED), evidence)
    return use


def used_rows(model: TraceModel) -> Mask:
    """Return which device rows are kernels known to use matrix units."""
    evidence: Codes = model.cached("evidence of matrix units", lambda: _evidence(model))
    used: Mask = evidence == USED
    return used


def dtype_of_rows(model: TraceModel) -> Codes:
    """Return the index in `DTYPES` of the type each device row multiplied in, -1 for none.

    Shape (device rows,).
    """
    return model.cached("types of matrix units", lambda: _dtypes(model))


@dataclass(frozen=True)
class Shares:
    """Kernel time of selected rows in nanoseconds, and the parts using matrix units.

    Attributes
    ----------
    total, used, unknown : int
        Time of all kernels, of those known to use matrix units, and of those where it is unknown.
    """

    total: int
    used: int
    unknown: int

    @classmethod
    def of(cls, model: TraceModel, rows: Rows) -> Shares:
        """Sum the time of device rows, which have to be kernels."""
        duration = model.column("device", "duration_ns").take(rows)
        use = use_of_rows(model).take(rows)
        parts = (int(duration[use == code].sum()) for code in (USED, UNKNOWN))
        return cls(int(duration.sum()), *parts)

    @property
    def columns(self) -> dict[str, float | None]:
        """The columns of `device_summary`, in percent of the kernel time."""
        used, unknown = share(self.used, self.total), share(self.unknown, self.total)
        return {
            "matrix_unit_pct": used,
            "matrix_unit_unknown_pct": unknown,
            "tensor_core_pct": used,
        }


def agreed_use(use: Codes, group: Rows, groups: int) -> pa.Array:
    """Return whether the rows of each group use matrix units, null if unknown or different."""
    code = _common_code(use, group, groups, 2)
    return arrow_array(code == USED, mask=code < 0)


def agreed_dtype(dtype: Codes, group: Rows, groups: int) -> pa.Array:
    """Return the type of each group, null if unknown or if its rows differ."""
    return dtype_texts(_common_code(dtype, group, groups, len(DTYPES)))


def use_flags(use: Codes) -> pa.Array:
    """Return codes of use as True, False and null."""
    return arrow_array(use == USED, mask=use < 0)


def dtype_texts(codes: npt.NDArray[np.integer]) -> pa.Array:
    """Return the names of types, null for -1."""
    return arrow_array(list(DTYPES), pa.utf8()).take(
        arrow_array(codes.astype(np.int64), mask=codes < 0)
    )


def _common_code(codes: Codes, group: Rows, groups: int, kinds_: int) -> Rows:
    """Return the code that all rows of each group share, -1 if they differ."""
    width = kinds_ + 1  # index 0 is for code -1
    counts = np.bincount(group * width + codes + 1, minlength=groups * width)
    counts = counts.reshape(groups, width)
    most = counts.argmax(axis=1)
    alike = counts[np.arange(groups), most] == counts.sum(axis=1)
    return np.where(alike, most - 1, -1)


def _evidence(model: TraceModel) -> Codes:
    of_name = np.append(uses_by_name(model), np.int8(UNKNOWN))  # the last is for code -1
    evidence: Codes = of_name[model.column("device", "name")]
    operator = model.links.operator
    cannot = named(model, "host", cannot_multiply)
    idle = np.zeros(len(evidence), bool)
    idle[operator >= 0] = cannot[operator[operator >= 0]]
    evidence[(evidence < 0) & idle] = NOT_USED
    of = model.column("device", "device")
    without = [one for one in np.unique(of).tolist() if has_units(model, one) is False]
    evidence[np.isin(of, without)] = NOT_USED
    evidence[~work_of_kind(model, kinds.KERNEL)] = NOT_USED
    return evidence


def _dtypes(model: TraceModel) -> Codes:
    place = {dtype: code for code, dtype in enumerate(DTYPES)}
    if vendor(model) != AMD:
        place["fp32"] = place["tf32"]  # Tensor Cores process fp32 only as tf32
    used, code = used_rows(model), model.column("device", "name")
    names = model.values("device", "name")
    of_name = np.full(len(names) + 1, -1, np.int8)  # the last is for code -1
    for at in np.unique(code[used & (code >= 0)]).tolist():
        of_name[at] = place.get(dtype_by_name(names[at]) or "", -1)
    found = of_name[code]
    inputs = model.values("host", "input_types")
    of_inputs = np.array([place.get(dtype_of_inputs(t) or "", -1) for t in inputs] + [-1], np.int8)
    could = named(model, "host", could_multiply)
    of_host = np.where(could, of_inputs[model.column("host", "input_types")], np.int8(-1))
    of_operator = values_at(of_host, model.links.operator)
    known: Codes = np.where(found >= 0, found, of_operator).astype(np.int8)
    known[~used] = -1
    return known


def times_by_group(
    model: TraceModel, rows: Rows, group: Rows, groups: int
) -> dict[str, npt.NDArray[np.float64]]:
    """Return the kernel time of each group in nanoseconds: ``total``, ``used`` and ``unknown``.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (rows,)
        Device rows; rows that are not kernels do not count.
    group : ndarray of int64, shape (rows,)
        Group number of each row.
    groups : int
        Number of groups.
    """
    kernel = work_of_kind(model, kinds.KERNEL).take(rows)
    rows, group = rows[kernel], group[kernel]
    duration = model.column("device", "duration_ns").take(rows)
    use = use_of_rows(model).take(rows)
    times = {"total": sums(group, duration, groups)}
    for name, code in (("used", USED), ("unknown", UNKNOWN)):
        chosen = use == code
        times[name] = sums(group[chosen], duration[chosen], groups)
    return times
