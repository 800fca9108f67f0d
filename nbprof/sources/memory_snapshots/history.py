"""Reads the allocation history of one device from an allocator snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.model.units import format_bytes
from nbprof.sources.chrome.columns import Integers, as_integer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.sources.defects import DefectLog

Entry = dict[str, Any]

#: Effects of actions on the memory in use and on the memory reserved by the allocator.
_IN_USE: Final = {"alloc": 1, "free_completed": -1}
_RESERVED: Final = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}

#: Actions that change neither; any other action is counted as unknown.
_NEUTRAL: Final = frozenset({"free_requested", "snapshot", "oom", "workspace_snapshot"})


class Stacks:
    """Numbers call stacks.

    Attributes
    ----------
    texts : list of str
        The distinct stacks: frames joined by ";", in the order of the file.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._places: dict[str, int] = {}
        # Unpickling keeps equal frames as one shared object.
        self._seen: dict[int, tuple[Any, int]] = {}

    def code(self, frames: Any) -> int:
        """Return the number of a stack, -1 for one without frames."""
        if not isinstance(frames, (list, tuple)) or not frames:
            return -1
        known = self._seen.get(id(frames))
        if known is None:
            text = ";".join(_frame(frame) for frame in frames)
            place = self._places.setdefault(text, len(self.texts))
            if place == len(self.texts):
                self.texts.append(text)
            known = self._seen[id(frames)] = (frames, place)  # alive, so that ids stay distinct
        return known[1]


@dataclass(frozen=True)
class History:
    """The entries of one device that change its memory, as arrays of shape (entries,).

    Attributes
    ----------
    time_us : ndarray of int64
        Recorded time, -1 if missing.
    change : ndarray of int64
        Bytes allocated, or, if negative, returned to the allocator.
    reserve : ndarray of int64
        The same for memory reserved by the allocator.
    address : ndarray of int64
    stack : ndarray of int64
        Number of the call stack of an allocation, -1 without one.
    """

    time_us: Integers
    change: Integers
    reserve: Integers
    address: Integers
    stack: Integers

    @property
    def addresses(self) -> set[int]:
        """Addresses of all allocations and releases."""
        return set(self.address[self.change != 0].tolist())


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
    used = [
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
    return History(
        time_us=in_order,
        change=sizes * np.array([one for _, one, _ in used], np.int64),
        reserve=sizes * np.array([one for _, _, one in used], np.int64),
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
        text = f"device {device}: {format_bytes(size)} asked for, {format_bytes(free)} free"
        defects.note("out of memory", len(short), text, fatal=False)
    known = {*_IN_USE, *_RESERVED, *_NEUTRAL}
    odd = [one for one in actions if not isinstance(one, str) or one not in known]
    if odd:
        defects.note("unknown memory action", len(odd), repr(odd[0])[:80], fatal=False)


def _numbers(entries: list[Entry], key: str, missing: int) -> Integers:
    values = [entry.get(key, missing) for entry in entries]
    try:
        return np.fromiter(values, np.int64, len(values))
    except (TypeError, ValueError, OverflowError):
        return np.array([as_integer(value, missing) for value in values], np.int64)


def _frame(frame: Any) -> str:
    """Format a frame as ``file(line): function``."""
    if not isinstance(frame, dict):
        return str(frame)[:200].replace(";", ",")
    text = f"{frame.get('filename', '')}({frame.get('line', 0)}): {frame.get('name', '')}"
    return text.replace(";", ",")
