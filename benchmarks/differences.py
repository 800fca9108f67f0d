"""Comparing two large traces, beside loading both and computing the same tables of each alone.

Both ways take turns, each time in a fresh process without the cache; ratios are of medians of
processor time. What the comparison takes for each event of a quarter of the trace tells whether it
is linear.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path
from typing import Any

# The checkout that the benchmark belongs to, whatever is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from report.measure import describe, emit, machine, run
from traces.build_large import DEFAULT_EVENTS, build

#: The two traces: the same model before and after a change.
SOURCES = ("diff_control", "diff_test")
#: The comparison may take this many times what both traces take alone.
BUDGET = 1.5
#: Time for each event of the whole trace, by that of a quarter of it.
GROWTH = 1.2

#: The tables of a trace that the tables of differences correspond to.
ALONE = """
import sys, nbprof
for path in sys.argv[1:]:
    trace = nbprof.load(path, cache=False, progress=False).trace()
    trace.steps(), trace.overview(), trace.operators(), trace.operators(group_by="name+shape")
    trace.kernels(), trace.modules(), trace.flame(), trace.memory_peak()
    trace.memory_peak_holders(), trace.idle_time(), trace.nsys_cuda_api_sum()
print("{}")
"""
COMPARED = """
import sys, nbprof
from nbprof.diffs.lookup import words
sides = [nbprof.load(path, cache=False, progress=False) for path in sys.argv[1:]]
diff = nbprof.diff(*sides)
for word in words():
    diff.table(word)
print("{}")
"""
#: The same, and what the view answers first: both sides, the waterfall, the tree and a table.
SHOWN = """
import sys, nbprof
from nbprof.diffs.lookup import words
from nbprof.widgets.requests.tables import page
from nbprof.widgets.views.diff.requests import diff as both
sides = [nbprof.load(path, cache=False, progress=False) for path in sys.argv[1:]]
diff = nbprof.diff(*sides)
for word in words():
    diff.table(word)
view = nbprof.Explorer(diff)
state = {"run": view.run, "worker": view.worker, "span": view.span, "baseline": view.baseline}
quiet = lambda *_: None
both(view._session, {"state": state}, quiet)
page(view._session, {"state": state, "table": "diff_tree", "tree": {}}, quiet)
page(view._session, {"state": state, "table": "differences", "group_by": "operator"}, quiet)
print("{}")
"""
WAYS = {"alone": ALONE, "compared": COMPARED, "shown": SHOWN}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--events", type=int, default=DEFAULT_EVENTS, help="of each trace")
    parser.add_argument("--repeat", type=int, default=3, help="turns (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()
    whole = measured([str(build(source, args.events)) for source in SOURCES], args.repeat)
    part = measured([str(build(source, args.events // 4)) for source in SOURCES], args.repeat)
    ratio = whole["shown"]["cpu_s"] / whole["alone"]["cpu_s"]
    growth = whole["shown"]["cpu_s"] / (4 * part["shown"]["cpu_s"])
    if args.json:
        start = {"benchmark": "diff", "machine": machine(), "events": args.events}
        emit({**start, **whole, "times": ratio, "budget": BUDGET, "growth": growth})
        return
    print(f"{describe(machine())}\ntwo traces of {args.events:,} events\n")
    for way, found in whole.items():
        print(f"{way:<12}{found['cpu_s']:>8.2f} s of the processor{found['wall_s']:>8.2f} s wall")
    print(f"compared and shown takes {ratio:.2f} times alone, at most {BUDGET}")
    print(f"for each event {growth:.2f} times a quarter of the trace, at most {GROWTH}")


def measured(paths: list[str], repeat: int) -> dict[str, dict[str, Any]]:
    """Return the median times of both ways, which take turns."""
    turns: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
    for _ in range(repeat):
        for way, code in WAYS.items():
            turns[way].append(run([sys.executable, "-c", code, *paths]))
    return {
        way: {
            key: statistics.median(turn[key] for turn in found)
            for key in ("cpu_s", "wall_s", "peak_pss_bytes")
        }
        for way, found in turns.items()
    }


if __name__ == "__main__":
    main()
