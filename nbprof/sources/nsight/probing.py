"""Probes an export: the processes in it that are workers, their ranks, machine and GPUs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from nbprof.sources.cuda.events import Events
from nbprof.sources.defects import DefectLog
from nbprof.sources.nsight import ranges, target, work
from nbprof.sources.nsight.calls import RUNTIME
from nbprof.sources.nsight.ids import pid_of
from nbprof.sources.sqlite.database import Database

if TYPE_CHECKING:
    from pathlib import Path

#: Tables of CUDA contexts, which name their process.
_CONTEXTS: Final = ("TARGET_INFO_CUDA_CONTEXT_INFO", "TARGET_INFO_CUDA_NULL_STREAM")
_WORK: Final = (work.KERNELS, work.COPIES, work.SETS, work.GRAPHS)
#: The name that MPI gives to the main thread of a rank.
_RANK: Final = re.compile(r"^MPI Rank (\d{1,9})$")


def facts_of(path: Path) -> dict[str, Any]:
    """Return fields of the `Head` of an export.

    Raises
    ------
    TraceFormatError
        The database is damaged.
    """
    with Database(path, DefectLog(path.name)) as database:
        events = Events(DefectLog(path.name))
        target.add_metadata(events, database)
        target.add_devices(events, database, None)
        own = _cuda_processes(database)
        ranks = _ranks(database)
        metadata = dict(events.metadata)
        processes: tuple[Any, ...] = ()
        if len(own) > 1:
            every = sorted(own | _marked_processes(database))
            processes = tuple(
                (("process", pid), *((("rank", ranks[pid]),) if pid in ranks else ()))
                for pid in every
            )
        elif len(set(ranks.values())) == 1:
            metadata["rank"] = next(iter(ranks.values()))
        has_work = bool(own) or any(database.has_rows(table) for table in (RUNTIME, *_WORK))
        return {
            "metadata": tuple(metadata.items()),
            "processes": processes,
            "device_type": "gpu" if has_work else "cpu",
            "devices": tuple(row["device"] for row in events.devices),
        }


def _cuda_processes(database: Database) -> set[int]:
    """Return the processes that have CUDA contexts or, if these are not listed, CUDA work."""
    found: set[int] = set()
    for table in _CONTEXTS:
        rows = database.records(table, ("processId",))
        found |= {row["processId"] for row in rows if isinstance(row["processId"], int)}
    if found:
        return found
    for table in _WORK:
        found |= _processes(database, table, "globalPid")
    return found


def _marked_processes(database: Database) -> set[int]:
    """Return the processes that have NVTX ranges."""
    return _processes(database, ranges.TABLE, "globalTid")


def _processes(database: Database, table: str, column: str) -> set[int]:
    if not database.has(table, column):
        return set()
    rows = database.rows(
        f'SELECT DISTINCT "{column}" >> 24 FROM "{table}"'  # noqa: S608
        f""" WHERE typeof("{column}") = 'integer'"""
    )
    return {pid_of(number << 24) for (number,) in rows if isinstance(number, int)}


def _ranks(database: Database) -> dict[int, int]:
    """Return the ranks of processes, by the names of their threads or the table of MPI."""
    found: dict[int, int] = {}
    events = Events(DefectLog(""))
    target.add_thread_names(events, database)
    names = dict(events.threads.names)
    for (pid, _), name in names.items():
        if match := _RANK.match(name):
            found[pid] = int(match[1])
    for row in database.records("MPI_RANKS", ("globalPid", "rank")):
        if isinstance(row["globalPid"], int) and isinstance(row["rank"], int):
            found[pid_of(row["globalPid"])] = row["rank"]
    return found
