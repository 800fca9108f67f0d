"""Assembles column pieces into the sorted Arrow tables of the model."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.arrays import dtype_of
from nbprof.model.building import arrow_array, table_of
from nbprof.model.trace import kinds, schema, schema_vendors
from nbprof.sources.chrome.columns import Integers, as_integer
from nbprof.sources.chrome.dictionaries import dictionary_array
from nbprof.sources.kineto import categories
from nbprof.sources.parts.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.sources.chrome.batch import Pieces
    from nbprof.sources.kineto.rows import Rows

Array = npt.NDArray[Any]

NOTHING_TOLD = Recording()


class Columns:
    """The columns of one table, joined from the pieces of all windows.

    Parameters
    ----------
    layout : pyarrow.Schema
        Schema of the finished table.
    pieces : list of Pieces
        Emptied while joining, to limit peak memory.

    Attributes
    ----------
    rows : int
        Number of rows.
    order : ndarray of int64, shape (rows,)
        Position of each row's event in the file.
    """

    def __init__(self, layout: pa.Schema, pieces: list[Pieces]) -> None:
        self._layout = layout
        self._lengths = [len(piece["order"]) for piece in pieces]
        self._pieces = pieces
        self._joined: dict[str, Array] = {}
        self.rows = sum(self._lengths)
        self.order = self.take("order", np.int64)

    def take(self, name: str, dtype: Any, missing: float = -1) -> Array:
        """Return a column of shape (rows,) and free its pieces; `missing` fills any gaps."""
        joined = np.empty(self.rows, dtype)
        at = 0
        for piece, length in zip(self._pieces, self._lengths, strict=True):
            joined[at : at + length] = piece.pop(name, missing)
            at += length
        return joined

    def join(self, name: str) -> Array:
        """Return a column of the schema before sorting; callers may modify it."""
        if name not in self._joined:
            kind = self._layout.field(name).type
            if pa.types.is_dictionary(kind):
                self._joined[name] = self.take(name, dtype_of(kind.index_type))
            else:
                missing = np.nan if pa.types.is_floating(kind) else -1
                self._joined[name] = self.take(name, dtype_of(kind), missing)
        return self._joined[name]

    def sorted_table(self, sort: Integers, texts: Mapping[str, Sequence[str]]) -> pa.Table:
        """Return the finished table.

        Parameters
        ----------
        sort : ndarray of int64, shape (rows,)
            Row numbers in sorted order.
        texts : mapping of str to sequence of str
            Texts of each dictionary column, by code.
        """
        arrays = []
        for field in self._layout:
            values = self.join(field.name)[sort]
            del self._joined[field.name]
            if field.name == "kind":
                text = arrow_array(texts["kind"], pa.utf8())
                arrays.append(pa.DictionaryArray.from_arrays(arrow_array(values), text))
            elif pa.types.is_dictionary(field.type):
                arrays.append(dictionary_array(values, texts[field.name]))
            else:
                arrays.append(arrow_array(values, field.type))
        return pa.table(arrays, schema=self._layout)


def build_tables(
    rows: Rows, recording: Recording = NOTHING_TOLD
) -> tuple[dict[str, pa.Table], int, int]:
    """Build all tables that consist of events, emptying `rows`.

    Parameters
    ----------
    rows : Rows
        The collected rows.
    recording : Recording
        The recording that the file is a part of: its time zero and order of threads.

    Returns
    -------
    tables : dict of str to pyarrow.Table
    first : int
        Time of the first event on the file's own base, in nanoseconds: the zero of all times.
    end : int
        Nanoseconds from `first` to the last end.
    """
    names = rows.context.names.texts
    host = Columns(schema.HOST, rows.host.pieces)
    device = Columns(schema.DEVICE, rows.device.pieces)
    memory = Columns(schema.MEMORY, rows.other.memory)
    flows = Columns(schema.FLOWS, rows.other.flows)
    counters = Columns(schema.COUNTERS, rows.other.counters)
    left_out = rows.skipper.spans()
    first, end = _rebase(
        (host.join("start_ns"), host.join("duration_ns")),
        (device.join("start_ns"), device.join("duration_ns")),
        (memory.join("time_ns"), 0),
        (counters.join("time_ns"), 0),
        (left_out[0], left_out[1] - left_out[0]),
        arrows=flows.join("time_ns"),
        zero=recording.zero_ns,
    )
    threads = _number_threads(rows, host, memory, recording.threads, first)
    start = host.join("start_ns")
    host_sort = _sorting(host.join("thread"), start, -host.join("duration_ns"), host.order)
    device_sort = _sorting(
        *(device.join(name) for name in ("start_ns", "device", "stream")), device.order
    )
    device_extents = rows.device.extents.texts
    tables = {
        "host": host.sorted_table(
            host_sort,
            {
                "name": names,
                "kind": kinds.HOST_KINDS,
                "input_shapes": rows.host.shapes.texts,
                "input_types": rows.host.types.texts,
                "input_values": rows.host.values.texts,
                "call_stack": rows.host.stacks.texts,
            },
        ),
        "device": device.sorted_table(
            device_sort,
            {
                "name": names,
                "kind": kinds.DEVICE_KINDS,
                "grid": device_extents,
                "block": device_extents,
            },
        ),
        "memory": memory.sorted_table(_sorting(memory.join("time_ns"), memory.order), {}),
        "flows": flows.sorted_table(
            _sorting(flows.join("time_ns"), flows.order),
            {"category": categories.FLOWS, "phase": ("s", "f")},
        ),
        "counters": counters.sorted_table(
            _sorting(counters.join("time_ns"), counters.order),
            {"name": names, "series": rows.other.series.texts},
        ),
        "threads": threads,
    }
    orders = {"host": host.order[host_sort], "device": device.order[device_sort]}
    missing = [piece["order"] for piece in rows.uncategorised]
    for side, order in orders.items() if missing else ():
        is_missing = np.isin(order, np.concatenate(missing))
        if is_missing.any():
            columns = {"is_missing": is_missing}
            tables[f"{side}_categories"] = table_of(columns, schema_vendors.CATEGORIES)
    tables["collectives"] = _collectives(rows.context.collectives, orders)
    return tables, first, end


def _sorting(*keys: Array) -> Integers:
    """Return the order of rows by these keys, most significant first."""
    return np.lexsort(keys[::-1])


def _rebase(*slices: tuple[Array, Any], arrows: Array, zero: int | None) -> tuple[int, int]:
    """Make times relative to the first slice or record, in place; return it and the last end.

    A time zero given by the file is used instead, unless an event is earlier.
    """
    placed = [start for start, _ in slices if len(start)] or [arrows]
    first = min((int(start.min()) for start in placed if len(start)), default=0)
    first = first if zero is None else min(first, zero)
    end = 0
    for start, duration in slices:
        np.subtract(start, first, out=start)
        end = max(end, int((start + duration).max(initial=0)))
    arrows -= first
    return first, end


def _number_threads(
    rows: Rows, host: Columns, memory: Columns, recorded: Sequence[tuple[str, int]], zero: int
) -> pa.Table:
    """Renumber threads by the time of their first slice, in place; return the table of threads.

    Threads whose order the file gives come first.
    """
    seen = rows.context.threads.keys_seen
    alias = _same_threads(seen)
    first = np.full(len(seen), np.iinfo(np.int64).max)
    np.minimum.at(first, alias[host.join("thread")], host.join("start_ns"))
    left_out, since = rows.skipper.first_of_threads()
    np.minimum.at(first, alias[left_out], since - zero)
    places = {key: place for place, key in enumerate(recorded)}
    place = np.array([places.get((pid, tid), len(recorded)) for pid, tid, _ in seen], np.int64)
    # Threads that start at the same time are ordered by id, whatever their order in the file.
    ids = np.argsort(sorted(range(len(seen)), key=lambda at: seen[at][:2]))
    gone = np.array([pid in rows.device_processes for pid, _, _ in seen], bool)
    gone |= alias != np.arange(len(seen))
    arrival = np.lexsort((ids, first, place, gone))
    number = np.empty(len(seen), np.int32)
    number[arrival] = np.arange(len(seen), dtype=np.int32)
    for columns in (host, memory):
        thread = columns.join("thread")
        thread[:] = number[alias[thread]]
    keys = [seen[i] for i in arrival[: int((~gone).sum())]]
    named = rows.other.thread_names
    # A thread id that is text has no number that people would recognise: show the text.
    names = [named.get((pid, tid), text if tid < -1 else "") for pid, tid, text in keys]
    pids, tids = [pid for pid, _, _ in keys], [tid for _, tid, _ in keys]
    return table_of({"pid": pids, "tid": tids, "name": names}, schema=schema.THREADS)


def _same_threads(seen: Sequence[tuple[str, int, str]]) -> Integers:
    """Return the thread that each one is the same as: itself, or one with the same id.

    Events that wait for an XPU have the process -1; their thread is that of the only other process
    with such an id.
    """
    alias = np.arange(len(seen))
    of_id: dict[int, list[int]] = {}
    for at, (pid, tid, _) in enumerate(seen):
        if not pid.startswith("-"):
            of_id.setdefault(tid, []).append(at)
    for at, (pid, tid, _) in enumerate(seen):
        same = of_id.get(tid, []) if pid.startswith("-") and tid > 0 else []
        if len(same) == 1:
            alias[at] = same[0]
    return alias


def _collectives(collectives: list[dict[str, Any]], orders: dict[str, Integers]) -> pa.Table:
    """Return the collectives in file order, each with its row in the sorted table of its side."""
    collectives = sorted(collectives, key=itemgetter("order"))
    columns: dict[str, list[Any]] = {field.name: [] for field in schema.COLLECTIVES}
    place = {
        side: _places(order, [one["order"] for one in collectives if one["side"] == side])
        for side, order in orders.items()
    }
    for one in collectives:
        row = {**one, "row": place[one["side"]][one["order"]]}
        for field in schema.COLLECTIVES:
            value = row[field.name]
            is_number = pa.types.is_integer(field.type)
            columns[field.name].append(as_integer(value) if is_number else value)
    return table_of(columns, schema.COLLECTIVES)


def _places(order: Integers, wanted: list[int]) -> dict[int, int]:
    """Return the row of each event in the sorted table, by its position in the file."""
    rows = np.flatnonzero(np.isin(order, wanted))
    return dict(zip(order[rows].tolist(), rows.tolist(), strict=True))
