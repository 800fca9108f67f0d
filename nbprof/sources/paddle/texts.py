"""Converts names, threads, places, shapes and stacks of Paddle's files to the common forms."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.trace import kinds
from nbprof.sources.chrome.columns import as_integer
from nbprof.sources.chrome.dictionaries import JsonTexts, TextDictionary, Threads

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The duration after every name in JSON.
_DURATION: Final = re.compile(r"(.*)\[[-\d.]+ (?:ns|us|ms|s|min)\]", re.DOTALL)
_LANE: Final = re.compile(r"\((?:Python|C\+\+)\)\s*$")
_THREAD_NAME: Final = re.compile(r"thread -?\d+:(.*)\((?:Python|C\+\+)\)", re.DOTALL)
_PLACE: Final = re.compile(r"(?:Place\()?([A-Za-z_]+)(?::(\d{1,9}))?\)?")
_FRAME: Final = re.compile(r'File "(.*)", line (\d+), in (.*)')
_FRAME_START: Final = 'File "'

#: Numbers of the kinds of places, as `MEMORY` has them; others are unknown devices.
_DEVICE_TYPES: Final = {
    "cpu": 0,
    "gpu": 1,
    "xpu": 12,
    "npu": kinds.NPU_TYPE,
    "gpu_pinned": kinds.PINNED_TYPE,
}
_OTHER_DEVICE: Final = kinds.OTHER_TYPE


def plain_names(names: Iterable[Any]) -> list[Any]:
    """Return names without their trailing durations."""
    match = _DURATION.fullmatch
    matches = [(name, match(name) if isinstance(name, str) else None) for name in names]
    return [name if cut is None else cut[1] for name, cut in matches]


def thread_name(text: str) -> str:
    """Return the name of a thread from the label of its lane."""
    match = _THREAD_NAME.fullmatch(text)
    return match[1] if match else ""


class LaneThreads(Threads):
    """Numbers threads: the Python and the C++ lane of a thread have the same number."""

    def __missing__(self, pair: tuple[Any, Any]) -> int:
        """Return a number for a new thread; other spellings get that of their thread."""
        pid, tid = pair
        plain = _LANE.sub("", tid) if isinstance(tid, str) else tid
        number = super().__missing__((pid, plain))
        self[pair] = number
        return number


class Places(dict[Any, "tuple[int, int]"]):
    """Device type and number of a place such as ``Place(gpu:0)``; -1 without a number."""

    def __missing__(self, text: Any) -> tuple[int, int]:
        """Split a place."""
        match = _PLACE.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            place = (-1, -1)
        else:
            kind = _DEVICE_TYPES.get(match[1].lower(), _OTHER_DEVICE)
            place = (kind, as_integer(match[2] or -1))
        self[text] = place
        return place


class ArgumentTexts(JsonTexts):
    """Shapes and types of operator arguments: JSON objects by argument, normalized."""

    def text(self, value: Any) -> str | None:
        """Return the object's text, None if it has no arguments."""
        if not value:
            return None
        arguments = self.decoded(value)
        # Operators without recorded arguments have an empty object.
        return (
            json.dumps(arguments, ensure_ascii=False)
            if isinstance(arguments, dict) and arguments
            else None
        )


class PaddleStacks(TextDictionary):
    """Numbers call stacks, which are lines as Python prints them."""

    def text(self, value: Any) -> str | None:
        """Return the frames joined by ``;``."""
        if not isinstance(value, str) or not value.strip():
            return None
        lines = value.splitlines()
        # From the first place of a line where a frame may begin, since each takes the whole line.
        found = (
            _FRAME.match(line, line.find(_FRAME_START)) for line in lines if _FRAME_START in line
        )
        frames = [f"{frame[1]}({frame[2]}): {frame[3]}" for frame in found if frame]
        return ";".join(frames or filter(None, map(str.strip, lines)))
