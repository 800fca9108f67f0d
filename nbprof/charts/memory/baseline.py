"""`MemoryBaseline`: the memory of another run, drawn under that of a trace as dashed lines."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from nbprof.charts.memory.curves import Line, read_components, read_curves
from nbprof.model.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from nbprof.charts.memory.curves import Curve

#: What the line of a baseline is called; it has dashes of its own.
BASELINE: Final = "baseline"


@dataclass(frozen=True)
class MemoryBaseline:
    """The memory tables of another run, and the offset of its clock.

    Attributes
    ----------
    curve, peak : pyarrow.Table
        Tables ``memory_curve`` and ``memory_peak``.
    shift_us : float
        Offset to add to its times, in microseconds.
    range_us : (float, float)
        Start and end of what it covers, on the clock of the chart.
    """

    curve: pa.Table
    peak: pa.Table
    shift_us: float
    range_us: tuple[float, float]

    def joined(self, range_us: tuple[float, float]) -> tuple[float, float]:
        """Return a range of time that covers another one and the baseline."""
        return min(range_us[0], self.range_us[0]), max(range_us[1], self.range_us[1])

    def curves(self, by: str) -> list[Curve]:
        """Return the curves of its devices or components, on the clock of the chart.

        Each has one line, `BASELINE`: memory in use, or the first that was recorded.
        """
        found = (
            read_components(self.curve) if by == "component" else read_curves(self.curve, self.peak)
        )
        shift_ns = round(self.shift_us * 1000)
        return [
            replace(
                one,
                lines=[Line(BASELINE, one.lines[0].time_ns + shift_ns, one.lines[0].values)],
                peak_us=one.peak_us + self.shift_us,
                capacity=None,
            )
            for one in found
        ]

    def partners(self, curves: Sequence[Curve], by: str) -> list[Curve | None]:
        """Return the baseline of each curve, None for those without; see `partners_of`."""
        own = self.curves(by)
        labels = [[one.label for one in of] for of in (curves, own)]
        # Components are those of one software; others than equal ones have nothing in common.
        if by == "component":
            places = [labels[1].index(one) if one in labels[1] else None for one in labels[0]]
        else:
            places = partners_of(*labels)
        return [None if at is None else own[at] for at in places]


def partners_of(labels: Sequence[str], others: Sequence[str]) -> list[int | None]:
    """Return which devices of another run correspond to devices, by their labels.

    A device corresponds to that of the same name. Numbers of devices may differ from run to run,
    and kinds, too (GPU, NPU), so of the rest, the first ones correspond, the second ones, and so
    on; a CPU corresponds only to a CPU.
    """
    found: dict[str, int] = {label: others.index(label) for label in labels if label in others}
    left: defaultdict[bool, list[int]] = defaultdict(list)
    for at, label in enumerate(others):
        if at not in found.values():
            left[label == "CPU"].append(at)
    for label in labels:
        if label not in found and left[label == "CPU"]:
            found[label] = left[label == "CPU"].pop(0)
    return [found.get(label) for label in labels]


def change_text(peak: float, before: float) -> str:
    """Return the difference between two peaks with its sign: ``+12.3 MiB``; empty without any."""
    if peak == before:
        return ""
    sign = "+" if peak > before else "\N{MINUS SIGN}"
    return f"{sign}{format_bytes(abs(peak - before))}"
