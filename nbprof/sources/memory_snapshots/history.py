"""Reads the allocation history of one device from an allocator snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.units import format_bytes
from nbprof.sources.chrome.columns import Integers, as_integer
from nbprof.sources.limits.texts import LONGEST_LIST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.sources.defects import DefectLog

Entry = dict[str, Any]

#: Effects of actions on the memory in use and on the memory reserved by the allocator.
_IN_USE: Final = {"alloc": 1, "free_completed": -1}
_RESERVED: Final = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}
_MAPS: Final = frozenset({"segment_map", "segment_unmap"})

#: Actions that change neither; any other action is counted as unknown.
_NEUTRAL: Final = frozenset({"free_requested", "snapshot", "oom", "workspace_snapshot"})

#: Characters of the file or the name of a frame; paths have at most 4,096.
_LONGEST: Final = 4096
#: Bits of a number that is written out.
_MOST_BITS: Final = 128

#: What a frame holds, and what a missing one is taken as.
_FRAME: Final = (("filename", ""), ("line", 0), ("name", ""))


class Stacks:
    """Numbers call stacks.

    Attributes
    ----------
    texts : list of str
        The distinct stacks: frames joined by ";", in the order of the file.
    cut, left_out : int
        Stacks that are longer than `LONGEST_LIST`, and those for which the budget had no room.

    Parameters
    ----------
    budget : int
        Characters that all stacks may have. A pickle may refer to one frame any number of times, so
        their texts may be far larger than the file.
    """

    def __init__(self, budget: int) -> None:
        self.texts: list[str] = []
        self.cut = self.left_out = 0
        self._room = budget
        self._places: dict[str, int] = {}
        # Unpickling keeps equal frames as one shared object.
        self._seen: dict[int, tuple[Any, int]] = {}

    def code(self, frames: Any) -> int:
        """Return the number of a stack, -1 for one without frames."""
        if not isinstance(frames, (list, tuple)) or not frames:
            return -1
        known = self._seen.get(id(frames))
        if known is None:
            # Alive, so that ids stay distinct.
            known = self._seen[id(frames)] = (frames, self._place(frames))
        return known[1]

    def _place(self, frames: Sequence[Any]) -> int:
        """Return the number of a stack that was not seen before."""
        if self._room <= 0:
            self.left_out += 1
            return -1
        parts, length = [], 0
        for frame in frames:
            part = _frame(frame)
            length += len(part) + 1
            long = length > LONGEST_LIST or len(part) > _LONGEST
            self.cut += long
            parts.append(part)
            if length > LONGEST_LIST:
                break
        self._room -= min(length, LONGEST_LIST)
        text = ";".join(parts)
        place = self._places.setdefault(text, len(self.texts))
        if place == len(self.texts):
            self.texts.append(text)
        return place

    def note(self, defects: DefectLog) -> None:
        """Count the stacks that are not whole."""
        long = f"a call stack has over {LONGEST_LIST:,} characters, or a name {_LONGEST:,}; cut"
        defects.note("texts that are too long", self.cut, long)
        many = "the call stacks are far larger than the file, which refers to frames repeatedly"
        defects.note("call stacks left out", self.left_out, many)


@dataclass(frozen=True)
class History:
    """The entries of one device that change its memory, as arrays of shape (entries,).

    Attributes
    ----------
    time_us : ndarray of int64
        Recorded time, -1 if missing.
    effect : ndarray of int64
        1 for allocations, -1 for releases, 0 for other entries.
    change : ndarray of int64
        Bytes requested by an allocation; negative for a release.
    reserve : ndarray of int64
        Bytes that the allocator reserved or, if negative, returned to the device.
    maps : ndarray of bool
        Whether this was a part of an expandable segment.
    size : ndarray of int64
        Bytes of the block that an allocation took or a release returned; 0 until
        `nbprof.sources.memory_snapshots.allocated_sizes` has found them.
    address : ndarray of int64
    stack : ndarray of int64
        Number of the call stack of an allocation, -1 without one.
    """

    time_us: Integers
    effect: Integers
    change: Integers
    reserve: Integers
    maps: npt.NDArray[np.bool_]
    size: Integers
    address: Integers
    stack: Integers

    @property
    def addresses(self) -> set[int]:
        """Addresses of all allocations and releases."""
        return set(self.address[self.effect != 0].tolist())


def read_history(device: int, entries: Any, stacks: Stacks, defects: DefectLog) -> History:
    """Read the history of one device.

    Parameters
    ----------
    device : int
        Number of the device, for messages.
    entries : list of dict
        Entries from the file; others than dicts are counted and left out.
    stacks : Stacks
        Collects the stacks of allocations.
    defects : DefectLog
        Counts irregularities.
    """
    listed = entries if isinstance(entries, (list, tuple)) else []
    known: list[Entry] = [entry for entry in listed if isinstance(entry, dict)]
    defects.note("malformed memory entry", len(listed) - len(known), f"on device {device}")
    actions = [entry.get("action") for entry in known]
    _note_actions(device, known, actions, defects)
    used: list[tuple[Entry, int, int]] = [
        (entry, _IN_USE.get(action, 0), _RESERVED.get(action, 0))
        for entry, action in zip(known, actions, strict=True)
        if isinstance(action, str) and (action in _IN_USE or action in _RESERVED)
    ]
    sizes = _numbers([entry for entry, _, _ in used], "size", 0)
    time = _numbers([entry for entry, _, _ in used], "time_us", -1)
    in_order = np.maximum.accumulate(time)
    defects.note(
        "memory records out of order",
        int((time < in_order).sum()),
        f"a memory entry of device {device} is earlier than the previous one",
        fatal=False,
    )
    effect = np.array([one for _, one, _ in used], np.int64)
    return History(
        time_us=in_order,
        effect=effect,
        change=sizes * effect,
        reserve=sizes * np.array([one for _, _, one in used], np.int64),
        maps=np.array([entry["action"] in _MAPS for entry, _, _ in used], bool),
        size=np.zeros(len(used), np.int64),
        address=_numbers([entry for entry, _, _ in used], "addr", -1),
        stack=np.array(
            [stacks.code(entry.get("frames")) if one > 0 else -1 for entry, one, _ in used],
            np.int64,
        ),
    )


def _note_actions(
    device: int, entries: list[Entry], actions: Sequence[Any], defects: DefectLog
) -> None:
    short = [entry for entry, action in zip(entries, actions, strict=True) if action == "oom"]
    if short:
        size, free = (as_integer(short[0].get(key), 0) for key in ("size", "device_free"))
        text = (
            f"Device {device} ran out of memory: {format_bytes(size)} asked for,"
            f" {format_bytes(free)} free"
        )
        defects.note("out of memory", len(short), text, fatal=False)
    known = {*_IN_USE, *_RESERVED, *_NEUTRAL}
    odd = [one for one in actions if not isinstance(one, str) or one not in known]
    if odd:
        defects.note("unknown memory action", len(odd), repr(text_of(odd[0])[:80]), fatal=False)


def _numbers(entries: list[Entry], key: str, missing: int) -> Integers:
    values = [entry.get(key, missing) for entry in entries]
    try:
        return np.fromiter(values, np.int64, len(values))
    except (TypeError, ValueError, OverflowError):
        return np.array([as_integer(value, missing) for value in values], np.int64)


def _frame(frame: Any) -> str:
    """Format a frame as ``file(line): function``."""
    if not isinstance(frame, dict):
        return text_of(frame)[:200].replace(";", ",")
    file, line, name = (text_of(frame.get(k, v)) for k, v in _FRAME)
    return f"{file}({line}): {name}".replace(";", ",")


def text_of(value: Any) -> str:
    """Return a plain value as a text of at most `_LONGEST` characters.

    Containers give their type: those of a small file may contain each other again and again, so
    that writing them out takes forever.
    """
    if isinstance(value, str):
        return value[: _LONGEST + 1]
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return "a large number"
    return str(value) if value is None or isinstance(value, (int, float)) else type(value).__name__
