"""Reads what an export says about GPUs, processes, threads, and the profiler's own problems."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from nbprof.sources.limits.gpus import gpu_row, is_number
from nbprof.sources.nsight.ids import pid_of, tid_of

if TYPE_CHECKING:
    from nbprof.sources.cuda.events import Events
    from nbprof.sources.sqlite.database import Database

#: Diagnostics from this severity on are warnings.
_WARNING: Final = 2
_SHOWN: Final = 20

#: A path with folders in the text of a message; its last component is the group.
_PATH: Final = re.compile(
    r"(?<![\w./\\])(?:[A-Za-z]:|~|\.\.?)?[/\\](?:[^\s/\\'\"]+[/\\])*([^\s/\\'\"]*)"
)

_GPU: Final = (
    "id",
    "totalMemory",
    "smCount",
    "cuDevice",
    "computeMajor",
    "computeMinor",
)


def add_devices(events: Events, database: Database, process: int | None) -> None:
    """Add the GPUs of a process by their CUDA numbers.

    An export numbers GPUs as the system does. Kernels have the numbers of CUDA, which
    ``CUDA_VISIBLE_DEVICES`` changes from process to process. Newer exports have a table of both
    numbers; before, the column ``cuDevice`` or the place on the bus has to do.
    """
    gpus = database.records("TARGET_INFO_GPU", _GPU, ("name", "busLocation"))
    if not gpus:
        return
    numbers = _cuda_numbers(database, process)
    gpus.sort(key=lambda gpu: str(gpu["busLocation"] or ""))
    found: dict[int, dict[str, Any]] = {}
    for place, gpu in enumerate(gpus):
        number = gpu["cuDevice"] if is_number(gpu["cuDevice"]) else place
        for one in numbers.get(gpu["id"], [] if numbers else [number]):
            found.setdefault(one, gpu)
    for number, gpu in sorted(found.items()):
        made = gpu_row(
            number,
            gpu["name"],
            events.defects,
            memory_bytes=gpu["totalMemory"],
            compute_major=gpu["computeMajor"],
            compute_minor=gpu["computeMinor"],
            multiprocessors=gpu["smCount"],
        )
        events.multiprocessors[number] = made["multiprocessors"]
        events.devices.append(made)


def _cuda_numbers(database: Database, process: int | None) -> dict[Any, list[int]]:
    """Return the CUDA numbers of each GPU, by its number in the system; empty if unknown."""
    rows = database.records("TARGET_INFO_CUDA_DEVICE", ("gpuId", "cudaId", "pid"))
    own = [row for row in rows if process is None or row["pid"] in (process, None)]
    found: dict[Any, list[int]] = {}
    for row in own:
        if is_number(row["cudaId"]):
            found.setdefault(row["gpuId"], []).append(int(row["cudaId"]))
    return found


def _number(value: Any) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 62 else -1


def add_thread_names(events: Events, database: Database) -> None:
    """Add the names of threads; those with the highest priority win."""
    rows = database.records("ThreadNames", ("nameId", "priority", "globalTid"))
    rows = [row for row in rows if all(isinstance(row[k], int) for k in ("nameId", "globalTid"))]
    texts = database.named("StringIds", "id", "value", sorted({row["nameId"] for row in rows}))
    for row in sorted(rows, key=lambda row: _number(row["priority"])):
        place = pid_of(row["globalTid"]), tid_of(row["globalTid"])
        if row["nameId"] in texts:
            events.threads.names[place] = texts[row["nameId"]]


def add_metadata(events: Events, database: Database) -> None:
    """Add the clock, the machine, and the versions of profiler and schema.

    Only these rows of the tables of metadata are read; others hold environments and command lines.
    """
    start = database.records("TARGET_INFO_SESSION_START_TIME", ("utcEpochNs",))
    if start and isinstance(start[0]["utcEpochNs"], int):
        events.metadata["epoch_ns"] = start[0]["utcEpochNs"]
    if host := host_name(database):
        events.metadata["host_name"] = host
    for table in ("META_DATA_EXPORT", "EXPORT_META_DATA"):
        if database.has(table, "name", "value"):
            rows = database.rows(
                f"SELECT value FROM {table} WHERE name = 'EXPORT_SCHEMA_VERSION'"  # noqa: S608
            )
            if rows:
                events.metadata["schema_version"] = str(rows[0][0])


def host_name(database: Database) -> str:
    """Return the name of the machine; empty if the export does not say."""
    if not database.has("TARGET_INFO_SYSTEM_ENV", "name", "value"):
        return ""
    rows = database.rows("SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname'")
    return str(rows[0][0] or "") if rows else ""


def add_diagnostics(events: Events, database: Database) -> None:
    """Add the profiler's own warnings, such as events that it lost."""
    table = "DIAGNOSTIC_EVENT"
    if not database.has(table, "severity", "text"):
        return
    rows = database.rows(
        f"SELECT text, count(*) FROM {table} WHERE severity >= ?"  # noqa: S608
        f" GROUP BY text ORDER BY min(rowid) LIMIT {_SHOWN}",
        _WARNING,
    )
    host = host_name(database)
    for text, count in rows:
        kind = f"nsys: {_title(str(text), host)}"
        events.defects.note(kind, count, str(text), fatal=False)


def _title(text: str, host: str) -> str:
    """Return the first sentence of a message, without folders and the name of the machine.

    The kinds of warnings are shown in summaries, which are shared.
    """
    sentence = text.strip().split("\n", 1)[0].split(". ", 1)[0].rstrip(".")
    short = _PATH.sub(lambda found: found[1], sentence)
    return short.replace(host, "…") if host else short
