"""Extracts every event that can be decoded by itself from broken text."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import msgspec

from nbprof.sources.chrome.repair import Repair, mend_encoding, repair_json
from nbprof.sources.chrome.structure import EVENT_KEYS
from nbprof.sources.chrome.times import decimal_number, whole_number

_START = re.compile(rb"\{\s*" + EVENT_KEYS)
_CLOSING = re.compile(rb"\}\s*\](?:\s*$|\s*[,}])")
_AFTER_ARRAY = re.compile(rb'\]\s*(?:,\s*"|\})')
_BETWEEN = b" \t\r\n,"
_SPACE = b" \t\r\n\v\f"
_COLON = ord(":")

# Text that Paddle writes after the last event.
_EMPTY = re.compile(rb"(?:\{\s*\}[\s,]*)+")

# A string value goes up to the last quote before the next key or the end of the object.
_VALUE_START = re.compile(rb'"[\w .()/%]{1,40}"\s*:\s*"')
_VALUE_END = re.compile(rb'"(?=\s*(?:,\s*"[\w .()/%]{1,40}"\s*:|[}\]]))')

#: Maximum number of parts to join for an event that contains objects which look like events.
_PARTS = 4


@dataclass
class Salvage:
    """The events that could be decoded.

    Attributes
    ----------
    events : list of dict
        Decoded, numbers with decimals by `decimal_number`.
    repairs : list of Repair
        Repairs and losses.
    end : int
        Position up to which the text was processed.
    closed : bool
        Whether the array of events ends in the text.
    tail : bytes
        The text after the array, if it ends in the text, preceded by an undecodable last event.
    """

    events: list[Any] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)
    end: int = 0
    closed: bool = False
    tail: bytes = b""


def salvage(text: bytes, *, complete: bool) -> Salvage:
    """Decode every event that can be decoded.

    Parameters
    ----------
    text : bytes
        Broken text that starts between two events.
    complete : bool
        Whether the text extends to the end of the file. If not, its last event may be incomplete
        and is left for later.
    """
    starts = _starts(text)
    if not starts and complete:
        return Salvage()
    found = Salvage(end=len(text))
    if not complete and len(starts) > 1:
        found.end = starts[-1]
    bounds = [start for start in starts if start < found.end] + [found.end]
    lost = text[: bounds[0]].strip(_BETWEEN)
    losses = Counter({"unreadable text": 1}) if lost else Counter()
    examples = {"unreadable text": lost}
    if not lost:
        losses.update(_spare_commas(text[: bounds[0]], 0, examples))
    at = 0
    while at < len(bounds) - 1:
        event, repairs, used, after = _read(text, bounds, at)
        fragment = text[bounds[at] : bounds[at + used]]
        at += used
        losses.update(_spare_commas(fragment[len(fragment.rstrip(_BETWEEN)) :], 1, examples))
        if event is None:
            # At the end of a file that was cut off, the last event is incomplete: no repair.
            if complete and at == len(bounds) - 1 and not _CLOSING.search(fragment):
                found.end = bounds[at - used]
                break
            if complete and at == len(bounds) - 1:
                found.closed, found.tail = True, fragment
            losses["unreadable event"] += 1
            examples.setdefault("unreadable event", fragment)
            continue
        found.events.append(event)
        found.repairs += repairs
        if _AFTER_ARRAY.match(after) or (complete and at == len(bounds) - 1 and after == b"]"):
            found.closed, found.tail = True, after[1:] + text[bounds[at] :]
            found.end = len(text)
            break
        if after:
            losses["unreadable text"] += 1
            examples["unreadable text"] = examples.get("unreadable text") or after
    found.repairs += [
        Repair(kind, count, examples[kind][:200].decode("utf-8", "replace"))
        for kind, count in losses.items()
    ]
    return found


def _spare_commas(gap: bytes, needed: int, examples: dict[str, bytes]) -> dict[str, int]:
    """Return how many commas of a gap are not needed; keep an example."""
    spare = gap.count(b",") - needed
    if spare <= 0:
        return {}
    examples.setdefault("spare comma", gap)
    return {"spare comma": spare}


def _starts(text: bytes) -> list[int]:
    """Return where events seem to start; objects that are the value of a key do not count."""
    skipped = len(text) - len(text.lstrip(_BETWEEN))
    return [
        found.start()
        for found in _START.finditer(text)
        if found.start() == skipped or not _follows_colon(text, found.start())
    ]


def _follows_colon(text: bytes, at: int) -> bool:
    """Return whether the last character before a position, blanks ignored, is a colon."""
    at -= 1
    while at >= 0 and text[at] in _SPACE:
        at -= 1
    return at >= 0 and text[at] == _COLON


def _read(
    text: bytes, bounds: list[int], at: int
) -> tuple[dict[str, Any] | None, list[Repair], int, bytes]:
    """Read the event that starts at a bound; return it, repairs, bounds used, and text after."""
    for used in range(1, min(_PARTS, len(bounds) - 1 - at) + 1):
        fragment = text[bounds[at] : bounds[at + used]]
        event, after = _decode(fragment)
        if event is not None:
            return event, [], used, after
    fragment = text[bounds[at] : bounds[at + 1]]
    mended, repairs = repair_json(fragment.rstrip(_BETWEEN))
    event, after = _decode(mended) if repairs else (None, b"")
    if event is None:
        valid, repairs = mend_encoding(fragment)
        quoted = _escape_quotes(valid)
        if quoted != valid:
            mended, more = repair_json(quoted.rstrip(_BETWEEN))
            event, after = _decode(mended)
            repairs += more
            repairs.append(Repair("quote in a text", 1, fragment[:200].decode("utf-8", "replace")))
    return event, repairs if event is not None else [], 1, after


def _decode(fragment: bytes) -> tuple[dict[str, Any] | None, bytes]:
    """Return the event at the start of a fragment and the text after it."""
    after = b""
    try:
        event = _quick_decoder.decode(fragment.rstrip(_BETWEEN))
    except (ValueError, RecursionError):
        try:
            text = fragment.decode()
            event, end = _decoder.raw_decode(text)
            after = text[end:].encode().strip(_BETWEEN)
            empty = _EMPTY.match(after)
            after = after[empty.end() :] if empty else after
        except (ValueError, RecursionError):
            return None, b""
    is_event = isinstance(event, dict) and bool(event.keys() & {"ph", "ts"})
    return (event, after) if is_event else (None, b"")


def _escape_quotes(fragment: bytes) -> bytes:
    """Escape quotes inside of string values, in time linear in the length of the fragment."""
    pieces, at = bytearray(), 0
    while (start := _VALUE_START.search(fragment, at)) is not None:
        end = _VALUE_END.search(fragment, start.end())
        if end is None:
            break
        value = fragment[start.end() : end.start()]
        # Bytes that never occur in UTF-8 mark quotes that are already escaped.
        value = value.replace(rb"\\", b"\xfe").replace(rb"\"", b"\xff").replace(b'"', rb"\"")
        pieces += fragment[at : start.end()]
        pieces += value.replace(b"\xff", rb"\"").replace(b"\xfe", rb"\\")
        at = end.start()
    return bytes(pieces + fragment[at:])


def _no_number(_: str) -> None:
    return None


_quick_decoder = msgspec.json.Decoder(float_hook=decimal_number)
_decoder = json.JSONDecoder(
    parse_float=decimal_number, parse_int=whole_number, parse_constant=_no_number
)
