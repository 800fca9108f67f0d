"""The roofline in the text summary: achieved rates of the operators with the most device time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.export.text.table import cut_cells
from nbprof.model.units import format_pct
from nbprof.model.visible_text import printable

if TYPE_CHECKING:
    from nbprof.export.summary_tables import Summary

#: Operators listed, and the length of their names.
_TOP: Final = 5
_NAME: Final = 48


def roofline(summary: Summary) -> list[str]:
    """Return the operators with the most device time that have FLOPs; no lines without any."""
    costs = summary.table("operator_costs")
    rows = [row for row in costs.to_pylist() if row["tflops_per_s"]]
    if not rows:
        return []
    covered = (costs.schema.metadata or {}).get(b"covered_pct")
    of = "" if covered is None else f": {format_pct(float(covered))} % of device time has figures"
    lines = [f"Achieved FLOP/s of operators and shapes{of}"]
    top = sorted(rows, key=lambda one: -(one["device_us"] or 0.0))[:_TOP]
    # One unit for all, in which the fastest has digits before the point.
    factor, unit = (1.0, "T") if max(row["tflops_per_s"] for row in top) >= 1.0 else (1e3, "G")
    for row in top:
        peak = row["pct_of_peak"]
        reached = " " * 17 if peak is None else f"{format_pct(peak):>6} % of peak"
        name = cut_cells(printable(row["name"]), _NAME)
        rate = row["tflops_per_s"] * factor
        lines.append(f"  {rate:>9.2f} {unit}FLOP/s {reached}  {row['bound']:<8} {name}")
    return lines
