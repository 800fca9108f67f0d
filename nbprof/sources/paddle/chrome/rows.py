"""Converts windows of Paddle's JSON events to raw columns, by event type."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.sources.chrome.batch import Batch
from nbprof.sources.chrome.columns import floats, integers
from nbprof.sources.chrome.dictionaries import UNNAMED, thread_id
from nbprof.sources.chrome.times import NO_TIME, Nanoseconds, nanoseconds, one_by_one
from nbprof.sources.kineto.device_rows import Numbers
from nbprof.sources.paddle import event_types
from nbprof.sources.paddle.chrome.events import NO_ARGS
from nbprof.sources.paddle.texts import plain_names, thread_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nbprof.sources.chrome.batch import Pieces
    from nbprof.sources.chrome.decoding import Window
    from nbprof.sources.paddle.raw_columns import RawColumns

#: Roles of events. Up to `DEVICE` the role of a host event is the code of its type.
DEVICE: Final = 10_000
MEMORY: Final = 20_000
ARROW, LABEL, NOTHING, UNKNOWN = range(30_000, 30_004)

#: Different types of host events, at most, far fewer than `DEVICE`; the others have one type.
MOST_TYPES: Final = 1000
OTHERS: Final = "OtherTypes"

_DEVICE_INTEGERS: Final = ("correlation", "registers", "shared_memory_bytes", "bytes")
_DEVICE_FLOATS: Final = ("blocks_per_sm", "warps_per_sm", "occupancy_pct", "bandwidth_gbps")
_MEMORY_INTEGERS: Final = (
    "address",
    "total_allocated",
    "total_reserved",
    "peak_allocated",
    "peak_reserved",
)
#: Kinds of memory changes.
_FIRST_RESERVED: Final = event_types.MEMORY.index("ReservedAllocate")

_get_pair = attrgetter("ph", "cat")
_get_thread = attrgetter("pid", "tid")


class JsonRows:
    """Collects the rows of all tables; the events of a window are released after `add`."""

    def __init__(self, raw: RawColumns) -> None:
        self._raw = raw
        self._roles = _Roles(raw)
        self._numbers = Numbers()

    def add(self, window: Window) -> None:
        """Take in a window."""
        events, count = window.events, len(window.events)
        if count == 0:
            return
        raw = self._raw
        roles = np.fromiter(map(self._roles.__getitem__, map(_get_pair, events)), np.int16, count)
        names = raw.names.encode(plain_names(event.name for event in events), count)
        order = np.arange(raw.events, raw.events + count)
        # The array ends with an empty object, which is not an event.
        raw.events += count - int((roles == NOTHING).sum())
        batch = Batch(events, names, window.start, roles, order)
        self._note(batch)
        for low, high, add in (
            (0, DEVICE, self._add_host),
            (DEVICE, MEMORY, self._add_device),
            (MEMORY, ARROW, self._add_memory),
            (LABEL, NOTHING, self._add_labels),
        ):
            mask = (roles >= low) & (roles < high)
            if mask.any():
                add(batch.select(mask))

    def _note(self, batch: Batch) -> None:
        """Count events of unknown kinds, and slices without a name."""
        defects, roles = self._raw.defects, batch.roles
        unknown = np.flatnonzero(roles == UNKNOWN)
        new = np.flatnonzero(np.isin(roles, list(self._roles.strange)))
        for rows, kept in ((unknown, "dropped"), (new, "kept as a range")):
            if len(rows):
                event = batch.events[rows[0]]
                example = f"phase {event.ph!r}, category {event.cat!r}; {kept}"
                defects.note("unknown kind of event", len(rows), example, fatal=False)
        nameless = np.flatnonzero((batch.names == self._raw.names.unnamed) & (roles < MEMORY))
        if len(nameless):
            example = f"an event of the type {batch.events[nameless[0]].cat!r}; shown as {UNNAMED}"
            defects.note("missing name", len(nameless), example)

    def _add_host(self, batch: Batch) -> None:
        batch, times = self._times(batch)
        raw, args = self._raw, _args(batch)
        kind = self._roles.kinds()[batch.roles]
        threads = self._threads(batch)
        stacks = [one.call_stack if isinstance(one.call_stack, str) else None for one in args]
        raw.host.append(
            {
                "order": batch.order,
                "name": batch.names,
                "kind": kind,
                "event_type": batch.roles.astype(np.int32),
                "thread": threads,
                "correlation": integers(args, "correlation"),
                "input_shapes": raw.shapes.encode_field(args, "input_shapes"),
                "input_types": raw.dtypes.encode_field(args, "input_types"),
                "call_stack": raw.stacks.encode(stacks, len(stacks)),
                **times,
            }
        )

    def _add_device(self, batch: Batch) -> None:
        batch, times = self._times(batch)
        raw, args = self._raw, _args(batch)
        # Copies have no device: their track, (pid, tid), is device and stream.
        device = [
            event.pid if one.device is None else one.device
            for event, one in zip(batch.events, args, strict=True)
        ]
        stream = [
            event.tid if one.stream is None else one.stream
            for event, one in zip(batch.events, args, strict=True)
        ]
        numbers = self._numbers.encode(device)
        small = np.where((numbers >= 0) & (numbers < 1 << 31), numbers, -1)
        raw.device.append(
            {
                "order": batch.order,
                "name": batch.names,
                "kind": (batch.roles - DEVICE).astype(np.int8),
                "device": small.astype(np.int32),
                "stream": self._numbers.encode(stream),
                "grid": raw.extents.encode_field(args, "grid"),
                "block": raw.extents.encode_field(args, "block"),
                **{name: integers(args, name) for name in _DEVICE_INTEGERS},
                **{name: floats(args, name) for name in _DEVICE_FLOATS},
                **times,
            }
        )

    def _add_memory(self, batch: Batch) -> None:
        timeless = batch.start == NO_TIME
        self._note_timeless(batch, timeless)
        batch = batch.select(~timeless)
        raw, args = self._raw, _args(batch)
        places = [raw.places[one.place] for one in args if _hashable(one.place)]
        if len(places) < len(args):
            places = [raw.places[str(one.place)] for one in args]
        kind, device = np.array(places, np.int32).reshape(len(args), 2).T
        raw.memory.append(
            {
                "order": batch.order,
                "time_ns": batch.start,
                "thread": self._threads(batch),
                "bytes": integers(args, "change", missing=0),
                "device_type": kind,
                "device": device,
                "is_reserved": batch.roles - MEMORY >= _FIRST_RESERVED,
                **{name: integers(args, name) for name in _MEMORY_INTEGERS},
            }
        )

    def _add_labels(self, batch: Batch) -> None:
        texts = self._raw.names.texts
        for event, args, name in zip(batch.events, _args(batch), batch.names.tolist(), strict=True):
            if texts[name] == "thread_name" and isinstance(args.name, str):
                tid = str(event.tid).partition("(")[0]
                labels = thread_name(args.name)
                if labels:
                    self._raw.thread_names.setdefault(thread_id(tid), labels)

    def _threads(self, batch: Batch) -> Any:
        pairs = map(_get_thread, batch.events)
        threads = self._raw.threads
        rows = np.fromiter(map(threads.__getitem__, pairs), np.int32, len(batch))
        self._raw.note_threads(rows, len(batch))
        return rows

    def _times(self, batch: Batch) -> tuple[Batch, Pieces]:
        """Return the events with a time, and their times from arguments and stamps."""
        args = _args(batch)
        start = _microseconds(one.start_time for one in args)
        end = _microseconds(one.end_time for one in args)
        is_timed = (start != NO_TIME) & (end >= start)
        timeless = ~is_timed & (batch.start == NO_TIME)
        self._note_timeless(batch, timeless)
        rest = ~is_timed & ~timeless
        if rest.any():
            name = self._raw.names.texts[batch.names[np.argmax(rest)]]
            example = f"{name!r} has no usable start_time and end_time; taken from ts and dur"
            self._raw.defects.note("missing exact times", int(rest.sum()), example)
        durations = [event.dur for event in batch.events]
        lengths = nanoseconds(durations)
        lengths = one_by_one(durations) if lengths is None else lengths
        times = {
            "start_ns": np.where(is_timed, start, NO_TIME),
            "end_ns": np.where(is_timed, end, NO_TIME),
            "stamp_ns": batch.start,
            "length_ns": lengths,
        }
        if timeless.any():
            times = {name: values[~timeless] for name, values in times.items()}
            batch = batch.select(~timeless)
        return batch, times

    def _note_timeless(self, batch: Batch, timeless: Any) -> None:
        if timeless.any():
            name = self._raw.names.texts[batch.names[np.argmax(timeless)]]
            example = f"{name!r} has no usable one; dropped"
            self._raw.defects.note("missing time stamp", int(timeless.sum()), example)


class _Roles(dict[Any, int]):
    """The roles of events by phase and category.

    Attributes
    ----------
    strange : set of int
        Roles of host events with an unknown type.
    """

    def __init__(self, raw: RawColumns) -> None:
        super().__init__()
        self._types = raw.types
        self._kinds = np.zeros(0, np.int8)
        self.strange: set[int] = set()

    def __missing__(self, pair: tuple[str | None, str | None]) -> int:
        self[pair] = self._role(*pair)
        return self[pair]

    def kinds(self) -> Any:
        """Return the kind of host row by role."""
        if len(self._kinds) < len(self._types.texts):
            kinds = map(event_types.host_kind, self._types.texts)
            self._kinds = np.array(list(kinds), np.int8)
        return self._kinds

    def _role(self, phase: str | None, category: str | None) -> int:
        if category in event_types.MEMORY and phase != "X":
            return MEMORY + event_types.MEMORY.index(category)
        if phase == "X" or (phase is None and category):
            if category in event_types.DEVICE:
                return DEVICE + event_types.DEVICE[category]
            type_ = category or UNNAMED
            if len(self._types.texts) >= MOST_TYPES and type_ not in self._types:
                type_ = type_ if event_types.is_known(type_) else OTHERS
            role = self._types[type_]
            if not event_types.is_known(str(category)):
                self.strange.add(role)
            return role
        if phase is None:
            return NOTHING
        return {"s": ARROW, "f": ARROW, "M": LABEL}.get(phase, UNKNOWN)


def _args(batch: Batch) -> list[Any]:
    return [event.args or NO_ARGS for event in batch.events]


def _microseconds(texts: Iterable[Any]) -> Nanoseconds:
    """Return times such as ``12.345 us`` in nanoseconds."""
    plain = [one[:-3] if isinstance(one, str) and one.endswith(" us") else one for one in texts]
    times = nanoseconds(plain)
    return one_by_one(plain) if times is None else times


def _hashable(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float))
