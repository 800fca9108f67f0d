"""The twenty columns of PyProf's report, as an Arrow table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.kernels.matrix_names import use_by_name
from nbprof.analysis.pyprof.calls import UnsupportedError
from nbprof.analysis.pyprof.operators import figures_of, plain_params
from nbprof.model.contract.columns import Columns, count, text
from nbprof.model.contract.table import make_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from nbprof.analysis.pyprof.records import Record

#: What stands for nothing, and for what is unknown.
NONE: Final = "-"
UNKNOWN: Final = "na"

#: The columns by PyProf's names, and why figures are missing.
COLUMNS: Final[Columns] = (
    count("idx", "Number of the kernel, from 1."),
    text("seq", "Autograd number of the kernel."),
    text("altseq", "Other autograd numbers around its launch."),
    count("tid", "Thread that launched it."),
    text("layer", "Layers or modules around its launch, the outermost first, joined by :."),
    text("trace", "Frames of Python around its launch, the outermost first, joined by a comma."),
    text("dir", "fprop, bprop, or optim for kernels of an optimizer."),
    count("sub", "Position among the kernels of the same number and operator, from 0."),
    text("mod", "Module or namespace of the operator."),
    text("op", "Operator."),
    text("kernel", "Short name of the kernel."),
    text("params", "Parameters of the operator."),
    count("sil", "Time of the kernel.", "ns"),
    text("tc", "1 if it uses matrix units, 0 if it could and does not, - if it could not."),
    count("device", "Number of the device."),
    count("stream", "Number of the stream."),
    text("grid", "Blocks of the launch."),
    text("block", "Threads of a block."),
    count("flops", "Floating point operations of the algorithm; empty if unknown."),
    count("bytes", "Bytes that the algorithm reads and writes; empty if unknown.", "bytes"),
    text("status", "ok, or why FLOPs and bytes are unknown."),
)


def report_of(records: Sequence[Record]) -> pa.Table:
    """Return the report of kernels that are numbered and linked.

    Parameters
    ----------
    records : sequence of Record
        In order of time, see `nbprof.analysis.pyprof.numbering`.

    Returns
    -------
    pyarrow.Table
        Columns of `COLUMNS`.
    """
    rows = [_row(number, one) for number, one in enumerate(records, 1)]
    return make_table(COLUMNS, {c.name: [row[c.name] for row in rows] for c in COLUMNS})


def _row(number: int, record: Record) -> dict[str, Any]:
    operator = next(iter(record.operators), "")
    flops = bytes_ = None
    status, params, multiplies = "ok", "na=na,", False
    try:
        figures = figures_of(record)
    except UnsupportedError as error:
        status = str(error)
        if record.calls:
            params = plain_params(record.calls[0])
    else:
        flops, bytes_, params = figures.flops, figures.bytes, figures.params
        operator = figures.operator or operator
        multiplies = figures.multiplies
    return {
        "idx": number,
        "seq": _joined(record.sequences, ","),
        "altseq": _joined(record.other_sequences, ","),
        "tid": record.thread,
        "layer": _joined(record.layers, ":"),
        "trace": _joined(record.trace, ","),
        "dir": "bprop" if record.is_backward else "fprop",
        "sub": record.ordinal,
        "mod": next(iter(record.modules), ""),
        "op": operator,
        "kernel": record.short_name.replace(" ", "_"),
        "params": params,
        "sil": record.duration_ns,
        "tc": _matrix_unit(record, multiplies=multiplies),
        "device": record.device,
        "stream": record.stream,
        "grid": record.grid,
        "block": record.block,
        "flops": flops,
        "bytes": bytes_,
        "status": status,
    }


def _matrix_unit(record: Record, *, multiplies: bool) -> str:
    """Return whether a kernel uses matrix units; the name of the kernel decides."""
    if use_by_name(record.name):
        return "1"
    if not record.calls:
        return UNKNOWN
    # Convolutions may run without matrix products.
    is_product = multiplies and not record.operators[0].startswith("conv")
    return "0" if is_product else NONE


def _joined(values: Sequence[object], separator: str) -> str:
    return separator.join(map(str, values)) or NONE
