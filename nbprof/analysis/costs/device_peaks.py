"""Table `device_peaks`: what the devices of a trace reach at best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from nbprof.analysis.costs.peaks.known import device_peaks, known_peaks
from nbprof.analysis.devices.device_rows import devices_in
from nbprof.model.contract.columns import Columns, count, text
from nbprof.model.contract.spec import Option, TableSpec
from nbprof.model.contract.table import Column, make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    from nbprof.analysis.costs.peaks.peak import DevicePeak
    from nbprof.model.trace.model import TraceModel

DEVICE_PEAKS: Final[Columns] = (
    count("device", "Number of the device in the trace; null in the list of all known devices."),
    text("name", "Name of the kind of device that the figures are for."),
    text("dtype", "Type of the operands; …_matrix where matrix units differ from the others."),
    Column("peak_tflops", pa.float64(), "TFLOP/s", "Peak rate without sparsity."),
    Column("memory_tb_per_s", pa.float64(), "TB/s", "Bandwidth of the device's memory."),
    Column("link_gb_per_s", pa.float64(), "GB/s", "Bandwidth of all links, in both directions."),
    text("source", "Where the figures come from."),
)


def device_peak_rates(
    model: TraceModel, filter_: Filter = NO_FILTER, *, every: bool = False
) -> pa.Table:
    """Return the peak rates of the devices that did work.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Which devices.
    every : bool
        Return all known kinds of devices instead.

    Returns
    -------
    pyarrow.Table
        Columns of `DEVICE_PEAKS`; no rows for devices that are not known.
    """
    found: list[tuple[int | None, DevicePeak]] = (
        [(None, peak) for peak in known_peaks()]
        if every
        else list(device_peaks(model, devices_in(model, filter_)).items())
    )
    rows: list[tuple[Any, ...]] = [
        (device, peak.name, dtype, rate, peak.memory_tb_per_s, peak.link_gb_per_s, peak.source)
        for device, peak in found
        for dtype, rate in peak.tflops.items()
    ]
    columns = zip(*rows, strict=True) if rows else [()] * len(DEVICE_PEAKS)
    names = [column.name for column in DEVICE_PEAKS]
    return make_table(DEVICE_PEAKS, {n: list(c) for n, c in zip(names, columns, strict=True)})


def _truth(text_: str) -> bool:
    return text_.lower() in {"1", "true", "yes"}


TABLE: Final = TableSpec(
    name="device_peaks",
    summary="the peak rates of the devices of a trace",
    notes="`nbprof.options.device_peaks` adds devices and corrects figures.",
    columns=DEVICE_PEAKS,
    make=device_peak_rates,
    options=(
        Option(
            "every",
            default=False,
            help="All known kinds of devices instead.",
            type=_truth,
            annotation="bool",
        ),
    ),
    keys=("device", "name", "dtype"),
    nouns=("rate", "rates"),
    empty_texts={"": "The peaks of this device are not known; set nbprof.options.device_peaks."},
    warns_if_empty=False,
)
