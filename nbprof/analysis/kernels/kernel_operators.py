"""Which operators launched the kernels of a name, those with most of its time first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import work_of_kind
from nbprof.analysis.grouping import dense, sums
from nbprof.model.building import arrow_array
from nbprof.model.lookup import values_at
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

#: So many operators of a kernel are named.
_NAMED: Final = 3


def kernel_operators(model: TraceModel, names: Rows) -> pa.Array:
    """Return for codes of kernel names the operators that launched them, null without any.

    All launches count, whatever a filter keeps. Operators are joined by commas; of many, the first
    are named.
    """
    found: dict[int, str] = model.cached("operators of kernels", lambda: _operators(model))
    return arrow_array([found.get(code) for code in names.tolist()])


def _operators(model: TraceModel) -> dict[int, str]:
    rows = np.flatnonzero(work_of_kind(model, kinds.KERNEL) & (model.links.operator >= 0))
    kernel = model.column("device", "name")[rows].astype(np.int64)
    operator = values_at(model.column("host", "name"), model.links.operator[rows]).astype(np.int64)
    pair, first = dense(kernel, operator)
    time = sums(pair, model.column("device", "duration_ns")[rows], len(first))
    kernel, operator = kernel[first], operator[first]
    order = np.lexsort((first, -time, kernel))
    texts = model.values("host", "name")
    by_kernel: dict[int, list[str]] = {}
    for one, code in zip(kernel[order].tolist(), operator[order].tolist(), strict=True):
        by_kernel.setdefault(one, []).append(texts[code])
    return {one: _listed(several) for one, several in by_kernel.items()}


def _listed(names: list[str]) -> str:
    more = len(names) - _NAMED
    listed = ", ".join(names[:_NAMED])
    return f"{listed} and {more:,} more" if more > 0 else listed
