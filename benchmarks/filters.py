"""Changing a filter on a large trace: how long every aggregate that a view shows takes in Python.

Every filter is new to the trace, so that nothing kept from the one before answers it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from build_large import DEFAULT_SOURCE, build
from measure import describe, emit, machine

# The checkout that the benchmark belongs to, whatever is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if TYPE_CHECKING:
    from nbprof.trace import Trace

EVENTS = 1_000_000
BUDGET_S = 0.1

#: What each view asks for when the filter changes.
VIEWS = {
    "overview": ("steps", "overview", "device_summary", "device_time", "recommendations"),
    "operators": ("operators",),
    "kernels": ("kernels",),
}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--source", default=DEFAULT_SOURCE, help="what to build the trace from")
    parser.add_argument("--events", type=int, default=EVENTS, help="how large to build it")
    parser.add_argument("--repeat", type=int, default=5, help="filters of each sort")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    args = parser.parse_args()

    from nbprof.profile import load

    path = build(args.source, args.events)
    trace = load(str(path), progress=False).trace()
    begin = time.perf_counter()
    events = trace.model.metadata["events"]
    read = time.perf_counter() - begin
    first = _measure(trace, [{}])[0]
    facts = machine()
    if args.json:
        start = {"trace": path.name, "events": events, "machine": facts, "read_s": read}
        emit({"benchmark": "filters", **start, "first_s": first})
    else:
        print(f"{path.name}: {events:,} events, read in {read:.2f} s\n{describe(facts)}\n")
        print(f"{'milliseconds':<18}" + "".join(f"{t:>17}" for t in first) + f"{'all':>9}")
        _print_row("first, unfiltered", first)
    for sort, filters in _filters(trace, args.repeat).items():
        found = _measure(trace, filters)
        median = {table: statistics.median(f[table] for f in found) for table in found[0]}
        if args.json:
            views = {view: sum(median[t] for t in tables) for view, tables in VIEWS.items()}
            total = sum(median.values())
            within = max(views.values()) <= BUDGET_S
            record = {"filter": sort, "median_s": median, "views_s": views, "all_s": total}
            emit({"benchmark": "filters", **record, "each_view_in_budget": within})
        else:
            _print_row(sort, median)


def _measure(trace: Trace, filters: list[dict[str, Any]]) -> list[dict[str, float]]:
    found = []
    for fields in filters:
        narrowed = trace.filter(**fields)
        seconds = {}
        for tables in VIEWS.values():
            for table in tables:
                begin = time.perf_counter()
                narrowed.table(table)
                seconds[table] = time.perf_counter() - begin
        found.append(seconds)
    return found


def _filters(trace: Trace, repeat: int) -> dict[str, list[dict[str, Any]]]:
    """Return filters of every sort that differ from each other and keep much of the trace."""
    model = trace.model
    numbers = model.steps.number
    first, last = int(numbers.min()), int(numbers.max())
    end_us = model.metadata["end_ns"] / 1000
    tid = model.column("threads", "tid").tolist()
    streams = sorted(set(model.column("device", "stream").tolist()))
    turns = range(repeat)
    return {
        "steps": [{"steps": (min(first + i, last), last)} for i in turns],
        "time": [{"time_us": (end_us * 0.01 * i, end_us * 0.9)} for i in turns],
        "name": [{"name": part} for part in ("conv", "add", "mm", "norm", "e", "a")[:repeat]],
        "pattern": [{"name": f"/^(aten|void).*{part}/"} for part in "abcdefgh"[:repeat]],
        "thread": [{"threads": (tid[i % len(tid)],)} for i in turns],
        "stream": [{"streams": (streams[i % len(streams)],)} for i in turns],
        "kinds": [{"kinds": ("operator", "kernel", "memcpy")[: 1 + i % 3]} for i in turns],
    }


def _print_row(label: str, seconds: dict[str, float]) -> None:
    cells = "".join(f"{value * 1000:>17.1f}" for value in seconds.values())
    print(f"{label:<18}{cells}{sum(seconds.values()) * 1000:>9.1f}")


if __name__ == "__main__":
    main()
