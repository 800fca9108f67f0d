"""Read one trace with nbprof and compute its tables; print the seconds of each phase as JSON."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phases import Phases

# The checkout that the benchmark belongs to, whatever is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if TYPE_CHECKING:
    from nbprof.trace import Trace

TABLES = ("steps", "overview", "device_summary", "device_time", "operators", "kernels")


def main() -> None:
    """Measure one file."""
    phases = CpuPhases(
        __doc__,
        {
            "--cache": {"action": "store_true", "help": "keep it, and use what is kept"},
            "--options": {"default": "{}", "help": "further arguments of load, as JSON"},
        },
    )
    from nbprof.loading import load

    phases.lap("import")
    args = phases.args
    options = json.loads(args.options)
    trace = load(args.path, cache=args.cache, progress=False, **options).trace()
    phases.lap("discover")
    model = trace.model
    phases.lap("read")
    _ = model.nesting, model.links, model.steps
    phases.lap("nesting and links")
    rows = {}
    for name in TABLES:
        rows[name] = trace.table(name).num_rows
        phases.lap(name)
    found = {
        "cpu_seconds": phases.cpu_seconds,
        "open_s": sum(phases.seconds[name] for name in ("discover", "read", "nesting and links")),
        "rows": rows,
        "events": model.metadata["events"],
    }
    phases.finish(lambda: figures(trace), found)


class CpuPhases(Phases):
    """Phases with their processor time."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.cpu_seconds: dict[str, float] = {}
        self._last_cpu = cpu_s()

    def lap(self, name: str) -> None:
        """End a phase."""
        super().lap(name)
        now = cpu_s()
        self.cpu_seconds[name] = now - self._last_cpu
        self._last_cpu = now


def cpu_s() -> float:
    """Return the processor time of this process and of its helpers that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def figures(trace: Trace) -> dict[str, Any]:
    """Return what `agreement.py` compares with the tables of other tools."""
    from nbprof.analysis.devices.device_intervals import device_union
    from nbprof.analysis.devices.device_rows import work_of_kind
    from nbprof.analysis.kernels.communication import device_communication
    from nbprof.model.intervals import measure
    from nbprof.model.trace import kinds

    found = {name: trace.table(name).to_pylist() for name in TABLES}
    # The table counts memory sets as computation.
    computes = work_of_kind(trace.model, kinds.KERNEL) & ~device_communication(trace.model)
    launches = int((trace.model.links.launch >= 0).sum())
    return {
        **found,
        "computation_without_memsets_us": measure(device_union(trace.model, computes)) / 1000,
        "launches": launches,
    }


if __name__ == "__main__":
    main()
