"""The table of every launch, and the costs of operators, beside the table of kernels of the trace.

A recording with shapes is repeated in memory, to a million kernels for the launches and to 660,000
events for the costs. Nesting, links and steps are there before, as they are once a trace is open.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

# The checkout that the benchmark belongs to, whatever is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from report.measure import describe, emit, machine
from traces.build_large import SHARED
from traces.tile_tables import tile

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.model.trace.model import TraceModel

RECORDINGS = SHARED.parent / "h200"
#: Table, recording, what is counted to how many, seconds at most.
CASES = (
    ("kernel_launches", "decode", "kernels", 1_000_000, 0.5),
    ("operator_costs", "gpt_train", "events", 660_000, 0.3),
)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=3, help="turns (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()
    from nbprof.loading import load

    found = []
    for table, recording, what, size, budget in CASES:
        path = str(RECORDINGS / recording)
        model = load(path, cache=False, progress=False).trace().model
        sizes = {"kernels": model.tables["device"].num_rows, "events": model.metadata["events"]}
        times = max(1, round(size / int(sizes[what])))
        turns = [measured(tile(model, times), table) for _ in range(args.repeat)]
        best = {key: min(turn[key] for turn in turns) for key in turns[0]}
        counted = times * int(sizes[what])
        found.append({"table": table, "what": what, "count": counted, "budget_s": budget, **best})
    if args.json:
        emit({"benchmark": "costs", "machine": machine(), "tables": found})
        return
    print(f"{describe(machine())}\n")
    for one in found:
        ratio = one["table_s"] / one["kernels_s"]
        print(f"{one['table']:<18}{one['count']:>12,} {one['what']:<8}{one['table_s']:>7.3f} s, at")
        print(f"{'':<18}most {one['budget_s']} s; {ratio:.1f} times the table of kernels;")
        print(f"{'':<18}again, with costs, modules and directions there: {one['again_s']:.3f} s")


def measured(model: TraceModel, table: str) -> dict[str, float]:
    """Return the seconds of the table of kernels, then of a table, then of that table again."""
    from nbprof.model.filters.filter import NO_FILTER
    from nbprof.tables import TABLES

    for name in ("host", "device", "threads"):
        for column in model.tables[name].column_names:
            model.column(name, column)
    _ = model.nesting, model.links, model.steps
    return {
        f"{key}_s": seconds(partial(TABLES[name].make, model, NO_FILTER))
        for key, name in (("kernels", "kernels"), ("table", table), ("again", table))
    }


def seconds(work: Callable[[], object]) -> float:
    """Return how long some work takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
