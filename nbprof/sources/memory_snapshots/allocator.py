"""Converts the segments and events of an allocator snapshot to the allocator tables of a model.

The keys are those that PyTorch 2.0 to 2.13 write (`torch/csrc/cuda/memory_snapshot.cpp`). What a
version does not write is missing in the tables; nothing is derived here.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from nbprof.model.building import arrow_array
from nbprof.model.trace import schema, schema_allocator
from nbprof.sources.chrome.columns import Integers, as_integer, as_small
from nbprof.sources.chrome.dictionaries import TextDictionary, dictionary_array
from nbprof.sources.memory_snapshots.history import text_of
from nbprof.sources.memory_snapshots.user_ranges import user_ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from nbprof.sources.defects import DefectLog
    from nbprof.sources.memory_snapshots.history import Stacks
    from nbprof.sources.memory_snapshots.user_ranges import UserRanges

Entry = dict[str, Any]

#: Codes of the actions; those of `schema_allocator.ACTIONS`.
_ACTION: Final = {name: code for code, name in enumerate(schema_allocator.ACTIONS)}

#: Codes of the actions that take and return blocks.
_BLOCKS: Final = (schema_allocator.ALLOC, schema_allocator.FREE_COMPLETED)

#: Actions of entries that change what other records of a snapshot count.
_COUNTED: Final = frozenset(schema_allocator.ACTIONS) - {"free_requested", "oom", "snapshot"}

#: Prefix of the states of blocks in use; the full word of those that are not about to be released.
_ACTIVE: Final = "active"
_ALLOCATED: Final = "active_allocated"

#: Keys of what is attached to an allocation besides its frames, with the words before it.
_NOTES: Final = (("user_metadata", ""), ("compile_context", "compiled as "))
_LONGEST_NOTE: Final = 500
_MOST_NOTES: Final = 20


def allocator_tables(
    segments: Sequence[Entry],
    histories: Mapping[int, Any],
    zero_us: int | None,
    stacks: Stacks,
    defects: DefectLog,
    *,
    sizes: Mapping[int, Integers],
    annotations: Any = None,
) -> dict[str, pa.Table]:
    """Return the tables of `schema_allocator`.

    Parameters
    ----------
    segments : sequence of dict
        The segments of the snapshot.
    histories : mapping of int to list
        The entries of each device.
    zero_us : int or None
        The recorded time of relative time 0; None if no entry has a time. Entries are then placed
        as `nbprof.sources.memory_snapshots.tables` places the records.
    stacks : Stacks
        Collects call stacks.
    defects : DefectLog
        Counts negative sizes.
    sizes : mapping of int to ndarray of int64
        What each allocation took and each release returned, in bytes, by device.
    annotations : object, optional
        What the snapshot has under ``external_annotations``.
    """
    texts = _Texts(stacks)
    ranges = user_ranges(annotations, zero_us, defects)
    return {
        "allocator_events": _events(histories, zero_us, texts, ranges, defects, sizes=sizes),
        "allocator_segments": _segments(segments, texts),
        "allocator_blocks": _blocks(segments, texts, defects),
    }


class _Texts:
    """The dictionaries of the text columns of all three tables."""

    def __init__(self, stacks: Stacks) -> None:
        self._stacks = stacks
        self._others: dict[str, TextDictionary] = {}

    def encode(self, name: str, entries: Sequence[Entry]) -> pa.DictionaryArray:
        """Return a text column of entries."""
        if name == "call_stack":
            codes = np.fromiter(map(self._stack, entries), np.int32, len(entries))
            return dictionary_array(codes, self._stacks.texts)
        known = self._others.setdefault(name, TextDictionary())
        keys, text = _TEXTS[name]
        codes = np.full(len(entries), -1, np.int32)
        # Most snapshots have most of these keys nowhere.
        rows = sorted({at for key in keys for at, one in enumerate(entries) if key in one})
        codes[rows] = known.encode((text(entries[at]) for at in rows), len(rows))
        return dictionary_array(codes, known.texts)

    def encode_categories(self, entries: Sequence[Entry], others: Sequence[str | None]) -> Any:
        """Return the categories of entries, and other texts where none was recorded."""
        known = self._others.setdefault("category", TextDictionary())
        pairs = zip(entries, others, strict=True)
        found = ((at, _category(one) or other) for at, (one, other) in enumerate(pairs))
        named = [(at, text) for at, text in found if text]
        codes = np.full(len(entries), -1, np.int32)
        codes[[at for at, _ in named]] = known.encode((text for _, text in named), len(named))
        return dictionary_array(codes, known.texts)

    def _stack(self, entry: Entry) -> int:
        return self._stacks.code(frames_of(entry))


def frames_of(entry: Entry) -> Any:
    """Return the frames of an entry or block; early versions store those of blocks in a history."""
    if "frames" in entry:
        return entry["frames"]
    history = entry.get("history")
    first = history[0] if isinstance(history, (list, tuple)) and history else None
    return first.get("frames") if isinstance(first, dict) else None


def requested_of(block: Entry) -> int:
    """Return the requested size of a block; early versions store it in its history."""
    size = as_integer(block.get("size"), 0)
    history = block.get("history")
    if "requested_size" not in block and isinstance(history, (list, tuple)) and history:
        first = history[0] if isinstance(history[0], dict) else {}
        return as_integer(first.get("real_size", size), 0)
    return as_integer(block.get("requested_size", size), 0)


def _pool(entry: Entry) -> str | None:
    pair = entry.get("segment_pool_id")
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        return None
    return ":".join(str(as_integer(one, 0)) for one in pair)


def _size_class(segment: Entry) -> str | None:
    word = segment.get("segment_type")
    return word if word in ("large", "small") else None


def _category(entry: Entry) -> str | None:
    word = entry.get("category")
    return word[:80] if isinstance(word, str) and word else None


def _note(entry: Entry) -> str | None:
    found = []
    for key, words in _NOTES:
        value = entry.get(key)
        if isinstance(value, dict):
            value = ", ".join(
                f"{text_of(k)[:_LONGEST_NOTE]}: {text_of(one)[:_LONGEST_NOTE]}"
                for k, one in itertools.islice(value.items(), _MOST_NOTES)
            )
        if isinstance(value, str) and value and value != "N/A":
            found.append(f"{words}{value}"[:_LONGEST_NOTE])
    return "; ".join(found) or None


#: The keys behind each text column, and the function that makes its text.
_TEXTS: Final[dict[str, tuple[tuple[str, ...], Callable[[Entry], str | None]]]] = {
    "pool": (("segment_pool_id",), _pool),
    "size_class": (("segment_type",), _size_class),
    "category": (("category",), _category),
    "note": (tuple(key for key, _ in _NOTES), _note),
}


def _events(
    histories: Mapping[int, Any],
    zero_us: int | None,
    texts: _Texts,
    ranges: Mapping[int, UserRanges],
    defects: DefectLog,
    *,
    sizes: Mapping[int, Integers],
) -> pa.Table:
    entries: list[Entry] = []
    device: list[Integers] = []
    time: list[Integers] = []
    around: list[str | None] = []
    for number in sorted(histories):
        listed = histories[number] if isinstance(histories[number], (list, tuple)) else ()
        own = [one for one in listed if isinstance(one, dict) and _known(one.get("action"))]
        entries += own
        device.append(np.full(len(own), number, np.int64))
        time.append(_times(own, zero_us))
        around += ranges[number].at(time[-1]) if number in ranges else [None] * len(own)
    actions = np.fromiter((_ACTION[one["action"]] for one in entries), np.int8, len(entries))
    size = _sizes(entries, "size", defects)
    taken = np.full(len(entries), -1, np.int64)
    taken[np.isin(actions, _BLOCKS)] = _joined([sizes[one] for one in sorted(histories)])
    columns = {name: texts.encode(name, entries) for name in _texts_in(schema_allocator.EVENTS)}
    if any(around):
        columns["category"] = texts.encode_categories(entries, around)
    return _table(
        schema_allocator.EVENTS,
        {
            "device": _joined(device),
            "time_ns": _joined(time) * 1000,
            "action": _kinds(actions, schema_allocator.ACTIONS),
            "address": _numbers(entries, "addr"),
            "bytes": size,
            "allocated": taken,
            "free": _numbers(entries, "device_free"),
            "stream": _numbers(entries, "stream"),
            **columns,
        },
    )


def _segments(segments: Sequence[Entry], texts: _Texts) -> pa.Table:
    place = {id(one): (_device(one), as_integer(one.get("address"), 0)) for one in segments}
    rows = sorted(segments, key=lambda one: place[id(one)])
    layout = schema_allocator.SEGMENTS
    return _table(
        layout,
        {
            "device": [_device(one) for one in rows],
            "address": _numbers(rows, "address"),
            "bytes": np.maximum(_numbers(rows, "total_size", 0), 0),
            "stream": _numbers(rows, "stream"),
            "expandable": [int(one.get("is_expandable") is True) for one in rows],
            **{name: texts.encode(name, rows) for name in _texts_in(layout)},
        },
    )


def _blocks(segments: Sequence[Entry], texts: _Texts, defects: DefectLog) -> pa.Table:
    rows: list[tuple[int, int, int, Entry]] = []
    for segment in segments:
        address = as_integer(segment.get("address"), 0)
        listed = segment.get("blocks")
        for block in listed if isinstance(listed, (list, tuple)) else ():
            if not isinstance(block, dict):
                continue
            if text_of(block.get("state")).startswith(_ACTIVE):
                own = as_integer(block.get("address", address), 0)
                stream = as_integer(segment.get("stream"))
                rows.append((_device(segment), own, stream, block))
            address += as_integer(block.get("size"), 0)
    rows.sort(key=lambda one: one[:2])
    blocks = [block for *_, block in rows]
    waiting = [block.get("state") != _ALLOCATED for block in blocks]
    requested = np.fromiter(map(requested_of, blocks), np.int64, len(blocks))
    layout = schema_allocator.BLOCKS
    return _table(
        layout,
        {
            "device": [device for device, *_ in rows],
            "address": [address for _, address, *_ in rows],
            "bytes": _sizes(blocks, "size", defects),
            "requested": np.maximum(requested, 0),
            "stream": [stream for _, _, stream, _ in rows],
            "state": _kinds(np.array(waiting, np.int8), schema_allocator.STATES),
            **{name: texts.encode(name, blocks) for name in _texts_in(layout)},
        },
    )


def _known(action: Any) -> bool:
    return isinstance(action, str) and action in _ACTION


def _device(segment: Entry) -> int:
    return max(as_small(segment.get("device"), 0), 0)


def _times(entries: Sequence[Entry], zero_us: int | None) -> Integers:
    """Return the relative times of the entries of a device, in microseconds; they never fall."""
    if zero_us is None:
        counted = np.fromiter((one["action"] in _COUNTED for one in entries), bool, len(entries))
        before: Integers = np.maximum(np.cumsum(counted) - counted, 0)
        return before
    relative = np.maximum(_numbers(entries, "time_us") - zero_us, 0)
    in_order: Integers = np.maximum.accumulate(relative)
    return in_order


def _sizes(entries: Sequence[Entry], key: str, defects: DefectLog) -> Integers:
    size = _numbers(entries, key, 0)
    negative = size < 0
    if negative.any():
        example = f"{key} is {int(size[negative][0])}; taken as 0"
        defects.note("negative size", int(negative.sum()), example, fatal=False)
    known: Integers = np.maximum(size, 0)
    return known


def _numbers(entries: Sequence[Entry], key: str, missing: int = -1) -> Integers:
    values = [entry.get(key, missing) for entry in entries]
    try:
        return np.fromiter(values, np.int64, len(values))
    except (TypeError, ValueError, OverflowError):
        return np.array([as_integer(value, missing) for value in values], np.int64)


def _joined(parts: Sequence[Integers]) -> Integers:
    whole: Integers = np.concatenate([np.empty(0, np.int64), *parts])
    return whole


def _texts_in(layout: pa.Schema) -> Iterable[str]:
    return [field.name for field in layout if field.type == schema.TEXT]


def _kinds(codes: np.ndarray, words: Sequence[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(
        arrow_array(codes.astype(np.int8)), arrow_array(words, pa.utf8())
    )


def _table(layout: pa.Schema, columns: Mapping[str, Any]) -> pa.Table:
    arrays = []
    for field in layout:
        values = columns[field.name]
        if not isinstance(values, pa.DictionaryArray):
            values = arrow_array(np.asarray(values, np.int64)).cast(field.type)
        arrays.append(values)
    return pa.table(arrays, schema=layout)
