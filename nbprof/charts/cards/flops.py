"""Card of FLOPs utilization on the overview: MFU and HFU of each step, and what they leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.charts.cards.cards import Card, CardChart
from nbprof.model.arrays import floats_of
from nbprof.model.units import format_pct

if TYPE_CHECKING:
    import pyarrow as pa

_MFU: Final = ("mfu_pct", "MFU", "slot0")
_HFU: Final = ("hfu_pct", "HFU", "slot3")
#: What the figures leave out.
_LEFT_OUT: Final = (
    "counted are matrix products, convolutions and attention with recorded shapes, at the dense"
    " peak of their type; elementwise work, optimizers and kernels without a formula are left out"
)


def no_flops_card(missing: str) -> Card:
    """Return the card that says why there are no FLOPs, above what the device can reach.

    Parameters
    ----------
    missing : str
        Why, and how to record what is needed.
    """
    note = f"{missing.rstrip('.')}; with shapes, MFU is known. What the device can reach:"
    columns = ("name", "dtype", "peak_tflops", "memory_tb_per_s")
    return Card("flops", "FLOPs utilization", note, table="device_peaks", columns=columns)


def flops_card(table: pa.Table | None, steps: pa.Table | None = None) -> Card | None:
    """Return the card of the table ``step_flops``; None if the shares are unknown.

    Parameters
    ----------
    table : pyarrow.Table or None
        The table under the filter.
    steps : pyarrow.Table, optional
        The table of all steps, if `table` is filtered: a chart shows the others muted.
    """
    if table is None or table["mfu_pct"].null_count == table.num_rows:
        return None
    mfu, hfu, covered = (
        float(np.nanmean(floats_of(table[name]))) for name in ("mfu_pct", "hfu_pct", "covered_pct")
    )
    repeats = any(table["recomputed_flops"].to_pylist())
    words = [f"MFU {format_pct(mfu)} %"]
    if repeats:
        words[0] += f", HFU {format_pct(hfu)} % with forward work that the backward pass repeats"
    words.append(f"{_LEFT_OUT}; {format_pct(covered)} % of the device time has figures")
    chart = CardChart(
        "bars",
        "flops",
        "step_flops",
        "step",
        (_MFU, _HFU) if repeats else (_MFU,),
        stacked=False,
        quantity="share",
        picks="steps",
    )
    charts = {"": (chart,)} if (table if steps is None else steps).num_rows > 1 else {}
    own = () if charts else ("step", "flops", "mfu_pct", "hfu_pct", "covered_pct")
    return Card(
        "flops",
        "FLOPs utilization",
        ": ".join(words),
        charts,
        table="" if charts else "step_flops",
        columns=own,
    )
