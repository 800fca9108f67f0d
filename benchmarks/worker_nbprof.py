"""Read one trace with nbprof and compute its tables; print the seconds of each phase as JSON."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

# The checkout that the benchmark belongs to, whatever is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

TABLES = ("steps", "overview", "device_summary", "device_time", "operators", "kernels")


def main(path: str) -> None:
    """Measure one file."""
    seconds: dict[str, float] = {}

    def lap(name: str) -> None:
        nonlocal last
        now = time.perf_counter()
        seconds[name] = now - last
        last = now

    last = time.perf_counter()
    from nbprof.profile import load

    lap("import")
    trace = load(path, progress=False).trace()
    lap("discover")
    model = trace.model
    lap("read")
    _ = model.nesting, model.links, model.steps
    lap("nesting and links")
    rows = {}
    for name in TABLES:
        rows[name] = trace.table(name).num_rows
        lap(name)
    total = sum(value for name, value in seconds.items() if name != "import")
    print(
        json.dumps(
            {"seconds": seconds, "total_s": total, "rows": rows, "events": model.metadata["events"]}
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
