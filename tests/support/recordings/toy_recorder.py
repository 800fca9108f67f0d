"""A recorder for a format of its own: a line a slice, ``side,name,start_us,length_us``.

The first line says which version wrote the file, and with which options.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import nbprof

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources import ReadOptions, TraceFile
    from nbprof.sources.discovery.head import FileStart
    from nbprof.sources.progress import Progress

DIALECT = nbprof.Dialect(
    vocabulary=nbprof.Vocabulary(
        matrix_units="Toy Multipliers",
        compiler="toy.compile",
        record_ranks="Record every rank with toy --all-ranks.",
    ),
    hints={
        "memory": "No memory was recorded. Record it with toy --memory.",
        "shapes": "No input shapes in this profile. Record them with toy --shapes.",
    },
)


def look(start: FileStart) -> nbprof.Head | None:
    """Return what the first line of a file tells."""
    if not start.text.startswith(b"toy "):
        return None
    version = start.text.split(None, 2)[1]
    if version != b"1":
        return nbprof.Head(reason=f"it was written by version {version.decode()} of toy")
    return nbprof.Head(device_type="tpu", metadata=(("rank", 3),), size=start.size)


def read(file: TraceFile, options: ReadOptions, *, progress: Progress) -> TraceModel:
    """Read a file."""
    del options, progress
    with file.path.open() as lines:
        next(lines)
        rows = list(csv.DictReader(lines, ("side", "name", "start_us", "length_us")))

    def columns(side: str) -> dict[str, list[object]]:
        own = [row for row in rows if row["side"] == side]
        return {
            "name": [row["name"] for row in own],
            "kind": [_kind(side, row["name"]) for row in own],
            "start_ns": [int(row["start_us"]) * 1000 for row in own],
            "duration_ns": [int(row["length_us"]) * 1000 for row in own],
        }

    return nbprof.build_model(
        host=columns("host"), device=columns("device"), metadata={"device_type": "tpu"}
    )


def _kind(side: str, name: str) -> str:
    if side == "device":
        return "kernel"
    return "step" if name.startswith("ProfilerStep#") else "operator"


RECORDER = nbprof.Recorder(
    name="Toy", read=read, patterns=["*.toy.csv"], look=look, dialect=DIALECT
)

TEXT = """toy 1
host,ProfilerStep#1,100,50
host,matmul,110,20
host,ProfilerStep#2,150,50
host,matmul,160,10
device,multiply,120,15
device,multiply,165,30
"""
