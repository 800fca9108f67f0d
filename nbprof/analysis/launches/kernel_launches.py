"""Table `kernel_launches`: every kernel, with its launch, operator, module, inputs and stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.devices.device_rows import kept_device_rows, work_of_kind
from nbprof.analysis.grouping import texts_at
from nbprof.analysis.kernels.kernels import key_codes
from nbprof.analysis.launches.columns import LAUNCHES, NPU_LAUNCHES
from nbprof.analysis.launches.single_kernels import single_kernels
from nbprof.analysis.pyprof.table import pyprof_report
from nbprof.model.contract.columns import Columns, text
from nbprof.model.contract.spec import Option, TableSpec
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.call_stacks import call_stacks
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: Rows whose call stacks are built at once: the texts of one Arrow array may have 2 GiB.
_STACK_ROWS: Final = 200_000

_STACK: Final = text(
    "call_stack", "Python frames around its operator, joined by ;, the innermost first."
)

#: Whose columns the table may have.
NAMES: Final = ("nbprof", "pyprof")

#: All columns on a GPU.
COLUMNS: Final[Columns] = (*LAUNCHES, _STACK)


def kernel_launches(
    model: TraceModel,
    filter_: Filter = NO_FILTER,
    *,
    stacks: bool = True,
    names: str = NAMES[0],
) -> pa.Table:
    """Return every kernel that the filter keeps, in order of time.

    The rows are those of `kernels` grouped by launch, with their call stacks.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Which kernels count; its name is the kernel's.
    stacks : bool
        Whether to build the column ``call_stack``, which takes the most memory by far.
    names : {"nbprof", "pyprof"}
        Whose columns to return: ours, or those of PyProf's report, under PyProf's names.

    Returns
    -------
    pyarrow.Table
        Columns of `COLUMNS`, ``call_stack`` only if wanted; on an NPU, those of
        `NPU_LAUNCHES` and one per recorded metric in place of a GPU's.
    """
    is_kernel = work_of_kind(model, kinds.KERNEL)
    rows = np.flatnonzero(is_kernel & kept_device_rows(model, filter_))
    table = single_kernels(model, rows)
    pyprof = names == "pyprof"
    if stacks or pyprof:
        table = table.append_column(_STACK.field, _call_stacks(model, rows))
    return pyprof_report(model, rows, table) if pyprof else table


def _call_stacks(model: TraceModel, rows: npt.NDArray[np.int64]) -> pa.ChunkedArray:
    codes = key_codes(model, "call_stack")[rows]
    known = call_stacks(model).texts
    parts = [
        texts_at(known, codes[first : first + _STACK_ROWS])
        for first in range(0, max(len(rows), 1), _STACK_ROWS)
    ]
    return pa.chunked_array(parts, pa.utf8())


TABLE: Final = TableSpec(
    name="kernel_launches",
    summary="every kernel with its launch, operator, module, direction, inputs and call stack",
    columns=COLUMNS,
    extra_columns=NPU_LAUNCHES,
    columns_for=lambda **_: None,
    make=kernel_launches,
    options=(
        Option(
            name="stacks",
            default=True,
            help="Whether to build the column call_stack, which takes the most memory by far.",
            type=bool,
            annotation="bool",
            on_command_line=False,
        ),
        Option(
            "names",
            NAMES[0],
            "Whose columns to return: ours, or those of PyProf's report, under PyProf's names.",
            choices=NAMES,
        ),
    ),
    keys=("name", "device", "stream", "start_us"),
    sort=("start_us",),
    sums=("duration_us",),
    nouns=("launch", "launches"),
    needs="kernels",
    empty_texts={"device": "Copies and memory sets were recorded, but no kernel."},
)
