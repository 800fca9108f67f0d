"""What the beginning and the end of a file tell, without reading the rest."""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from nbprof.sources.ascend.parts import FORMAT as ASCEND
from nbprof.sources.discovery import header as headers
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.files.remote import RemotePath
from nbprof.sources.kineto import categories
from nbprof.sources.kineto import reading as kineto
from nbprof.sources.memory_snapshots import memory_snapshot, memory_timeline
from nbprof.sources.paddle import heads as paddle
from nbprof.sources.paddle.assembly import FORMAT as PADDLE

if TYPE_CHECKING:
    from nbprof.sources.files.opening import AnyPath

#: Bytes of JSON that are looked at on each end.
PEEK = 1 << 16

#: A header before the events may be this long; further on nobody looks for them.
LONGEST_HEADER = 16 << 20

#: Packed files up to this size are looked at whole: their end cannot be had otherwise.
SMALL_PACKED = 2 << 20

_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')
_EVENTS_LENGTH = 64  # of the key, with blanks to spare
_EVENT_ARRAY = re.compile(rb"\s*\[\s*(?:\{|\])")
_PHASE = re.compile(rb'"ph"\s*:\s*"')
_CATEGORY = re.compile(rb'"cat"\s*:\s*"(\w+)"')
_ASCEND = re.compile(rb'"(?:async_npu|async_task_queue|HostToDevice|Ascend Hardware|CANN)"')
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Head:
    """What a look at both ends of a file says.

    Attributes
    ----------
    reason : str
        Why it is no trace, empty if it is one.
    format : str
        What wrote it.
    metadata : dict
        Known keys, see `nbprof.sources.discovery.header.metadata`.
    device_type : str
        cpu or gpu, empty if unknown.
    devices : tuple of int
        Ids of the devices that the file describes.
    size : int
        Bytes on disk.
    alone : bool
        Whether the file is one of those that stand for several in a directory.
    """

    reason: str = ""
    format: str = kineto.FORMAT
    metadata: tuple[tuple[str, Any], ...] = ()
    device_type: str = ""
    devices: tuple[int, ...] = ()
    size: int = 0
    alone: bool = False


def look(path: AnyPath) -> Head:
    """Look at a file; one that cannot be opened gives the reason why."""
    try:
        # What a listing says of a file elsewhere is enough to look at it: asking takes a while.
        found = path.listed_stat() if isinstance(path, RemotePath) else path.stat()
        if not stat.S_ISREG(found.st_mode):
            return Head(reason="it is no regular file")
        look_at = _look if found.st_mtime_ns else _look.__wrapped__  # nothing tells of a change
        return look_at(path.absolute(), found.st_size, found.st_mtime_ns)
    except OSError as error:
        return Head(reason=f"cannot be opened: {error.strerror or error}")


@lru_cache(maxsize=8192)
def _look(path: AnyPath, size: int, mtime_ns: int) -> Head:  # noqa: ARG001 - part of the key
    with ByteSource(path) as source:
        text = source.read(PEEK).removeprefix(_BOM)
        if paddle.is_protobuf(text):
            return _of_paddle(paddle.of_protobuf(source, text), size)
        start = text.lstrip()[:1]
        if start == b"[":
            return _look_at_array(text, b"" if source.packed else source.last(PEEK), size)
        if start == b"{":
            return _look_at_object(source, text, size, path.name)
        if text.startswith(memory_snapshot.PICKLE_START):
            return _look_at_pickle(text, size)
        if not start:
            return Head(reason=source.damage or "it is empty")
        return Head(reason="no trace: it is no JSON")


def _look_at_pickle(text: bytes, size: int) -> Head:
    if memory_snapshot.looks_like_snapshot(text):
        return Head(format=memory_snapshot.FORMAT, device_type="gpu", size=size)
    return Head(reason="no trace: a pickle of something else than a memory snapshot")


def _look_at_array(text: bytes, end: bytes, size: int) -> Head:
    if _EVENT_ARRAY.match(text) and (_PHASE.search(text) or b"{" not in text):
        if _ASCEND.search(text) or _ASCEND.search(end):
            return Head(format=ASCEND, device_type="npu", size=size, alone=True)
        return Head(device_type=_device_type({}, text), size=size)
    if memory_timeline.looks_like_timeline(text):
        return Head(format=memory_timeline.FORMAT, size=size)
    return Head(reason="no trace: an array of something else than trace events")


def _look_at_object(source: ByteSource, text: bytes, size: int, name: str) -> Head:
    searched = 0
    while (events := _EVENTS.search(text, searched)) is None:
        piece = source.read(len(text)) if len(text) < LONGEST_HEADER else b""
        if not piece:
            return Head(reason=_no_events(source))
        searched = max(0, len(text) - _EVENTS_LENGTH)
        text += piece
    tail = _tail(source, text)
    before = text[: events.start()]
    if paddle.is_json(name, before):
        return _of_paddle(paddle.of_json(before, text, _tail(source, text)), size)
    head = headers.pick(before.decode("utf-8", "replace"))
    head = {**headers.pick(tail.decode("utf-8", "replace")), **head}
    return Head(
        metadata=tuple(headers.metadata(head).items()),
        device_type=_device_type(head, text + tail),
        devices=tuple(row["device"] for row in headers.devices(head)),
        size=size,
    )


def _of_paddle(facts: paddle.Facts, size: int) -> Head:
    about = tuple(facts.metadata.items())
    return Head("", PADDLE, about, facts.device_type, facts.devices, size)


def _no_events(source: ByteSource) -> str:
    if source.damage:
        return f"no events up to where {source.damage}"
    return "no trace: JSON without `traceEvents`"


def _tail(source: ByteSource, text: bytes) -> bytes:
    """Return the last bytes of the file, of a large packed one nothing."""
    if not source.packed:
        return source.last(PEEK)
    tail = text
    if source.total > SMALL_PACKED:
        return b""
    while piece := source.read(PEEK):
        tail = (tail + piece)[-PEEK:]
    return tail


def _device_type(head: headers.Header, text: bytes) -> str:
    found = {one.decode() for one in _CATEGORY.findall(text)}
    told = {categories.accelerator(one) for one in found if categories.reports_device("X", one)}
    if kind := categories.device_type(told):
        return kind
    devices = headers.devices(head)
    if devices:
        # A model without a compute capability is none that CUDA or HIP drives.
        other = any(row["name"] and row["compute_major"] < 0 for row in devices)
        return "" if other else "gpu"
    return "cpu" if head.get("deviceProperties") == [] else ""
