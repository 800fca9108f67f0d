"""Which kernels use matrix units, such as Tensor Cores and Matrix Cores: used, not, or unknown.

This is the one definition for every figure. The full name of a kernel says most; its operator may
say that there was nothing to multiply. What neither tells stays unknown, and is never counted as
not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.devices.rows import work_of_kind
from nbprof.analysis.grouping import share, sums
from nbprof.analysis.kernels.communication import device_communication
from nbprof.analysis.kernels.matrix_devices import AMD, has_units, vendor
from nbprof.analysis.kernels.matrix_dtypes import DTYPES, dtype_by_name, dtype_of_inputs
from nbprof.analysis.kernels.matrix_names import use_by_name
from nbprof.analysis.kernels.matrix_operators import cannot_multiply, could_multiply
from nbprof.model.links.module_tree import taken
from nbprof.model.names.roles import named
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int8]

UNKNOWN: Final = -1
NOT_USED: Final = 0
USED: Final = 1
#: What each is called where people read it.
USE_WORDS: Final = {USED: "used", NOT_USED: "not used", UNKNOWN: "unknown"}


def use_of_rows(model: TraceModel) -> Codes:
    """Return `USED`, `NOT_USED` or `UNKNOWN` of every device row; what is no kernel uses none.

    Shape (device rows,).
    """
    evidence: Codes = model.cached("evidence of matrix units", lambda: _evidence(model))
    # Communication follows rules of the user, which may change.
    idle = (evidence < 0) & device_communication(model)
    found: Codes = np.where(idle, np.int8(NOT_USED), evidence)
    return found


def used_rows(model: TraceModel) -> Mask:
    """Return which device rows are kernels that are known to use matrix units."""
    evidence: Codes = model.cached("evidence of matrix units", lambda: _evidence(model))
    used: Mask = evidence == USED
    return used


def dtype_of_rows(model: TraceModel) -> Codes:
    """Return in which of `DTYPES` every device row multiplied on matrix units, -1 for none.

    Shape (device rows,).
    """
    return model.cached("types of matrix units", lambda: _dtypes(model))


@dataclass(frozen=True)
class Shares:
    """Kernel time of some rows, in nanoseconds, and the parts of it.

    Attributes
    ----------
    total, used, unknown : int
        All kernels, those that are known to use matrix units, those of which it is not known.
    """

    total: int
    used: int
    unknown: int

    @classmethod
    def of(cls, model: TraceModel, rows: Rows) -> Shares:
        """Add up some device rows, all of them kernels."""
        duration = model.column("device", "duration_ns").take(rows)
        use = use_of_rows(model).take(rows)
        parts = (int(duration[use == code].sum()) for code in (USED, UNKNOWN))
        return cls(int(duration.sum()), *parts)

    @property
    def columns(self) -> dict[str, float | None]:
        """The columns of `device_summary`, percent of the kernel time."""
        used, unknown = share(self.used, self.total), share(self.unknown, self.total)
        return {
            "matrix_unit_pct": used,
            "matrix_unit_unknown_pct": unknown,
            "tensor_core_pct": used,
        }


def agreed_use(use: Codes, group: Rows, groups: int) -> pa.Array:
    """Return of each group whether its rows use matrix units, null where unknown or they differ."""
    code = _agreed(use, group, groups, 2)
    return pa.array(code == USED, mask=code < 0)


def agreed_dtype(dtype: Codes, group: Rows, groups: int) -> pa.Array:
    """Return the type of each group, null where it is unknown or its rows differ."""
    return dtype_texts(_agreed(dtype, group, groups, len(DTYPES)))


def use_flags(use: Codes) -> pa.Array:
    """Return use as yes, no and null."""
    return pa.array(use == USED, mask=use < 0)


def dtype_texts(codes: npt.NDArray[np.integer]) -> pa.Array:
    """Return the words for types, null for -1."""
    return pa.array(list(DTYPES), pa.utf8()).take(pa.array(codes.astype(np.int64), mask=codes < 0))


def _agreed(codes: Codes, group: Rows, groups: int, kinds_: int) -> Rows:
    """Return the code that all rows of each group have, -1 where they differ."""
    width = kinds_ + 1  # the first place is for -1
    counts = np.bincount(group * width + codes + 1, minlength=groups * width)
    counts = counts.reshape(groups, width)
    most = counts.argmax(axis=1)
    alike = counts[np.arange(groups), most] == counts.sum(axis=1)
    return np.where(alike, most - 1, -1)


def _evidence(model: TraceModel) -> Codes:
    names = model.values("device", "name")
    told = [use_by_name(name) for name in names]
    of_name = np.array([UNKNOWN if use is None else int(use) for use in told] + [UNKNOWN], np.int8)
    found: Codes = of_name[model.column("device", "name")]
    operator = model.links.operator
    cannot = named(model, "host", cannot_multiply)
    idle = np.zeros(len(found), bool)
    idle[operator >= 0] = cannot[operator[operator >= 0]]
    found[(found < 0) & idle] = NOT_USED
    of = model.column("device", "device")
    for device in np.unique(of).tolist():
        if has_units(model, device) is False:
            found[of == device] = NOT_USED
    found[~work_of_kind(model, kinds.KERNEL)] = NOT_USED
    return found


def _dtypes(model: TraceModel) -> Codes:
    place = {dtype: code for code, dtype in enumerate(DTYPES)}
    if vendor(model) != AMD:
        place["fp32"] = place["tf32"]  # Tensor Cores take fp32 in no other form
    names = model.values("device", "name")
    of_name = np.array([place.get(dtype_by_name(n) or "", -1) for n in names] + [-1], np.int8)
    found = of_name[model.column("device", "name")]
    inputs = model.values("host", "input_types")
    of_inputs = np.array([place.get(dtype_of_inputs(t) or "", -1) for t in inputs] + [-1], np.int8)
    could = named(model, "host", could_multiply)
    of_host = np.where(could, of_inputs[model.column("host", "input_types")], np.int8(-1))
    of_operator = taken(of_host, model.links.operator)
    known: Codes = np.where(found >= 0, found, of_operator).astype(np.int8)
    known[~used_rows(model)] = -1
    return known


def times_by_group(
    model: TraceModel, rows: Rows, group: Rows, groups: int
) -> dict[str, npt.NDArray[np.float64]]:
    """Return nanoseconds of kernels by group: ``total``, ``used`` and ``unknown``.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (rows,)
        Device rows; those that are no kernels do not count.
    group : ndarray of int64, shape (rows,)
        Number of the group of each.
    groups : int
        How many there are.
    """
    kernel = work_of_kind(model, kinds.KERNEL).take(rows)
    rows, group = rows[kernel], group[kernel]
    duration = model.column("device", "duration_ns").take(rows)
    use = use_of_rows(model).take(rows)
    found = {"total": sums(group, duration, groups)}
    for name, code in (("used", USED), ("unknown", UNKNOWN)):
        chosen = use == code
        found[name] = sums(group[chosen], duration[chosen], groups)
    return found
