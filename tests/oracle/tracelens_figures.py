"""The GPU timeline of AMD TraceLens beside our table `device_time`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.analysis.devices.device_time import device_time
from tests.oracle.figures import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.traces import Oracle

COLUMNS = {
    "total_time": "total_us",
    "computation_time": "computation_us",
    "total_comm_time": "communication_us",
    "exposed_comm_time": "exposed_communication_us",
    "total_memcpy_time": "memcpy_us",
    "exposed_memcpy_time": "exposed_memcpy_us",
    "idle_time": "idle_us",
}


def tracelens_figures(oracle: Oracle) -> Iterator[Figure]:
    """Yield the times in microseconds; that tool does not tell devices apart."""
    rows = device_time(oracle.model).to_pylist()
    theirs = {r["type"]: r for r in oracle.figures["tables"]["gpu_timeline"]["rows"]}
    slack = 2 * oracle.model.tables["device"].num_rows * oracle.step_us
    yield Figure("device_time", "all", "rows", len(rows), 1)
    device = str(rows[0]["device"])
    for name, column in COLUMNS.items():
        microseconds = theirs[name]["time ms"] * 1000.0
        yield Figure("device_time", device, column, rows[0][column], microseconds, slack=slack)
    busy = rows[0]["total_us"] - rows[0]["idle_us"]
    microseconds = theirs["busy_time"]["time ms"] * 1000.0
    yield Figure("device_time", device, "busy_us", busy, microseconds, slack=slack)
