"""Reads a profile of nvprof into a `TraceModel`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.model.trace import kinds
from nbprof.sources.cuda import names as words
from nbprof.sources.cuda.distinct import distinct_codes
from nbprof.sources.cuda.events import codes_by_key
from nbprof.sources.cuda.reading import Form, read_database
from nbprof.sources.cuda.work import add_copies, add_kernels, add_work, sizes
from nbprof.sources.cuda.work import words as words_of
from nbprof.sources.nvprof.callbacks import driver_name, runtime_name
from nbprof.sources.nvprof.dialect import DIALECT, FORMAT
from nbprof.sources.nvprof.markers import add_markers
from nbprof.sources.nvprof.target import add_devices
from nbprof.sources.options import READ_ALL, ReadOptions

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.cuda.events import Events
    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.progress import Progress
    from nbprof.sources.sqlite.database import Database

_PREFIX: Final = "CUPTI_ACTIVITY_KIND_"

#: Tables of calls, and how their numbers become names.
_CALLS: Final = {"RUNTIME": runtime_name, "DRIVER": driver_name}

#: Kinds of memory by CUPTI's numbers.
_MEMORIES: Final = {
    0: "Unknown",
    1: "Pageable",
    2: "Pinned",
    3: "Device",
    4: "Array",
    5: "Managed",
    6: "Device Static",
    7: "Managed Static",
}

_PLACE: Final = ("start", "end", "deviceId", "contextId", "streamId", "correlationId")
#: Columns that only Nsight Systems records; they are read as missing.
_LACKING: Final = ("greenContextId", "graphNodeId")
_KERNEL: Final = (
    *_PLACE,
    *_LACKING,
    "name",
    "launchType",
    "registersPerThread",
    "gridX",
    "gridY",
    "gridZ",
    "blockX",
    "blockY",
    "blockZ",
    "staticSharedMemory",
    "dynamicSharedMemory",
    "localMemoryPerThread",
)
#: nvprof numbers types of launches from 0.
_LAUNCHES: Final = {kind - 1: label for kind, label in words.LAUNCHES.items()}
_NEEDED: Final = ("start", "end")


def read(
    file: TraceFile, options: ReadOptions = READ_ALL, *, progress: Progress = "auto"
) -> TraceModel:
    """Read a profile, as `read_database` does."""
    return read_database(file, options, progress, _FORM)


def _add(events: Events, database: Database, process: int | None) -> None:
    del process  # a profile has one
    add_devices(events, database)
    for table, name in _CALLS.items():
        _add_calls(events, database, _PREFIX + table, name)
    _add_kernels(events, database)
    _add_memory_work(events, database)
    _add_synchronizations(events, database)
    add_markers(events, database)


_FORM: Final = Form(FORMAT, "a profile of nvprof", "StringTable", DIALECT, _add)


def _add_calls(events: Events, database: Database, table: str, name: Any) -> None:
    block = database.integers(
        table,
        ("cbid", "start", "end", "processId", "threadId", "correlationId", "returnValue"),
        needs=(*_NEEDED, "cbid"),
    )
    key, distinct = distinct_codes(block["cbid"])
    start, result = block["start"], block["returnValue"]
    more: dict[str, Any] = {"result": result} if (result > 0).any() else {}
    # Thread ids are recorded with 32 bits and a sign.
    tids = block["threadId"] & 0xFFFFFFFF
    events.host.add(
        block.rows,
        name=codes_by_key(key, [name(one) for one in distinct.tolist()], events.names),
        kind=kinds.RUNTIME,
        thread=events.threads.codes(block["processId"], tids),
        start_ns=start,
        duration_ns=events.durations(start, block["end"], "a call"),
        correlation=block["correlationId"],
        **more,
    )


def _add_kernels(events: Events, database: Database) -> None:
    """Add kernels, from the table of serialised ones if there is no other."""
    tables = [_PREFIX + name for name in ("CONCURRENT_KERNEL", "KERNEL")]
    table = next((one for one in tables if database.has_rows(one)), tables[0])
    block = database.integers(table, _KERNEL, needs=_NEEDED)
    if not block.rows:
        return
    key, distinct = distinct_codes(block.pop("name"))
    texts = database.named("StringTable", "_id_", "value", distinct.tolist())
    name = codes_by_key(key, [texts.get(one) for one in distinct.tolist()], events.names)
    launch = words_of(block["launchType"], _LAUNCHES, events.texts["launch_type"])
    add_kernels(events, block, name, np.zeros(block.rows, np.int64), launch_type=launch)


def _add_memory_work(events: Events, database: Database) -> None:
    for table in ("MEMCPY", "MEMCPY2"):
        block = database.integers(
            _PREFIX + table,
            (*_PLACE, *_LACKING, "bytes", "copyKind", "srcKind", "dstKind"),
            needs=_NEEDED,
        )
        if block.rows:
            add_copies(events, block, _MEMORIES, np.zeros(block.rows, np.int64))
    block = database.integers(
        _PREFIX + "MEMSET", (*_PLACE, *_LACKING, "bytes", "memoryKind"), needs=_NEEDED
    )
    if block.rows:
        target = words_of(block["memoryKind"], _MEMORIES, events.texts["target_memory"])
        add_work(
            events,
            kinds.MEMSET,
            block,
            events.names[words.MEMSET],
            np.zeros(block.rows, np.int64),
            **sizes(block),
            target_memory=target,
        )


def _add_synchronizations(events: Events, database: Database) -> None:
    """Add waits for the device, whose device is that of their context."""
    block = database.integers(
        _PREFIX + "SYNCHRONIZATION", (*_PLACE, *_LACKING, "type"), needs=_NEEDED
    )
    if not block.rows:
        return
    rows = database.records(_PREFIX + "CONTEXT", ("contextId", "deviceId"))
    device_of = {row["contextId"]: row["deviceId"] for row in rows}
    key, distinct = distinct_codes(block["contextId"])
    devices = [device_of.get(one) for one in distinct.tolist()]
    known = np.array([one if isinstance(one, int) else -1 for one in devices], np.int64)
    block.put("deviceId", known[key])
    key, distinct = distinct_codes(block["type"])
    called = [words.SYNCHRONIZATIONS.get(one, "Synchronization") for one in distinct.tolist()]
    name = codes_by_key(key, called, events.names)
    add_work(events, kinds.SYNC, block, name, np.zeros(block.rows, np.int64))
