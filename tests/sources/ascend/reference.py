"""The reference traces of two NPUs, read with the standard library."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from tests.support.recordings.ascend import Event, read_directory
from tests.support.traces import to_ns

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

RANKS = ("rank0_20250109154803_ascend_pt", "rank1_20250109154803_ascend_pt")
LEVEL1 = "ascend/msinsight_text_level1/run_level1"

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Reference:
    """One rank; `number` is that of its device, too."""

    output: Path
    number: int

    @cached_property
    def model(self) -> TraceModel:
        return read_directory(self.output)

    @cached_property
    def events(self) -> list[Event]:
        """All events, decimals as they are written."""
        text = (self.output / "trace_view.json").read_text()
        found: list[Event] = json.loads(text, parse_float=Decimal)
        return found

    @cached_property
    def processes(self) -> dict[int, str]:
        return {e["pid"]: e["args"]["name"] for e in self.events if e["name"] == "process_name"}

    @cached_property
    def kernels(self) -> list[dict[str, str]]:
        """The rows of `kernel_details.csv` by their start."""
        with (self.output / "kernel_details.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        return sorted(rows, key=lambda row: Decimal(row["Start Time(us)"].strip()))

    @cached_property
    def zero(self) -> int:
        return min(to_ns(event["ts"]) for event in self.events if event["ph"] != "M")

    def slices(self, *names: str) -> list[Event]:
        """Return the slices of some processes."""
        return [e for e in self.events if e["ph"] == "X" and self.processes[e["pid"]] in names]

    def arrows(self, category: str, phase: str) -> list[Event]:
        """Return ends of arrows."""
        return [e for e in self.events if e["ph"] == phase and e["cat"] == category]

    def start(self, event: Event) -> int:
        """Return when an event starts, as the model counts."""
        return to_ns(event["ts"]) - self.zero


@cache
def reference(data: Path, number: int) -> Reference:
    """Return a rank; each is read once."""
    return Reference(data / LEVEL1 / RANKS[number] / "ASCEND_PROFILER_OUTPUT", number)
