"""A simulated training on two Ascend NPUs, written as its profiler would write it.

Nothing in it was measured. What it gets right is the order of things; how long they take comes from
a cost model with a fixed random variation.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from . import communication, tables, trace_view
from .training import START, train

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_profiles"]

_STAMP = "20260302092640305"
NOTE = "A simulation; nothing in this folder was measured."


def write_profiles(folder: Path) -> list[Path]:
    """Write the profile of every rank into a folder.

    Parameters
    ----------
    folder : Path
        Exists.

    Returns
    -------
    list of Path
        All files.
    """
    written = []
    for recording in train():
        run = folder / f"worker{recording.rank}_{_STAMP}_ascend_pt"
        output = run / "ASCEND_PROFILER_OUTPUT"
        output.mkdir(parents=True)
        info = {
            "synthetic": NOTE,
            "config": {
                "common_config": {
                    "activities": ["ProfilerActivity.CPU", "ProfilerActivity.NPU"],
                    "record_shapes": True,
                    "profile_memory": True,
                    "with_stack": True,
                    "with_modules": True,
                },
                "experimental_config": {
                    "_profiler_level": "Level1",
                    "_aic_metrics": "ACL_AICORE_PIPE_UTILIZATION",
                },
            },
            "start_info": {"freq": 100, "start_monotonic": START},
            "rank_id": recording.rank,
        }
        path = run / f"profiler_info_{recording.rank}.json"
        path.write_text(json.dumps(info, indent=1), encoding="utf-8")
        written.append(path)
        for name, write in (
            ("trace_view.json", trace_view.write),
            ("kernel_details.csv", tables.kernel_details),
            ("operator_details.csv", tables.operator_details),
            ("operator_memory.csv", tables.operator_memory),
            ("memory_record.csv", tables.memory_record),
            ("npu_module_mem.csv", tables.npu_module_mem),
            ("step_trace_time.csv", tables.step_trace_time),
            ("communication.json", communication.write),
        ):
            write(output / name, recording)
            written.append(output / name)
    return written
