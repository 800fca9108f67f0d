"""The Ascend reference profiles, and the output of the Ascend plugin for them."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

from nbprof.sources import discover
from nbprof.sources.ascend.reading import read

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

#: Folders of the data and files of the figures, by data set.
SETS = {
    "unit": ("msinsight_unit_rank", "ascend_msinsight_unit_rank_run_unit.json"),
    "level1": ("msinsight_text_level1", "ascend_msinsight_text_level1_run_level1.json"),
    "st": ("msinsight_st_level2", "ascend_msinsight_st_level2_run_st.json"),
}
#: Every worker of every data set.
WORKERS = [
    *(("unit", worker) for worker in ("rank0", "rank1")),
    *(("level1", worker) for worker in ("rank0", "rank1")),
    *(("st", worker) for worker in ("rank0", "rank1", "rank2", "rank3")),
]


@functools.cache
def model_of(shared_data: Path, name: str, worker: str) -> TraceModel:
    """Read a worker once for all tests."""
    folder = shared_data / "ascend" / SETS[name][0]
    [file] = [file for file in discover(folder).files if file.worker == worker]
    return read(file, progress=False)


def output_of(shared_data: Path, name: str, worker: str) -> Path:
    """Return the folder of a worker's files."""
    folder = shared_data / "ascend" / SETS[name][0]
    [found] = folder.glob(f"*/{worker}_*/ASCEND_PROFILER_OUTPUT")
    return found


@functools.cache
def figures_of(shared_oracle: Path, name: str, worker: str) -> dict[str, Any]:
    """Return what the plugin said of a worker."""
    told = json.loads((shared_oracle / "ascend" / SETS[name][1]).read_text("utf-8"))
    figures: dict[str, Any] = told["workers"][f"{worker}|1"]
    return figures
