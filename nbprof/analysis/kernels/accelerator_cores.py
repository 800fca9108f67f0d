"""Table `accelerator_cores`: kernel time by NPU core; also the cores of kernels by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.devices.device_rows import kept_device_rows, work_of_kind
from nbprof.analysis.grouping import dense, extremes, latest, ratio, sums, texts, us
from nbprof.analysis.kernels.npu_cores import core_codes, has_cores, npu_rows
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, pct, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.lookup import values_at
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: Columns of the table; it has no rows on other devices.
ACCELERATOR_CORES: Final[Columns] = (
    text("accelerator_core", "Core of the NPU, as named by the recorder; empty if not recorded."),
    count("calls", "Number of kernels that ran on it."),
    time("total_us", "Total time of these kernels."),
    pct("pct", "Share of the time of all kernels."),
)


Rows = npt.NDArray[np.int64]


def accelerator_cores(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the kernel time on each type of NPU core, most time first.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Which kernels count, as in `kernels`.

    Returns
    -------
    pyarrow.Table
        Columns of `ACCELERATOR_CORES`; no rows on other devices.
    """
    return latest(model, "accelerator cores", filter_, lambda: _cores(model, filter_))


def _cores(model: TraceModel, filter_: Filter) -> pa.Table:
    kept = work_of_kind(model, kinds.KERNEL) & kept_device_rows(model, filter_)
    rows = np.flatnonzero(kept) if has_cores(model) else np.zeros(0, np.int64)
    group, first = dense(core_codes(model)[rows])
    total = sums(group, model.column("device", "duration_ns")[rows], len(first))
    calls = np.bincount(group, minlength=len(first))
    table = make_table(
        ACCELERATOR_CORES,
        {
            "accelerator_core": texts(
                model, "npu_kernels", "accelerator_core", core_codes(model)[rows[first]]
            ),
            "calls": calls,
            "total_us": us(total),
            "pct": ratio(total, total.sum(), 100.0),
        },
    )
    return table.take(arrow_array(np.lexsort((rows[first], -calls, -total))))


def cores_of_names(model: TraceModel, names: npt.NDArray[Any]) -> dict[str, pa.Array]:
    """Return the cores and block dimensions of the kernels with given names.

    Parameters
    ----------
    model : TraceModel
        The trace.
    names : ndarray of int, shape (rows,)
        Codes of kernel names in the device table.

    Returns
    -------
    dict of str to pyarrow.Array
        ``accelerator_core``, several sorted by time, most first, and ``block_dim``, null if
        launches differ.
    """
    cores, blocks = model.cached("cores of kernel names", lambda: _cores_by_name(model))
    return {
        "accelerator_core": arrow_array([cores[code] for code in names.tolist()], pa.utf8()),
        "block_dim": arrow_array(blocks[names], mask=blocks[names] < 0),
    }


def _cores_by_name(model: TraceModel) -> tuple[list[str | None], Rows]:
    count = len(model.values("device", "name"))
    rows = np.flatnonzero(work_of_kind(model, kinds.KERNEL))
    name, core = model.column("device", "name")[rows], core_codes(model)[rows]
    pair, first = dense(name, core)
    time = sums(pair, model.column("device", "duration_ns")[rows], len(first))
    texts_of = model.values("npu_kernels", "accelerator_core")
    cores: list[str | None] = [None] * count
    for place in np.lexsort((core[first], -time)).tolist():  # iterates over names, not kernels
        code, known = int(name[first[place]]), int(core[first[place]])
        if known >= 0:
            before = cores[code]
            cores[code] = texts_of[known] if before is None else f"{before}, {texts_of[known]}"
    block = values_at(model.column("npu_kernels", "block_dim"), npu_rows(model))[rows]
    group, first = dense(name)
    most, least = extremes(group, block, len(first))
    blocks = np.full(count, -1, np.int64)
    blocks[name[first]] = np.where(most == least, most, -1)
    return cores, blocks


TABLE: Final = TableSpec(
    name="accelerator_cores",
    summary="the kernel time on every core of an NPU",
    columns=ACCELERATOR_CORES,
    make=accelerator_cores,
    keys=("accelerator_core",),
    sort=("total_us",),
    sums=("calls", "total_us"),
    nouns=("core", "cores"),
)
