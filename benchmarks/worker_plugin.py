"""Read one trace with the TensorBoard plugin of the PyTorch Profiler; print the seconds as JSON.

Runs in an environment of its own, which has torch-tb-profiler and need not have nbprof. What is
measured is what the plugin does when it meets a new file, without TensorBoard round it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any


def main() -> None:
    """Measure one file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("path", help="the trace")
    parser.add_argument("--tables", help="a file to write what is compared to, as JSON")
    args = parser.parse_args()
    seconds: dict[str, float] = {}
    begin = time.perf_counter()
    from torch_tb_profiler.io.cache import Cache
    from torch_tb_profiler.profiler.data import RunProfileData
    from torch_tb_profiler.profiler.run_generator import RunGenerator

    seconds["import"] = time.perf_counter() - begin
    begin = time.perf_counter()
    data = RunProfileData.parse("worker0", 1, args.path, Cache())
    seconds["load and analyse"] = time.perf_counter() - begin
    begin = time.perf_counter()
    profile = RunGenerator("worker0", 1, data).generate_run_profile()
    seconds["views"] = time.perf_counter() - begin
    total = sum(value for name, value in seconds.items() if name != "import")
    if args.tables:
        Path(args.tables).write_text(json.dumps(figures(data, profile)))
    found = {
        "seconds": seconds,
        "total_s": total,
        "version": version("torch-tb-profiler"),
        "pandas": version("pandas"),
        "python": sys.version.split()[0],
    }
    print(json.dumps(found))


def figures(data: Any, profile: Any) -> dict[str, Any]:
    """Return what `agreement.py` compares."""
    operators = [
        {
            "name": op.name,
            "calls": op.calls,
            "host_self_us": op.self_host_duration,
            "host_total_us": op.host_duration,
            "device_self_us": op.self_device_duration,
            "device_total_us": op.device_duration,
        }
        for op in data.op_list_groupby_name
    ]
    kernels = json.loads(data.kernel_stat.reset_index().to_json(orient="records"))
    return {"overview": profile.overview, "operators": operators, "kernels": kernels}


if __name__ == "__main__":
    main()
