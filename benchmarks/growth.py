"""Processor time of each phase for each event, of a recording repeated to 0.13 M and 2.6 M events.

Nothing may grow faster than n log n: an event of the long trace takes at most 1.2 times the time of
one of the short trace, over all phases.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

# The checkout that the benchmark belongs to, whatever is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from report.measure import describe, emit, machine
from traces.build_large import find_source
from traces.tile_tables import tile

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

SOURCE = "h100_bert"
SIZES = (130_000, 2_600_000)
BUDGET = 1.2
TABLES = ("steps", "overview", "device_summary", "operators", "kernels")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--source", default=SOURCE, help="the recording (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="turns (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()
    from nbprof.loading import load

    model = load(str(find_source(args.source)), cache=False, progress=False).trace().model
    events = int(model.metadata["events"])
    timed(tile(model, 1))  # imports
    found = []
    for size in SIZES:
        times = max(1, round(size / events))
        turns = [timed(tile(model, times)) for _ in range(args.repeat)]
        best = {phase: min(turn[phase] for turn in turns) for phase in turns[0]}
        each = {phase: value / (times * events) for phase, value in best.items()}
        found.append({"events": times * events, "s_per_event": each})
    small, large = (one["s_per_event"] for one in found)
    times_small = sum(large.values()) / sum(small.values())
    if args.json:
        start = {"benchmark": "growth", "machine": machine(), "source": args.source}
        emit({**start, "sizes": found, "times": times_small, "budget": BUDGET})
        return
    print(f"{describe(machine())}\n{args.source}, nanoseconds of processor time for each event\n")
    print(f"{'':<18}" + "".join(f"{one['events']:>14,}" for one in found) + f"{'times':>8}")
    for phase, value in small.items():
        other = large[phase]
        print(f"{phase:<18}{value * 1e9:>14.1f}{other * 1e9:>14.1f}{other / value:>8.2f}")
    print(f"all: {times_small:.2f} times, at most {BUDGET}")


def timed(model: TraceModel) -> dict[str, float]:
    """Return the processor seconds of nesting, links, steps and tables; columns are read before."""
    from nbprof.analysis.operators.calls import operator_calls
    from nbprof.model.filters.filter import NO_FILTER
    from nbprof.tables import TABLES as KNOWN

    for name in ("host", "device", "flows", "threads"):
        for column in model.tables[name].column_names:
            model.column(name, column)
    phases = {
        "nesting": lambda: model.nesting,
        "links": lambda: model.links,
        "step ranges": lambda: model.steps,
        "operator calls": lambda: operator_calls(model),
        **{name: lambda n=name: KNOWN[n].make(model, NO_FILTER) for name in TABLES},
    }
    found = {}
    for phase, work in phases.items():
        begin = time.process_time()
        work()
        found[phase] = time.process_time() - begin
    return found


if __name__ == "__main__":
    main()
