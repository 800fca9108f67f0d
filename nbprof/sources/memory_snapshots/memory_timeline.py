"""Reads memory timelines written by `profile.export_memory_timeline`.

There are two formats. ``.json`` contains times in microseconds and the bytes of every category at
each; ``.raw.json.gz`` contains individual changes in nanoseconds. Neither names the device.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.building import arrow_array
from nbprof.model.errors import TraceFormatError
from nbprof.model.trace import schema
from nbprof.model.trace.model import TraceModel
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.kineto.dialect import DIALECT
from nbprof.sources.options import READ_ALL, ReadOptions
from nbprof.sources.progress import Progress, Reporter

if TYPE_CHECKING:
    from nbprof.sources.discovery.catalog import TraceFile

Rows = npt.NDArray[np.int64]

FORMAT: Final = "PyTorch memory timeline"

#: Categories in the order of their numbers in files.
CATEGORIES: Final = (
    "parameter",
    "optimizer state",
    "input",
    "temporary",
    "activation",
    "gradient",
    "autograd detail",
    "unknown",
)

#: The beginning of each format. Times count from 1970: microseconds have 16 digits.
_MOMENTS = re.compile(rb"\s*\[\s*\[\s*\d{15,17}\s*[,\]]")
_CHANGES = re.compile(rb"\s*\[\s*\[\s*-?\d+\s*,\s*[1-4]\s*,\s*-?\d+\s*,\s*[0-7]\s*\]")

_PIECE: Final = 1 << 20

#: Time of memory that existed before the recording.
_BEFORE: Final = -1


def looks_like_timeline(text: bytes) -> bool:
    """Whether the first bytes of a JSON array may be those of a memory timeline."""
    return bool(_MOMENTS.match(text) or _CHANGES.match(text))


def read(
    file: TraceFile, options: ReadOptions = READ_ALL, *, progress: Progress = "auto"
) -> TraceModel:
    """Read a memory timeline.

    Parameters
    ----------
    file : TraceFile
        One of those that `discover` found.
    options : ReadOptions
        Ignored: such a file is always read whole, and any defect is an error.
    progress : "auto", False or callable
        As for `nbprof.sources.kineto.reading.read`.

    Raises
    ------
    TraceFormatError
        The file is not a valid memory timeline.
    """
    del options
    path = str(file.path)
    try:
        name = file.path.name
        with ByteSource(file.path) as source, Reporter(progress, source.total, name) as report:
            pieces = []
            while piece := source.read(_PIECE):
                pieces.append(piece)
                report.update(source.done)
            damage = source.damage
    except OSError as error:
        message = f"{path} could not be read: {error.strerror or error}."
        raise TraceFormatError(message) from error
    try:
        time, category, size = _steps(msgspec.json.decode(b"".join(pieces)))
    except (ValueError, TypeError, OverflowError, LookupError, RecursionError) as error:
        message = f"{path} is not a readable memory timeline: {damage or error}."
        raise TraceFormatError(message) from error
    return _model(time, category, size)


def _steps(content: Any) -> tuple[Rows, Rows, Rows]:
    """Return times, categories and sizes in bytes, sorted: absolute ns, `_BEFORE` at first."""
    if not isinstance(content, list) or not content:
        message = "it contains no list of points in time"
        raise ValueError(message)
    if len(content) == 2 and content[1] and isinstance(content[1][0], list):
        return _of_moments(content)
    return _of_changes(content)


def _of_moments(content: Any) -> tuple[Rows, Rows, Rows]:
    times, sizes = np.array(content[0], np.int64), np.array(content[1], np.int64)
    if sizes.shape != (len(times), len(CATEGORIES) + 1):
        message = f"points in time must have {len(CATEGORIES)} categories, not {sizes.shape[1:]}"
        raise ValueError(message)
    sizes = sizes[:, 1:]  # the first number is the base of the stacked areas: 0
    order = np.argsort(times, kind="stable")
    times, sizes = times[order], sizes[order]
    changed = np.ones(sizes.shape, bool)
    changed[1:] = sizes[1:] != sizes[:-1]
    row, category = np.nonzero(changed)
    return times[row] * 1000, category, sizes[row, category]


def _of_changes(content: Any) -> tuple[Rows, Rows, Rows]:
    rows = np.array(content, np.int64)
    if rows.ndim != 2 or rows.shape[1] != 4:
        message = "changes must have four numbers: time, action, bytes and category"
        raise ValueError(message)
    time, _, change, category = rows.T
    if ((category < 0) | (category >= len(CATEGORIES))).any():
        message = f"category {int(category.max())} is unknown"
        raise ValueError(message)
    time = np.maximum(time, _BEFORE)
    by_time = np.argsort(time, kind="stable")
    found = []
    for number in range(len(CATEGORIES)):
        own = by_time[category[by_time] == number]
        at, size = time[own], np.cumsum(change[own])
        # A new version of a tensor subtracts and adds its bytes at the same time.
        last = np.append(at[1:] != at[:-1], True)[: len(at)]
        at, size = at[last], size[last]
        if len(at) == 0 or at[0] != _BEFORE:
            at, size = np.append(_BEFORE, at), np.append(0, size)
        found.append((at, np.full(len(at), number), size))
    when, which, bytes_ = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.lexsort((which, when))
    return when[order], which[order], bytes_[order]


def _model(time: Rows, category: Rows, size: Rows) -> TraceModel:
    real = time[time != _BEFORE]
    zero = int(real.min()) if len(real) else 0
    relative = np.where(time == _BEFORE, 0, time - zero)
    codes = pa.DictionaryArray.from_arrays(
        arrow_array(category, pa.int32()), arrow_array(CATEGORIES, pa.utf8())
    )
    categories = pa.table(
        [
            arrow_array(np.full(len(time), -1, np.int32)),
            arrow_array(relative),
            codes,
            arrow_array(size),
        ],
        schema=schema.MEMORY_CATEGORIES,
    )
    metadata = {
        "format": FORMAT,
        "epoch_ns": zero,
        "end_ns": int(relative.max(initial=0)) + 1,
        "events": len(time),
        "device_type": "",
        "profile_memory": True,
    }
    return TraceModel(
        {"memory_categories": categories, "memory": _records(time, relative, category, size)},
        metadata,
        dialect=DIALECT,
    )


def _records(time: Rows, relative: Rows, category: Rows, size: Rows) -> pa.Table:
    """Return the sum of all categories as records; memory from before is the first total."""
    before = np.zeros(len(CATEGORIES), np.int64)
    change = size.copy()
    for number in range(len(CATEGORIES)):
        own = np.flatnonzero(category == number)
        before[number] = size[own[0]] if len(own) else 0
        change[own] = np.diff(size[own], prepend=before[number])
    last = np.append(time[1:] != time[:-1], True)[: len(time)]
    total = before.sum() + np.cumsum(change)[last]
    count = len(total)
    columns = {
        "time_ns": relative[last],
        "thread": np.full(count, -1),
        "bytes": np.diff(total, prepend=before.sum()),
        "address": np.full(count, -1),
        "device_type": np.full(count, -1),
        "device": np.full(count, -1),
        "total_allocated": total,
        "total_reserved": np.full(count, -1),
    }
    arrays = [arrow_array(columns[field.name]).cast(field.type) for field in schema.MEMORY]
    return pa.table(arrays, schema=schema.MEMORY)
