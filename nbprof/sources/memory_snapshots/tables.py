"""Converts an unpickled allocator snapshot to the memory tables of a model."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from nbprof.model.building import arrow_array
from nbprof.model.trace import schema, schema_allocator
from nbprof.model.trace.model import TraceModel
from nbprof.sources.chrome.columns import Integers, as_integer, as_small
from nbprof.sources.chrome.dictionaries import dictionary_array
from nbprof.sources.kineto.dialect import DIALECT
from nbprof.sources.limits.snapshot_numbers import leave_out_bad_numbers
from nbprof.sources.limits.unpacking import unpacking_budget
from nbprof.sources.memory_snapshots.allocated_sizes import sized_histories
from nbprof.sources.memory_snapshots.allocator import allocator_tables, frames_of, requested_of
from nbprof.sources.memory_snapshots.history import History, Stacks, read_history, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.sources.defects import DefectLog

#: Device type of all snapshots (c10::DeviceType::CUDA).
_GPU: Final = 1

#: Prefix of the states of blocks that are in use or were released a moment ago.
_ACTIVE: Final = "active"


@dataclass(frozen=True)
class Block:
    """A block in use at the time of the snapshot.

    Attributes
    ----------
    device, address : int
    size, requested : int
        Bytes that the allocator took for it, and those that the program asked for.
    stack : int
        Number of its call stack, -1 without one.
    """

    device: int
    address: int
    size: int
    requested: int
    stack: int


@dataclass(frozen=True)
class _Records:
    """The memory records of one device, in order, and the blocks held from start to end.

    Attributes
    ----------
    change : ndarray of int64, shape (records,)
        Bytes that the allocator took or, if negative, got back.
    allocated, requested, reserved : ndarray of int64, shape (records,)
        Totals after each record, in bytes.
    """

    device: int
    history: History
    time_us: Integers
    change: Integers
    allocated: Integers
    requested: Integers
    reserved: Integers
    held: list[Block]


def snapshot_model(
    content: dict[str, Any],
    defects: DefectLog,
    name: str,
    size: int = 0,
    *,
    most_rows: int = sys.maxsize,
) -> TraceModel:
    """Build the model of a snapshot: memory records, their stacks, and blocks held throughout.

    The totals of every record are computed backwards from the memory in use at the time of the
    snapshot, so that they are correct even if the history does not reach back to the start.

    Parameters
    ----------
    content : dict
        Contains ``segments``, ``device_traces`` or both.
    defects : DefectLog
        Counts irregularities.
    name : str
        Name of the format.
    size : int
        Bytes of the file, for the budget of its call stacks.
    most_rows : int, optional
        Blocks and entries that it may have: each takes some bytes of a pickle, unless it refers to
        the same ones again and again.

    Raises
    ------
    TraceFormatError
        The snapshot has neither segments nor history entries, or too many.
    """
    stacks = Stacks(unpacking_budget(size))
    segments = [one for one in _listed(content.get("segments")) if isinstance(one, dict)]
    traces = _listed(content.get("device_traces"))
    _check_rows(segments, traces, most_rows, defects)
    leave_out_bad_numbers(content, defects)
    blocks = list(_blocks(segments, stacks))
    segments_of: dict[int, list[dict[str, Any]]] = {}
    for segment in segments:
        segments_of.setdefault(_device(segment), []).append(segment)
    histories = {
        number: read_history(number, entries, stacks, defects)
        for number, entries in enumerate(traces)
        if entries or number in segments_of
    }
    for number in segments_of:
        histories.setdefault(number, read_history(number, [], stacks, defects))
    if not histories:
        reason = "it contains no segments and no history of any device"
        raise defects.failure(reason)
    events = sum(len(one.time_us) for one in histories.values())
    has_times = any(bool((one.time_us >= 0).any()) for one in histories.values())
    zero_us, histories = _placed(histories, defects)
    last = max((int(one.time_us[-1]) for one in histories.values() if len(one.time_us)), default=0)
    in_use: dict[int, dict[int, int]] = {}
    for block in blocks:
        in_use.setdefault(block.device, {})[block.address] = block.size
    histories = sized_histories(content, histories, segments_of, in_use, defects)
    devices = [
        _records(number, histories[number], blocks, segments_of.get(number, []), last)
        for number in sorted(histories)
    ]
    sizes = {number: one.size[one.effect != 0] for number, one in histories.items()}
    entries = {number: traces[number] for number in histories if number < len(traces)}
    zero = zero_us if has_times else None
    annotations = content.get("external_annotations")
    allocator = allocator_tables(
        segments, entries, zero, stacks, defects, sizes=sizes, annotations=annotations
    )
    metadata = {
        "format": name,
        "epoch_ns": zero_us * 1000,
        "end_ns": (last + 1) * 1000,
        "events": events,
        "device_type": "gpu",
        "profile_memory": True,
        **_settings(content, traces),
    }
    stacks.note(defects)
    tables = {**_tables(devices, stacks), **allocator}
    return TraceModel(tables, metadata, defects.warnings(), dialect=DIALECT)


def _settings(content: dict[str, Any], traces: list[Any]) -> dict[str, Any]:
    """Return what the snapshot says about its history: the most entries it keeps, and any loss.

    Newer versions say whether older entries were overwritten. For others, a history that is as
    long as its limit counts as overwritten.
    """
    settings = content.get("allocator_settings")
    settings = settings if isinstance(settings, dict) else {}
    most = as_integer(settings.get("trace_alloc_max_entries"), -1)
    longest = max((len(one) for one in map(_listed, traces)), default=0)
    lost = settings.get("trace_alloc_overflowed")
    if not isinstance(lost, bool):
        lost = 1 < most <= longest
    found: dict[str, Any] = {"history_overwritten": lost} if lost else {}
    return {**found, "history_entries": most} if most > 0 else found


def _check_rows(
    segments: list[dict[str, Any]], traces: list[Any], most: int, defects: DefectLog
) -> None:
    """Raise if there are more blocks and entries than a file of its size can have."""
    lists = [*(one.get("blocks") for one in segments), *traces]
    rows = sum(len(one) for one in lists if isinstance(one, (list, tuple)))
    if rows > most:
        reason = (
            f"its {rows:,} blocks and entries are more than its {most:,} bytes can hold: it refers"
            " to the same ones again and again"
        )
        raise defects.failure(reason)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _device(segment: dict[str, Any]) -> int:
    return max(as_small(segment.get("device"), 0), 0)


def _blocks(segments: list[dict[str, Any]], stacks: Stacks) -> Iterator[Block]:
    """Yield the blocks in use."""
    for segment in segments:
        address = as_integer(segment.get("address"), 0)
        for block in _listed(segment.get("blocks")):
            if not isinstance(block, dict):
                continue
            size = as_integer(block.get("size"), 0)
            if text_of(block.get("state")).startswith(_ACTIVE):
                yield Block(
                    device=_device(segment),
                    address=as_integer(block.get("address", address), 0),
                    size=max(size, 0),
                    requested=max(requested_of(block), 0),
                    stack=stacks.code(frames_of(block)),
                )
            address += size


def _placed(histories: dict[int, History], defects: DefectLog) -> tuple[int, dict[int, History]]:
    """Return the time zero, and the histories with times relative to it, in microseconds.

    Early versions do not record times: entries are then placed one microsecond apart.
    """
    times = [one.time_us for one in histories.values()]
    known = [int(one[one >= 0].min()) for one in times if (one >= 0).any()]
    if not known:
        count = sum(map(len, times))
        defects.note(
            "no times", count, "memory entries are one microsecond apart, in order", fatal=False
        )
        moved = {number: np.arange(len(one.time_us)) for number, one in histories.items()}
        zero = 0
    else:
        zero = min(known)
        moved = {number: np.maximum(one.time_us - zero, 0) for number, one in histories.items()}
    return zero, {number: replace(one, time_us=moved[number]) for number, one in histories.items()}


def _records(
    device: int,
    history: History,
    blocks: list[Block],
    segments: list[dict[str, Any]],
    last_us: int,
) -> _Records:
    """Return the records of a device, plus one for the moment of the snapshot."""
    here = [block for block in blocks if block.device == device]
    change = history.size * history.effect
    reserved = sum(as_integer(one.get("total_size"), 0) for one in segments)
    ends = [sum(block.size for block in here), sum(block.requested for block in here), reserved]
    changes = (change, history.change, history.reserve)
    if not here and not reserved:
        # A history without segments: the entries determine the final state.
        ends = [max(0, -int(np.cumsum(one).min(initial=0))) + int(one.sum()) for one in changes]
    allocated, requested, totals = map(_backwards, ends, changes)
    seen = history.addresses
    return _Records(
        device=device,
        history=history,
        time_us=np.append(history.time_us, last_us),
        change=np.append(change, 0),
        allocated=allocated,
        requested=requested,
        reserved=totals,
        held=[block for block in here if block.address not in seen],
    )


def _backwards(end: int, change: Integers) -> Integers:
    """Return the totals after every change, plus those at the end."""
    run = np.cumsum(change)
    after = run + (end - (int(run[-1]) if len(run) else 0))
    totals: Integers = np.maximum(np.append(after, end), 0)
    return totals


def _tables(devices: list[_Records], stacks: Stacks) -> dict[str, pa.Table]:
    none = np.full(1, -1, np.int64)
    time = np.concatenate([one.time_us for one in devices])
    order = np.argsort(time, kind="stable")
    count = len(time)

    def joined(parts: list[Integers]) -> Integers:
        whole: Integers = np.concatenate(parts)
        return whole[order]

    device = joined([np.full(len(one.time_us), one.device) for one in devices])
    stack = joined([np.append(one.history.stack, none) for one in devices])
    with_stack = np.flatnonzero(stack >= 0)
    memory = {
        "time_ns": time[order] * 1000,
        "thread": np.full(count, -1),
        "bytes": joined([one.change for one in devices]),
        "address": joined([np.append(one.history.address, none) for one in devices]),
        "device_type": np.full(count, _GPU),
        "device": device,
        "total_allocated": joined([one.allocated for one in devices]),
        "total_reserved": joined([one.reserved for one in devices]),
    }
    requested = {
        "bytes": joined([np.append(one.history.change, 0) for one in devices]),
        "total": joined([one.requested for one in devices]),
    }
    held = [block for one in devices for block in one.held]
    held_stack = np.array([block.stack for block in held], np.int32)
    return {
        "memory": _table(schema.MEMORY, memory),
        "memory_requested": _table(schema_allocator.MEMORY_REQUESTED, requested),
        "memory_stacks": pa.table(
            [
                arrow_array(with_stack),
                dictionary_array(stack[with_stack].astype(np.int32), stacks.texts),
            ],
            schema=schema.MEMORY_STACKS,
        ),
        "memory_held": pa.table(
            [
                arrow_array([_GPU] * len(held), pa.int32()),
                arrow_array([block.device for block in held], pa.int32()),
                arrow_array([block.address for block in held], pa.int64()),
                arrow_array([block.size for block in held], pa.int64()),
                arrow_array([block.requested for block in held], pa.int64()),
                dictionary_array(held_stack, stacks.texts),
            ],
            schema=schema.MEMORY_HELD,
        ),
    }


def _table(layout: pa.Schema, columns: dict[str, Any]) -> pa.Table:
    arrays = [arrow_array(columns[field.name]).cast(field.type) for field in layout]
    return pa.table(arrays, schema=layout)
