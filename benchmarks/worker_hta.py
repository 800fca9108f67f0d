"""Read one trace with Holistic Trace Analysis and compute its tables; print the seconds as JSON.

Runs in an environment of its own, which has that package and need not have nbprof.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from importlib.metadata import version
from pathlib import Path

#: Its tables, by method; none of them draws.
TABLES = {
    "temporal breakdown": ("get_temporal_breakdown", {"visualize": False}),
    "kernel breakdown": ("get_gpu_kernel_breakdown", {"visualize": False}),
    "idle time": ("get_idle_time_breakdown", {"visualize": False}),
    "launch statistics": ("get_cuda_kernel_launch_stats", {"visualize": False}),
}


def main(path: str) -> None:
    """Measure one file."""
    seconds: dict[str, float] = {}
    begin = time.perf_counter()
    from hta.trace_analysis import TraceAnalysis

    logging.disable(logging.CRITICAL)
    seconds["import"] = time.perf_counter() - begin
    begin = time.perf_counter()
    analysis = TraceAnalysis(trace_files={0: path}, trace_dir=str(Path(path).parent))
    seconds["load"] = time.perf_counter() - begin
    for name, (method, options) in TABLES.items():
        begin = time.perf_counter()
        getattr(analysis, method)(**options)
        seconds[name] = time.perf_counter() - begin
    total = sum(value for name, value in seconds.items() if name != "import")
    found = {
        "seconds": seconds,
        "total_s": total,
        "version": version("HolisticTraceAnalysis"),
        "pandas": version("pandas"),
        "python": sys.version.split()[0],
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
