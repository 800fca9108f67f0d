"""Converts host nodes of Paddle's protobuf, with their device and memory records, to raw columns.

Field numbers are defined in the recorder's ``nodetree.proto``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds
from nbprof.sources.paddle import event_types
from nbprof.sources.paddle.protobuf.arguments import ArgumentsOf
from nbprof.sources.paddle.protobuf.device import device_columns
from nbprof.sources.paddle.protobuf.messages import Messages

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nbprof.sources.chrome.batch import Pieces
    from nbprof.sources.chrome.dictionaries import TextDictionary
    from nbprof.sources.paddle.protobuf.wire import Integers, Spans, Text
    from nbprof.sources.paddle.raw_columns import RawColumns

ROOT: Final = "root node"

#: Maximum number of order positions of a host node with its attached records.
_PLACES: Final = 1 << 22

#: Later times (in 2116) and earlier ones (in 1970) are invalid.
_TIMES: Final = (1, 1 << 62)

_RESERVED: Final = event_types.MEMORY.index("ReservedAllocate")
_FIRST_DEVICE, _LAST_DEVICE = event_types.NAMES.index("Kernel"), event_types.NAMES.index("Memset")


class ProtoRows:
    """Collects the rows of all tables; times are absolute."""

    def __init__(self, raw: RawColumns) -> None:
        self._raw = raw
        self._names = _Names(raw.names)
        self._arguments = ArgumentsOf(raw)
        self._nodes = 0

    def add(self, text: Text, spans: Spans) -> None:
        """Take in host nodes."""
        nodes = Messages.read(text, spans)
        order = (np.arange(self._nodes, self._nodes + nodes.count)) * _PLACES
        self._nodes += nodes.count
        self._add_host(nodes, order)
        owner, parts = nodes.each(4)
        if len(parts):
            self._add_calls(Messages.read(text, parts), _within(order, owner))
        owner, parts = nodes.each(5)
        if len(parts):
            held = Messages.read(text, parts)
            self._add_memory(Messages.read(text, held.spans(1)), _within(order, owner))

    def _add_host(self, nodes: Messages, order: Integers) -> None:
        raw = self._raw
        events = Messages.read(nodes.text, nodes.spans(3))
        names = self._names.encode(events.texts(1), events.count)
        numbers = events.numbers(2)
        start, end = events.numbers(3), events.numbers(4, missing=-2)
        is_root = (names == self._names.number_of(ROOT)) & (start == 0) & (end == -1)
        raw.events += int((~is_root).sum())
        is_kept = ~is_root & self._timely(names, start, is_root)
        types = np.array([raw.types[one] for one in event_types.NAMES], np.int32)
        known = (numbers >= 0) & (numbers < len(types))
        if (~known & is_kept).any():
            number = int(numbers[np.argmax(~known & is_kept)])
            example = f"type {number}; kept as a range"
            raw.defects.note(
                "unknown kind of event", int((~known & is_kept).sum()), example, fatal=False
            )
        codes = types[np.where(known, numbers, 0)]
        unknown, place = np.unique(numbers[~known], return_inverse=True)
        named = [raw.types[event_types.name_of(number)] for number in unknown.tolist()]
        codes[~known] = np.array(named, np.int32)[place]
        codes = np.where(
            self._are_mlu_calls(names, numbers), raw.types[event_types.MLU_RUNTIME], codes
        )
        kind = np.array([event_types.host_kind(one) for one in raw.types.texts], np.int8)[codes]
        shapes, dtypes, stacks = self._arguments.read(nodes, numbers == 0)
        self._put_host(
            is_kept,
            order=order,
            name=names,
            kind=kind,
            event_type=codes,
            thread=self._threads(events, 5, 6, is_kept),
            start_ns=start,
            duration_ns=self._durations(names, start, end, is_kept),
            input_shapes=shapes,
            input_types=dtypes,
            call_stack=stacks,
        )

    def _add_calls(self, nodes: Messages, order: Integers) -> None:
        raw = self._raw
        events = Messages.read(nodes.text, nodes.spans(1))
        raw.events += events.count
        names = self._names.encode(events.texts(1), events.count)
        start, end = events.numbers(2), events.numbers(3, missing=-2)
        is_kept = self._timely(names, start)
        self._put_host(
            is_kept,
            order=order,
            name=names,
            kind=np.full(len(names), kinds.RUNTIME, np.int8),
            event_type=self._runtimes(names),
            thread=self._threads(events, 4, 5, is_kept),
            start_ns=start,
            duration_ns=self._durations(names, start, end, is_kept),
            correlation=events.numbers(6),
        )
        owner, parts = nodes.each(2)
        if len(parts):
            held = Messages.read(nodes.text, parts)
            work = Messages.read(nodes.text, held.spans(1))
            self._add_device(work, _within(order, owner))

    def _add_device(self, events: Messages, order: Integers) -> None:
        raw = self._raw
        raw.events += events.count
        names = self._names.encode(events.texts(1), events.count)
        numbers, start, end = events.numbers(2), events.numbers(3), events.numbers(4, missing=-2)
        is_device = (numbers >= _FIRST_DEVICE) & (numbers <= _LAST_DEVICE)
        lost = np.flatnonzero(~is_device)
        if len(lost):
            example = f"device work of type {numbers[lost[0]]}; dropped"
            raw.defects.note("unknown kind of event", len(lost), example, fatal=False)
        is_kept = is_device & self._timely(names, start, ~is_device)
        piece: Pieces = {
            "order": order,
            "name": names,
            "kind": (numbers - _FIRST_DEVICE + kinds.KERNEL).astype(np.int8),
            "start_ns": start,
            "duration_ns": self._durations(names, start, end, is_kept),
            **device_columns(events, start, end, raw.extents),
        }
        raw.device.append({name: values[is_kept] for name, values in piece.items()})

    def _add_memory(self, events: Messages, order: Integers) -> None:
        raw = self._raw
        raw.events += events.count
        time, kind = events.numbers(1), events.numbers(2)
        is_kept = _timely(time) & (kind >= 0) & (kind < len(event_types.MEMORY))
        if not is_kept.all():
            example = "a change of memory without time or kind; dropped"
            raw.defects.note("missing time stamp", int((~is_kept).sum()), example)
        places = [raw.places[one.decode("utf-8", "replace")] for one in events.texts(7)]
        device_type, device = np.array(places, np.int32).reshape(len(places), 2).T
        piece: Pieces = {
            "order": order,
            "time_ns": time,
            "thread": self._threads(events, 4, 5, is_kept),
            "bytes": events.numbers(6, missing=0),
            "address": events.numbers(3),
            "device_type": device_type,
            "device": device,
            "is_reserved": kind >= _RESERVED,
            "total_allocated": events.numbers(8),
            "total_reserved": events.numbers(9),
            "peak_allocated": events.numbers(10),
            "peak_reserved": events.numbers(11),
        }
        raw.memory.append({name: values[is_kept] for name, values in piece.items()})

    def _put_host(self, kept: npt.NDArray[np.bool_], **piece: Any) -> None:
        if kept.any():
            thread = piece["thread"][kept]
            self._raw.note_threads(thread, len(thread))
            self._raw.host.append({name: values[kept] for name, values in piece.items()})

    def _timely(
        self, names: Any, start: Integers, known: npt.NDArray[np.bool_] | None = None
    ) -> npt.NDArray[np.bool_]:
        """Return which events have a time; others are counted unless already known."""
        timely = _timely(start)
        lost = ~timely if known is None else ~timely & ~known
        if lost.any():
            name = self._raw.names.texts[names[np.argmax(lost)]]
            example = f"{name!r} has no usable one; dropped"
            self._raw.defects.note("missing time stamp", int(lost.sum()), example)
        return timely

    def _durations(
        self, names: Any, start: Integers, end: Integers, kept: npt.NDArray[np.bool_]
    ) -> Integers:
        bad = kept & ((end < start) | ~_timely(end))
        if bad.any():
            name = self._raw.names.texts[names[np.argmax(bad)]]
            example = f"{name!r} has no usable one; taken as 0"
            defects = self._raw.defects
            defects.note("missing or impossible duration", int(bad.sum()), example)
        return np.where(bad | ~kept, 0, end - start)

    def _threads(
        self, events: Messages, process: int, thread: int, kept: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int32]:
        """Return the numbers of threads; threads without kept rows get none."""
        pairs = np.stack([events.numbers(process), events.numbers(thread)], axis=1)
        distinct, codes = np.unique(pairs[kept], axis=0, return_inverse=True)
        threads = self._raw.threads
        rows = [threads[pid, None if tid == -1 else tid] for pid, tid in distinct.tolist()]
        ids = np.zeros(len(pairs), np.int32)
        ids[kept] = np.array(rows, np.int32)[codes.reshape(int(kept.sum()))]
        return ids

    def _are_mlu_calls(
        self, names: npt.NDArray[np.int32], numbers: Integers
    ) -> npt.NDArray[np.bool_]:
        """Return which events have the type number of MLU calls before Paddle 3."""
        rows = np.flatnonzero(numbers == event_types.KERNEL_LAUNCH)
        distinct, codes = np.unique(names[rows], return_inverse=True)
        texts = self._raw.names.texts
        is_mlu = np.array([event_types.is_mlu_call(texts[one]) for one in distinct.tolist()], bool)
        is_mlu_call = np.zeros(len(names), bool)
        is_mlu_call[rows] = is_mlu[codes]
        return is_mlu_call

    def _runtimes(self, names: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the types of calls by their names, as these files lack them."""
        distinct, codes = np.unique(names, return_inverse=True)
        raw = self._raw
        is_mlu = [event_types.is_mlu_call(raw.names.texts[one]) for one in distinct.tolist()]
        cuda, mlu = event_types.CUDA_RUNTIME, event_types.MLU_RUNTIME
        types = [raw.types[mlu if one else cuda] for one in is_mlu]
        return np.array(types, np.int32)[codes]


class _Names(dict[bytes, int]):
    """TextDictionary of names by their bytes."""

    def __init__(self, names: TextDictionary) -> None:
        super().__init__()
        self._codes = names

    def __missing__(self, name: bytes) -> int:
        self[name] = self._codes[name.decode("utf-8", "replace")]
        return self[name]

    def encode(self, names: Iterable[bytes], count: int) -> npt.NDArray[np.int32]:
        """Return the codes of names, shape (count,)."""
        return np.fromiter(map(self.__getitem__, names), np.int32, count)

    def number_of(self, name: str) -> int:
        """Return the code of a name, -2 if it has none yet."""
        return self.get(name.encode(), -2)


def _timely(times: Integers) -> npt.NDArray[np.bool_]:
    return (times >= _TIMES[0]) & (times < _TIMES[1])


def _within(order: Integers, owner: Integers) -> Integers:
    """Return the order of parts: after their messages, by their position there."""
    first = np.searchsorted(owner, owner)
    place = np.minimum(np.arange(len(owner)) - first, _PLACES - 2)
    position: Integers = order[owner] + 1 + place
    return position
