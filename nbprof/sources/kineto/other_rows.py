"""Converts memory records, flow events, counters and thread names to columns."""

from __future__ import annotations

import zlib
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.sources.chrome.columns import Integers, as_float, as_integer, convert, integers
from nbprof.sources.chrome.dictionaries import Names, id_text, thread_id
from nbprof.sources.chrome.times import whole_number
from nbprof.sources.kineto import categories
from nbprof.sources.kineto.device_rows import Numbers

if TYPE_CHECKING:
    from nbprof.sources.chrome.batch import Batch, Context, Pieces

_get_id = attrgetter("id")
_get_phase = attrgetter("ph")
_get_pid = attrgetter("pid")
_get_tid = attrgetter("tid")

#: Textual ids get numbers from here on, beyond any numeric id.
_TEXT_IDS = 1 << 60


class OtherRows:
    """Collects the pieces of the smaller tables.

    Attributes
    ----------
    thread_names : dict of (pid, tid) to str
        If a thread is named twice, the last name is used.
    process_names : dict of str to str
        The same for processes.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self.memory: list[Pieces] = []
        self.flows: list[Pieces] = []
        self.counters: list[Pieces] = []
        self.series = Names()
        self._numbers = Numbers()
        self.thread_names: dict[tuple[str, int], str] = {}
        self.process_names: dict[str, str] = {}

    def add_memory(self, batch: Batch) -> None:
        """Add `[memory]` records."""
        args = batch.args
        self.memory.append(
            {
                "order": batch.order,
                "time_ns": batch.start,
                "thread": self._context.thread_rows(batch),
                "bytes": integers(args, "change", missing=0),
                "address": integers(args, "address"),
                "device_type": integers(args, "device_type"),
                "device": integers(args, "device_id"),
                "total_allocated": integers(args, "total_allocated"),
                "total_reserved": integers(args, "total_reserved"),
            }
        )

    def add_flows(self, batch: Batch) -> None:
        """Add ends of flow arrows."""
        events = batch.events
        is_head = map("f".__eq__, map(_get_phase, events))
        self.flows.append(
            {
                "order": batch.order,
                "id": identifiers(list(map(_get_id, events))),
                "category": (batch.roles - categories.LAUNCH_FLOW).astype(np.int32),
                "phase": np.fromiter(is_head, np.int32, len(batch)),
                "time_ns": batch.start,
                "pid": identifiers(list(map(_get_pid, events))),
                "tid": self._numbers.encode(list(map(_get_tid, events))),
            }
        )

    def add_counters(self, batch: Batch, args: list[Any]) -> None:
        """Add counter samples, each with one or more values."""
        rows = [
            (i, series, as_float(value))
            for i, values in enumerate(args)
            if isinstance(values, dict)
            for series, value in values.items()
        ]
        at = np.array([row[0] for row in rows], np.int64)
        pids = identifiers(list(map(_get_pid, batch.events)))
        self.counters.append(
            {
                "order": batch.order[at],
                "name": batch.names[at],
                "series": self.series.encode([row[1] for row in rows], len(rows)),
                "pid": pids[at],
                "time_ns": batch.start[at],
                "value": np.array([row[2] for row in rows], np.float64),
            }
        )

    def add_metadata(self, batch: Batch) -> None:
        """Add names of threads and processes."""
        texts = self._context.names.texts
        for event, args, name in zip(batch.events, batch.args, batch.names.tolist(), strict=True):
            if args.name is None:
                continue
            if texts[name] == "thread_name":
                self.thread_names[id_text(event.pid), thread_id(event.tid)] = str(args.name)
            elif texts[name] == "process_name":
                self.process_names[id_text(event.pid)] = str(args.name)


def identifiers(values: list[Any]) -> Integers:
    """Return ids as int64; each text that is not a number gets its own large number."""
    try:
        return np.fromiter(values, np.int64, len(values))
    except (TypeError, ValueError, OverflowError):
        return convert(values, _identifier)


def _identifier(value: Any) -> int:
    if isinstance(value, str):
        try:
            return as_integer(whole_number(value, 0))
        except ValueError:
            return _TEXT_IDS + zlib.crc32(value.encode("utf-8", "replace"))
    return as_integer(value)
