"""Reads what a profile says about GPUs and about the names of threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.sources.defects import DefectLog
from nbprof.sources.limits.gpus import gpu_row, is_number
from nbprof.sources.sqlite.database import Database

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.sources.cuda.events import Events

_DEVICES: Final = "CUPTI_ACTIVITY_KIND_DEVICE"
_COLUMNS: Final = (
    "id",
    "name",
    "globalMemorySize",
    "numMultiprocessors",
    "computeCapabilityMajor",
    "computeCapabilityMinor",
)


def devices_of(path: Path) -> list[int]:
    """Return the numbers of the GPUs that a profile describes."""
    with Database(path, DefectLog(path.name)) as database:
        rows = database.records(_DEVICES, ("id",))
    return sorted({row["id"] for row in rows if is_number(row["id"])})


def add_devices(events: Events, database: Database) -> None:
    """Add the GPUs; of several rows about one, the first applies."""
    rows = database.records(_DEVICES, _COLUMNS)
    known = {row["id"]: row for row in reversed(rows) if is_number(row["id"])}
    names = database.named(
        "StringTable",
        "_id_",
        "value",
        [row["name"] for row in known.values() if isinstance(row["name"], int)],
    )
    for number, row in sorted(known.items()):
        made = gpu_row(
            number,
            names.get(row["name"]),
            events.defects,
            memory_bytes=row["globalMemorySize"],
            compute_major=row["computeCapabilityMajor"],
            compute_minor=row["computeCapabilityMinor"],
            multiprocessors=row["numMultiprocessors"],
        )
        events.multiprocessors[number] = made["multiprocessors"]
        events.devices.append(made)
