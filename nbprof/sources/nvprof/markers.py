"""Reads NVTX markers, which have a row for their start and one for their end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.sources.cuda.distinct import distinct_codes
from nbprof.sources.cuda.ranges import MARK, PUSH_POP, START_END, Ranges, add_ranges

if TYPE_CHECKING:
    from nbprof.sources.cuda.events import Events
    from nbprof.sources.sqlite.columns import Block
    from nbprof.sources.sqlite.database import Database

Integers = npt.NDArray[np.int64]

_TABLE: Final = "CUPTI_ACTIVITY_KIND_MARKER"
#: Flags of a row.
_INSTANT, _START, _END = 1, 2, 4
#: Kinds of objects that a marker belongs to, and the bytes of its process and thread.
_PROCESS, _THREAD = 1, 2
_OBJECT_BYTES: Final = 12


def add_markers(events: Events, database: Database) -> None:
    """Add the ranges and marks of a profile."""
    block = database.integers(
        _TABLE,
        ("flags", "timestamp", "id", "objectKind", "name", "domain"),
        needs=("flags", "timestamp", "id"),
    )
    if not block.rows:
        return
    thread, is_thread = _threads(events, database, block)
    label = _texts(events, database, block["name"], "label")
    domain = _texts(events, database, np.where(block["domain"] > 0, block["domain"], -1), "domain")
    starts, ends = _pairs(block)
    marks = np.flatnonzero((block["flags"] & _INSTANT) != 0)
    nested = is_thread[starts]
    times = block["timestamp"]
    end = np.where(ends >= 0, times[ends], -1)
    last = int(times.max())
    for style, rows, until in (
        (PUSH_POP, starts[nested], end[nested]),
        (START_END, starts[~nested], end[~nested]),
        (MARK, marks, times[marks]),
    ):
        add_ranges(
            events, Ranges(style, times[rows], until, thread[rows], label[rows], domain[rows]), last
        )


def _pairs(block: Block) -> tuple[Integers, Integers]:
    """Return the rows of starts, and for each the row of its end, -1 without one."""
    starts = np.flatnonzero((block["flags"] & _START) != 0)
    ends = np.flatnonzero((block["flags"] & _END) != 0)
    ids = block["id"]
    order = ends[np.argsort(ids[ends], kind="stable")]
    if len(order) == 0:
        return starts, np.full(len(starts), -1, np.int64)
    at = np.minimum(np.searchsorted(ids[order], ids[starts]), len(order) - 1)
    return starts, np.where(ids[order][at] == ids[starts], order[at], -1)


def _threads(
    events: Events, database: Database, block: Block
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """Return the number of the thread of each row, and whether its range is one of a thread.

    The object of a marker is a blob of a 32-bit process and a 64-bit thread, of which 32 bits are
    those that API calls have.
    """
    blobs = database.blobs(_TABLE, "objectId", _OBJECT_BYTES)
    if len(blobs) != block.rows:  # missing, or partly unreadable
        blobs = np.zeros((block.rows, _OBJECT_BYTES), np.uint8)
    words = np.ascontiguousarray(blobs).view("<u4").astype(np.int64)
    is_thread = block["objectKind"] != _PROCESS
    tids = np.where(is_thread, words[:, 1], 0)
    return events.threads.codes(words[:, 0], tids), is_thread


def _texts(events: Events, database: Database, ids: Integers, column: str) -> npt.NDArray[np.int32]:
    """Return the codes of texts by their numbers, shape (rows,); -1 without a text."""
    key, distinct = distinct_codes(ids)
    texts = database.named("StringTable", "_id_", "value", distinct.tolist())
    code = events.texts[column].encode([texts.get(one) for one in distinct.tolist()], len(distinct))
    return code[key] if len(code) else np.empty(0, np.int32)
