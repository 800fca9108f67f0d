"""Read one trace with the TensorBoard plugin of the PyTorch Profiler; print the seconds as JSON.

Runs in an environment of its own, which has torch-tb-profiler and need not have nbprof. What is
measured is what the plugin does when it meets a new file, without TensorBoard round it.
"""

from __future__ import annotations

import json
from typing import Any

from phases import Phases, versions


def main() -> None:
    """Measure one file."""
    phases = Phases(__doc__)
    from torch_tb_profiler.io.cache import Cache
    from torch_tb_profiler.profiler.data import RunProfileData
    from torch_tb_profiler.profiler.run_generator import RunGenerator

    phases.lap("import")
    data = RunProfileData.parse("worker0", 1, phases.args.path, Cache())
    phases.lap("load and analyse")
    profile = RunGenerator("worker0", 1, data).generate_run_profile()
    phases.lap("views")
    phases.finish(lambda: figures(data, profile), versions("torch-tb-profiler"))


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
