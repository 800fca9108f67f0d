"""Read one trace with Holistic Trace Analysis and compute its tables; print the seconds as JSON.

Runs in an environment of its own, which has that package and need not have nbprof.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

#: Its tables, by method; none of them draws.
TABLES = {
    "temporal breakdown": ("get_temporal_breakdown", {"visualize": False}),
    "kernel breakdown": ("get_gpu_kernel_breakdown", {"visualize": False}),
    "idle time": ("get_idle_time_breakdown", {"visualize": False}),
    "launch statistics": ("get_cuda_kernel_launch_stats", {"visualize": False}),
}


def main() -> None:
    """Measure one file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("path", help="the trace")
    parser.add_argument("--tables", help="a file to write what is compared to, as JSON")
    args = parser.parse_args()
    seconds: dict[str, float] = {}
    begin = time.perf_counter()
    from hta.trace_analysis import TraceAnalysis

    logging.disable(logging.CRITICAL)
    seconds["import"] = time.perf_counter() - begin
    begin = time.perf_counter()
    # Without this it leaves the last step out, and would do less than the others.
    analysis = TraceAnalysis(
        trace_files={0: args.path},
        trace_dir=str(Path(args.path).parent),
        include_last_profiler_step=True,
    )
    seconds["load"] = time.perf_counter() - begin
    for name, (method, options) in TABLES.items():
        begin = time.perf_counter()
        getattr(analysis, method)(**options)
        seconds[name] = time.perf_counter() - begin
    total = sum(value for name, value in seconds.items() if name != "import")
    if args.tables:
        Path(args.tables).write_text(json.dumps(figures(analysis)))
    found = {
        "seconds": seconds,
        "total_s": total,
        "version": version("HolisticTraceAnalysis"),
        "pandas": version("pandas"),
        "python": sys.version.split()[0],
    }
    print(json.dumps(found))


def figures(analysis: Any) -> dict[str, Any]:
    """Return what `agreement.py` compares, with all kernels instead of the first ten."""
    breakdown = analysis.get_temporal_breakdown(visualize=False)
    _, kernels = analysis.get_gpu_kernel_breakdown(
        visualize=False, duration_ratio=1.0, num_kernels=1_000_000
    )
    launches = analysis.get_cuda_kernel_launch_stats(visualize=False)
    return {
        "temporal": json.loads(breakdown.to_json(orient="records")),
        "kernels": json.loads(kernels.to_json(orient="records")),
        "launches": len(launches[0]),
    }


if __name__ == "__main__":
    main()
