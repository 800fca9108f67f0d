"""Read one trace with nbprof and compute its tables; print the seconds of each phase as JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

# The checkout that the benchmark belongs to, whatever is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if TYPE_CHECKING:
    from nbprof.trace import Trace

TABLES = ("steps", "overview", "device_summary", "device_time", "operators", "kernels")


def main() -> None:
    """Measure one file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("path", help="the trace")
    parser.add_argument("--cache", action="store_true", help="keep it, and use what is kept")
    parser.add_argument("--options", default="{}", help="further arguments of load, as JSON")
    parser.add_argument("--tables", help="a file to write the tables to, as JSON")
    args = parser.parse_args()
    seconds: dict[str, float] = {}
    used: dict[str, float] = {}

    def lap(name: str) -> None:
        nonlocal last
        now = time.perf_counter(), cpu_s()
        seconds[name], used[name] = now[0] - last[0], now[1] - last[1]
        last = now

    last = time.perf_counter(), cpu_s()
    from nbprof.profile import load

    lap("import")
    options = json.loads(args.options)
    trace = load(args.path, cache=args.cache, progress=False, **options).trace()
    lap("discover")
    model = trace.model
    lap("read")
    _ = model.nesting, model.links, model.steps
    lap("nesting and links")
    rows = {}
    for name in TABLES:
        rows[name] = trace.table(name).num_rows
        lap(name)
    open_s = sum(seconds[name] for name in ("discover", "read", "nesting and links"))
    total = sum(value for name, value in seconds.items() if name != "import")
    if args.tables:
        Path(args.tables).write_text(json.dumps(figures(trace)))
    found = {
        "seconds": seconds,
        "cpu_seconds": used,
        "open_s": open_s,
        "total_s": total,
        "rows": rows,
    }
    print(json.dumps({**found, "events": model.metadata["events"]}))


def cpu_s() -> float:
    """Return the processor time of this process and of its helpers that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def figures(trace: Trace) -> dict[str, Any]:
    """Return what `agreement.py` compares with the tables of other tools."""
    found = {name: trace.table(name).to_pylist() for name in TABLES}
    without_memsets = trace.filter(kinds=("kernel", "memcpy")).device_time()
    launches = int((trace.model.links.launch >= 0).sum())
    return {
        **found,
        "device_time_without_memsets": without_memsets.to_pylist(),
        "launches": launches,
    }


if __name__ == "__main__":
    main()
