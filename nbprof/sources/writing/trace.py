"""Writes a trace, or a part of it, as a Chrome JSON file in Kineto's form.

The file opens in Perfetto and chrome://tracing, and nbprof reads it back with the same times,
names, arguments, steps and links. It is written in pieces, so its whole text is never in memory.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.names.private_frames import MACHINE
from nbprof.model.steps.steps import STEP_NAME
from nbprof.sources.discovery.header import FLAGS, PLAIN
from nbprof.sources.kineto.rows import DAY_NS
from nbprof.sources.output.writer import opened
from nbprof.sources.parts.recording import Recording
from nbprof.sources.writing.events import events
from nbprof.sources.writing.part import Part, part_of

if TYPE_CHECKING:
    import os

    from nbprof.model.steps.steps import Steps
    from nbprof.model.trace.model import TraceModel

_DEVICE_KEYS: Final = {
    "device": "id",
    "name": "name",
    "memory_bytes": "totalGlobalMem",
    "compute_major": "computeMajor",
    "compute_minor": "computeMinor",
    "multiprocessors": "numSms",
}

#: Texts and numbers of the head. A part is shared, so the machine is not named in it.
_PLAIN: Final = {key: name for key, name in PLAIN.items() if name not in MACHINE}


def write_chrome_trace(
    model: TraceModel, path: str | os.PathLike[str], filter_: Filter = NO_FILTER
) -> None:
    """Write the part of a trace that a filter's steps and time range select.

    The file is written atomically.

    Parameters
    ----------
    model : TraceModel
        The trace.
    path : path
        Path of the file, compressed with gzip if it ends in ``.gz``.
    filter_ : Filter
        Its steps and time range select the part; other fields are ignored.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    part = part_of(model, filter_)
    # In a file with times beyond a day, readers take time zero as missing.
    shift = 1000 if model.metadata.get("end_ns", 0) > DAY_NS else 0
    with opened(path) as file:
        file.write(_head(model, part, shift).encode())
        separator = 1  # the comma before the first event
        for block in events(model, part, shift):
            file.write(block[separator:])
            separator = 0 if len(block) else separator
        file.write(b"\n]}\n")


def _head(model: TraceModel, part: Part, shift: int) -> str:
    """Return the text up to the first event."""
    metadata = model.metadata
    head: dict[str, Any] = {"schemaVersion": 1}
    head |= {key: metadata[name] for key, name in _PLAIN.items() if name in metadata}
    head |= {flag: int(metadata[flag]) for flag in FLAGS if flag in metadata}
    job = {key: metadata[key] for key in ("rank", "world_size", "backend") if key in metadata}
    if job:
        head["distributedInfo"] = job
    devices = model.tables["devices"].to_pylist()
    if devices or metadata.get("device_type") == "cpu":
        head["deviceProperties"] = [
            {_DEVICE_KEYS[name]: value for name, value in row.items() if value not in (None, -1)}
            for row in devices
        ]
    head |= _recording(model, part, shift).to_header()
    head["displayTimeUnit"] = "ms"
    head["baseTimeNanoseconds"] = int(metadata.get("epoch_ns", 0)) - shift
    # Without the closing brace; invalid text keeps its escapes.
    return json.dumps(head)[:-1] + ', "traceEvents": ['


def _recording(model: TraceModel, part: Part, shift: int) -> Recording:
    metadata = model.metadata
    threads = model.tables["threads"].take(part.threads).to_pylist()
    return Recording(
        zero_ns=shift,
        end_ns=metadata.get("end_ns"),
        recorded_ns=metadata.get("recorded_ns"),
        device_type=metadata.get("device_type"),
        threads=tuple((row["pid"] or "", row["tid"]) for row in threads),
        lanes=tuple(
            (row["place"], row["stream"], row["group"], row["name"])
            for row in model.tables["lanes"].to_pylist()
            if row["side"] == "device"
        ),
        steps=None if part.whole or not _has_steps(model) else _steps(model, part),
        step_name=metadata.get(STEP_NAME),
        step_numbers=_numbers(model, part) if STEP_NAME in metadata else None,
        warnings=tuple(model.warnings),
    )


def _has_steps(model: TraceModel) -> bool:
    """Whether the recording has steps, or slices, which are one: counters and memory have none."""
    marked = model.steps.recorded or "steps" in model.metadata
    return marked or any(model.tables[side].num_rows for side in ("host", "device"))


def _steps(model: TraceModel, part: Part) -> tuple[tuple[int, int, int, int, bool], ...]:
    """Return the steps in the part, as determined from the whole recording."""
    steps = model.steps
    written = _written(steps, part)
    columns = (
        steps.host_start_ns,
        steps.host_end_ns,
        steps.start_ns,
        steps.end_ns,
        steps.complete,
    )
    return tuple(zip(*(column[written].tolist() for column in columns), strict=True))


def _numbers(model: TraceModel, part: Part) -> tuple[int, ...]:
    return tuple(model.steps.number[_written(model.steps, part)].tolist())


def _written(steps: Steps, part: Part) -> npt.NDArray[np.bool_]:
    """Return which steps are in the part."""
    written: npt.NDArray[np.bool_] = np.isin(steps.row, part.host) | (steps.row < 0)
    return written
