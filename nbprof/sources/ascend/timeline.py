"""What ran when: the events of the trace joined with the rows of the CSV files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.sources.ascend.trace_view import TraceRows
    from nbprof.sources.faults import Faults


def build(
    trace: TraceRows | None,
    kernels: pa.Table | None,
    operators: pa.Table | None,
    zero_ns: int,
    faults: Faults,
) -> dict[str, pa.Table]:
    """Return the tables about what ran when, by their names in `nbprof.model.schema.TABLES`.

    Parameters
    ----------
    trace : TraceRows or None
        Of `trace_view.json`; None where there is none.
    kernels : pyarrow.Table or None
        Of `kernel_details.csv`, in its order: the columns of `csv_kernels.COLUMNS`, then one for
        each metric; start_ns is absolute.
    operators : pyarrow.Table or None
        Of `operator_details.csv`, in its order: MEASURED_OPERATORS without `row`.
    zero_ns : int
        Time zero of the model on the clock of the files.
    faults : Faults
        Counts what does not fit together.

    Returns
    -------
    dict of str to pyarrow.Table
        host, device, flows, counters, threads, lanes, devices, collectives, npu_kernels,
        measured_operators and step_ranges, as far as there is something for them.
    """
    del trace, kernels, operators, zero_ns, faults
    return {}
