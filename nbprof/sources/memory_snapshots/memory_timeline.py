"""Reads memory timelines written by `profile.export_memory_timeline`.

There are two formats. ``.json`` contains times in microseconds and the bytes of every category at
each; ``.raw.json.gz`` contains individual changes in nanoseconds. Neither names the device.

The text is decoded a piece at a time; reading takes at most ten times its length in memory.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.building import arrow_array
from nbprof.model.errors import TraceFormatError
from nbprof.model.trace import schema
from nbprof.model.trace.model import TraceModel
from nbprof.sources.files.trace_source import open_trace
from nbprof.sources.kineto.dialect import DIALECT
from nbprof.sources.memory_snapshots.formats import TIMELINE
from nbprof.sources.memory_snapshots.number_text import NumberText, gathered
from nbprof.sources.options import READ_ALL, ReadOptions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.progress import Progress

Rows = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int8]

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

#: Numbers of a change, and of a point in time: one more than there are categories.
_CHANGE: Final = 4
_WIDTH: Final = len(CATEGORIES) + 1

#: Time of memory that existed before the recording.
_BEFORE: Final = -1


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
    with open_trace(file.path, progress) as (source, report):

        def piece(size: int) -> bytes:
            found = source.read(size)
            report.update(source.done)
            return found

        try:
            time, category, size = _steps(NumberText(piece))
        except (ValueError, TypeError, OverflowError, LookupError, RecursionError) as error:
            message = f"{path} is not a readable memory timeline: {source.damage or error}."
            raise TraceFormatError(message) from error
    return _model(time, category, size)


def _steps(text: NumberText) -> tuple[Rows, Codes, Rows]:
    """Return times, categories and sizes in bytes, sorted: absolute ns, `_BEFORE` at first."""
    text.expect(b"[")
    text.expect(b"[")
    first = gathered(text.numbers())
    if not text.takes(b","):  # a single change
        found = _of_changes(first, [])
    elif text.enters():
        found = _of_moments(first, gathered(text.rows(_WIDTH)))
        text.expect(b"]")
    else:
        found = _of_changes(first, text.rows(_CHANGE))
    text.expect(b"]")
    text.end()
    return found


def _of_moments(times: Rows, content: Rows) -> tuple[Rows, Codes, Rows]:
    if len(content) != len(times) * _WIDTH:
        message = f"it has {len(times)} points in time and {len(content) // _WIDTH} rows of sizes"
        raise ValueError(message)
    sizes = content.reshape(-1, _WIDTH)[:, 1:]  # the first number is the base of the areas: 0
    order = np.argsort(times, kind="stable")
    times, sizes = times[order], sizes[order]
    changed = np.ones(sizes.shape, bool)
    changed[1:] = sizes[1:] != sizes[:-1]
    row, category = np.nonzero(changed)
    return times[row] * 1000, category.astype(np.int8), sizes[row, category]


def _of_changes(first: Rows, chunks: Iterable[Rows]) -> tuple[Rows, Codes, Rows]:
    time, change, category = _columns(first, chunks)
    np.maximum(time, _BEFORE, out=time)
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
        found.append((at, np.full(len(at), number, np.int8), size))
    del time, change, category, by_time
    when, which, bytes_ = (np.concatenate(part) for part in zip(*found, strict=True))
    del found
    order = np.lexsort((which, when))
    return when[order], which[order], bytes_[order]


def _columns(first: Rows, chunks: Iterable[Rows]) -> tuple[Rows, Rows, Codes]:
    """Return the times, changes and categories of single changes."""
    if first.shape != (_CHANGE,):
        message = "changes must have four numbers: time, action, bytes and category"
        raise ValueError(message)
    times, changes, categories = bytearray(), bytearray(), bytearray()
    for rows in chain([first[None]], chunks):
        time, _, change, category = rows.T
        if ((category < 0) | (category >= len(CATEGORIES))).any():
            message = f"category {int(category.max())} is unknown"
            raise ValueError(message)
        times += time.tobytes()
        changes += change.tobytes()
        categories += category.astype(np.int8).tobytes()
    return (
        np.frombuffer(times, np.int64),
        np.frombuffer(changes, np.int64),
        np.frombuffer(categories, np.int8),
    )


def _model(time: Rows, category: Codes, size: Rows) -> TraceModel:
    real = time[time != _BEFORE]
    zero = int(real.min()) if len(real) else 0
    relative = np.where(time == _BEFORE, 0, time - zero)
    codes = pa.DictionaryArray.from_arrays(
        arrow_array(category.astype(np.int32)), arrow_array(CATEGORIES, pa.utf8())
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
        "format": TIMELINE,
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


def _records(time: Rows, relative: Rows, category: Codes, size: Rows) -> pa.Table:
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
