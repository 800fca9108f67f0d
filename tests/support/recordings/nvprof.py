"""Writes a small profile of nvprof: two ranges, each with a call and a kernel, and other work."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

_PREFIX: Final = "CUPTI_ACTIVITY_KIND_"
_PROCESS, _THREAD, _START = 4000, 4001, 1_700_000_000_000_000_000
_START_FLAG, _END_FLAG = 2, 4

#: Texts by number, from 1.
TEXTS: Final = (
    "_Z4gemmIfEvi",
    "dgrad",
    "step 0",
    "step 1",
    "aten::mm, seq = 0, op_id = 5, sizes = [[2, 3], [3, 4]]",
    "Big GPU",
    "NCCL",
)

_COLUMNS: Final = {
    "RUNTIME": "cbid start end processId threadId correlationId returnValue",
    "DRIVER": "cbid start end processId threadId correlationId returnValue",
    "CONCURRENT_KERNEL": (
        "start end deviceId contextId streamId correlationId name launchType registersPerThread"
        " gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory"
        " localMemoryPerThread"
    ),
    "MEMCPY": (
        "start end deviceId contextId streamId correlationId bytes copyKind srcKind dstKind flags"
    ),
    "MEMSET": ("start end deviceId contextId streamId correlationId bytes value memoryKind flags"),
    "SYNCHRONIZATION": "start end contextId streamId correlationId cudaEventId type",
    "MARKER": "flags timestamp id objectKind objectId name domain",
    "DEVICE": (
        "id name computeCapabilityMajor computeCapabilityMinor numMultiprocessors"
        " globalMemorySize globalMemoryBandwidth coreClockRate maxWarpsPerMultiprocessor"
    ),
}


def write_profile(path: Path) -> Path:
    """Write a profile with every table that is read, and return its path."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT)")
        connection.executemany("INSERT INTO StringTable VALUES (?, ?)", enumerate(TEXTS, 1))
        for name, columns in _COLUMNS.items():
            listed = ", ".join(columns.split())
            connection.execute(f"CREATE TABLE {_PREFIX}{name} (_id_ INTEGER PRIMARY KEY, {listed})")
        _add(connection, "DEVICE", [0, 6, 9, 0, 4, 1 << 33, 900_000_000, 1_500_000, 64])
        for step in range(2):
            _write_step(connection, step, _START + 10_000 * step)
        connection.commit()
    return path


def _add(connection: sqlite3.Connection, table: str, values: list[Any]) -> None:
    columns = ", ".join(_COLUMNS[table].split())
    marks = ", ".join("?" * len(values))
    connection.execute(f"INSERT INTO {_PREFIX}{table} ({columns}) VALUES ({marks})", values)


def _write_step(connection: sqlite3.Connection, step: int, at: int) -> None:
    thread = struct.pack("<IQ", _PROCESS, _THREAD)
    for number, (begin, end, text) in enumerate(((0, 9000, 3 + step), (100, 2000, 5))):
        mark = [2 * step + number + 1, 2, thread]
        _add(connection, "MARKER", [_START_FLAG, at + begin, *mark, text, 7])
        _add(connection, "MARKER", [_END_FLAG, at + end, *mark, 0, 0])
    first = 10 * step
    calls = (("RUNTIME", 211, 1), ("DRIVER", 307, 2), ("RUNTIME", 41, 3), ("RUNTIME", 51, 4))
    for number, (table, cbid, correlation) in enumerate(calls):
        begin = at + 200 + 300 * number
        times = [begin, begin + 100]
        _add(connection, table, [cbid, *times, _PROCESS, _THREAD, first + correlation, 0])
    sizes = [1, 24, 2, 1, 1, 64, 1, 1, 16, 32, 0]
    for number in range(2):
        place = [at + 400 + 500 * number, at + 800 + 500 * number, 0, 1, 7, first + 1 + number]
        _add(connection, "CONCURRENT_KERNEL", [*place, 1 + number, *sizes])
    copy = [at + 1400, at + 1500, 0, 1, 7, first + 3]
    _add(connection, "MEMCPY", [*copy, 4096, 1, 1, 3, 0])
    _add(connection, "MEMSET", [*copy[:5], first + 4, 64, 0, 3, 0])
    _add(connection, "SYNCHRONIZATION", [at + 1700, at + 1900, 1, 7, first + 4, 0, 3])
