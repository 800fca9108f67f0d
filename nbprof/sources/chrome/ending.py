"""Says whether the end of a file of Chrome events is there, without decoding its events.

Only the last events are looked at: in JSON, what closes the array of events can stand nowhere else.
A compressed file is unpacked up to its end, which takes a tenth of the time of reading it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from nbprof.sources.chrome.structure import BOUNDARY, scan
from nbprof.sources.discovery.head import PEEK
from nbprof.sources.files.bytesource import SKIPPED, ByteSource

if TYPE_CHECKING:
    from nbprof.sources.files.opening import AnyFile

_BOM: Final = b"\xef\xbb\xbf"
_CLOSING: Final = ord("]")


def is_whole(path: AnyFile) -> bool:
    """Return whether a file certainly has its end; if not, reading it tells what is missing.

    Parameters
    ----------
    path : Path, RemotePath or MemoryFile
        A plain or compressed file.
    """
    try:
        with ByteSource(path) as source:
            start = source.read(PEEK)
            end = _end_of(source, start)
            is_damaged = bool(source.damage)
    except OSError:
        return False
    return not is_damaged and _is_closed(start.removeprefix(_BOM).lstrip()[:1], end)


def _end_of(source: ByteSource, start: bytes) -> bytes:
    """Return the last bytes of the content, at most `PEEK`."""
    if not source.packed:
        return source.last(PEEK)
    end = start
    while piece := source.read(SKIPPED):
        end = (end + piece[-PEEK:])[-PEEK:]
    return end


def _is_closed(first: bytes, end: bytes) -> bool:
    """Return whether the array of events, and the object around it, are closed at the end.

    Parameters
    ----------
    first : bytes
        The first character of the file.
    end : bytes
        Its last bytes.
    """
    gap = BOUNDARY.search(end)
    if gap is None:
        return False
    events = end[gap.end() :]
    closing = scan(events).closing
    if closing < 0 or events[closing] != _CLOSING:
        return False
    after = events[closing + 1 :].strip()
    if first == b"[":
        return not after
    try:
        json.loads(b'{"traceEvents": []' + after)
    except (ValueError, RecursionError):
        return False
    return first == b"{"
