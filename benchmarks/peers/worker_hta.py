"""Read one trace with Holistic Trace Analysis and compute its tables; print the seconds as JSON.

Runs in an environment of its own, which has that package and need not have nbprof.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from phases import Phases, versions

#: Its tables, by method; none of them draws.
TABLES = {
    "temporal breakdown": ("get_temporal_breakdown", {"visualize": False}),
    "kernel breakdown": ("get_gpu_kernel_breakdown", {"visualize": False}),
    "idle time": ("get_idle_time_breakdown", {"visualize": False}),
    "launch statistics": ("get_cuda_kernel_launch_stats", {"visualize": False}),
}


def main() -> None:
    """Measure one file."""
    phases = Phases(__doc__)
    from hta.trace_analysis import TraceAnalysis

    logging.disable(logging.CRITICAL)
    phases.lap("import")
    # Without this it leaves the last step out, and would do less than the others.
    analysis = TraceAnalysis(
        trace_files={0: phases.args.path},
        trace_dir=str(Path(phases.args.path).parent),
        include_last_profiler_step=True,
    )
    phases.lap("load")
    for name, (method, options) in TABLES.items():
        getattr(analysis, method)(**options)
        phases.lap(name)
    phases.finish(lambda: figures(analysis), versions("HolisticTraceAnalysis"))


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
