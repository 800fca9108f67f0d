"""Reads GPU metrics as counters, and the allocations of device memory as memory records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds
from nbprof.sources.cuda.distinct import distinct_codes
from nbprof.sources.cuda.events import codes_by_key
from nbprof.sources.cuda.work import small
from nbprof.sources.nsight.ids import of_process, pid_of

if TYPE_CHECKING:
    from nbprof.sources.cuda.events import Events
    from nbprof.sources.sqlite.columns import Block
    from nbprof.sources.sqlite.database import Database

_METRICS: Final = "GPU_METRICS"
_METRIC_NAMES: Final = "TARGET_INFO_GPU_METRICS"
MEMORY: Final = "CUDA_GPU_MEMORY_USAGE_EVENTS"

_PINNED, _CUDA = 1, 1
_FREE: Final = 1
#: The GPU is in the lowest bits of the type of a metric.
_GPU_MASK: Final = 0xFF
#: Counters have the "process" of their GPU, which must not be that of a thread.
_COUNTERS_OF_GPU: Final = -1000


def add_gpu_metrics(events: Events, database: Database) -> None:
    """Add the sampled metrics of all GPUs."""
    block = database.integers(
        _METRICS,
        ("timestamp", "typeId", "metricId", "value"),
        needs=("timestamp", "metricId", "value"),
    )
    if not block.rows:
        return
    rows = database.records(_METRIC_NAMES, ("typeId", "metricId"), ("metricName",))
    called = {
        (row["typeId"], row["metricId"]): str(row["metricName"])
        for row in rows
        if row["metricName"]
    }
    metric, metrics = distinct_codes(block["metricId"])
    kind, types = distinct_codes(block["typeId"])
    width = len(metrics)
    key, distinct = distinct_codes(kind.astype(np.int64) * width + metric)
    pairs = [(int(types[one // width]), int(metrics[one % width])) for one in distinct.tolist()]
    texts = [called.get(pair, f"metric {pair[1]}") for pair in pairs]
    gpus = np.array([max(pair[0], 0) & _GPU_MASK for pair in pairs], np.int64)
    events.counters.add(
        block.rows,
        name=codes_by_key(key, texts, events.names),
        series=-1,
        pid=_COUNTERS_OF_GPU - gpus[key],
        time_ns=block["timestamp"],
        value=block["value"].astype(float),
    )
    for gpu in np.unique(gpus).tolist():
        events.lanes.append(
            {
                "side": "counter",
                "place": _COUNTERS_OF_GPU - gpu,
                "stream": -1,
                "group": "GPU metrics",
                "name": f"GPU {gpu}",
            }
        )


def add_memory(events: Events, database: Database, process: int | None) -> None:
    """Add the allocations and releases of device memory, with the sum that is in use."""
    block = database.integers(
        MEMORY,
        (
            "start",
            "globalPid",
            "deviceId",
            "address",
            "bytes",
            "memKind",
            "memoryOperationType",
            "correlationId",
        ),
        needs=("start", "bytes"),
        where=of_process("globalPid", process),
    )
    if not block.rows:
        return
    block = block.select(np.argsort(block["start"], kind="stable"))
    is_pinned = block["memKind"] == _PINNED
    amount = np.abs(block["bytes"])
    change = np.where(block["memoryOperationType"] == _FREE, -amount, amount)
    place = np.where(is_pinned, -1, block["deviceId"])
    events.memory.add(
        block.rows,
        time_ns=block["start"],
        thread=_threads(events, block),
        bytes=change,
        address=block["address"],
        device_type=np.where(is_pinned, kinds.PINNED_TYPE, _CUDA).astype(np.int32),
        device=small(place),
        total_allocated=_running(place, change),
    )
    events.metadata["profile_memory"] = True


def _running(place: npt.NDArray[np.int64], change: npt.NDArray[np.int64]) -> Any:
    """Return the bytes in use after each record, by place, shape (records,)."""
    total = np.empty(len(change), np.int64)
    for one in np.unique(place).tolist():
        rows = place == one
        running = np.cumsum(change[rows])
        # What is released but was allocated before the recording was in use from the beginning.
        total[rows] = running - min(int(running.min()), 0)
    return total


def _threads(events: Events, block: Block) -> npt.NDArray[np.int32]:
    """Return the threads of the calls that allocated, shape (records,); -1 if unknown."""
    ids = events.correlations(pid_of(block["globalPid"]), block["correlationId"])
    return events.threads_of_calls(ids)
