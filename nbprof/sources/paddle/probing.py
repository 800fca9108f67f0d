"""Probes both ends of a Paddle file: span, host, devices and the time of its first event."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from nbprof.sources.discovery import header as headers
from nbprof.sources.paddle.header import SPAN_KEYS, header_metadata
from nbprof.sources.paddle.protobuf.wire import LENGTH, VARINT, read_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.sources.files.bytesource import ByteSource

#: Part of Paddle's default file names before the extension.
MARK: Final = ".paddle_trace."

#: A file begins with the version of its schema, followed by the number of its span.
_PROTOBUF: Final = re.compile(rb"\x0a([\x01-\x20])[0-9][0-9.]{0,31}\x10[\x00-\xff]{1,5}")
_SPAN: Final = re.compile(rb'"span_inde?x"\s*:')
_ON_DEVICE: Final = re.compile(rb'"cat"\s*:\s*"(?:Kernel|Memcpy|Memset|CudaRuntime|MluRuntime)"')
_DEVICE_LANE: Final = re.compile(rb'"Dei?vi?ce \d+ \(')
_EVENT: Final = re.compile(
    rb'"ts"\s*:\s*(\d{1,18})\s*,[^{}]{0,4000}"ph"\s*:\s*"X"\s*,\s*"cat"\s*:\s*"(\w+)"[^{}]{0,4000}"args"'
)
#: Types of events attached to host events, which probing ignores in protobuf.
_HANGING: Final = frozenset((b"CudaRuntime", b"MluRuntime", b"Kernel", b"Memcpy", b"Memset"))
#: Default names of workers.
_DEFAULT_WORKER: Final = re.compile(r"host_(.+)pid_\d+$", re.DOTALL)

_KNOWN: Final = ("schemaVersion", *SPAN_KEYS, "deviceProperties")

#: Field numbers: of the file, a tree, a node, an event.
_TREE, _DEVICE, _NODE, _EVENT_OF_NODE, _START = 3, 5, 2, 3, 3


#: Bytes that are read of each message.
_PEEK: Final = 1 << 12


@dataclass(frozen=True)
class Facts:
    """Metadata of a file from probing.

    Attributes
    ----------
    metadata : dict
        Metadata of the model; also ``form``, json or protobuf, ``complete``, whether the file is
        not truncated, and, if known, ``first_stamp_us``, the time of the first event.
    device_type : str
        cpu or gpu.
    devices : tuple of int
        Ids of the devices that the file describes.
    """

    metadata: dict[str, Any]
    device_type: str
    devices: tuple[int, ...] = ()


def is_protobuf(text: bytes) -> bool:
    """Whether a file is Paddle's protobuf, by its first bytes."""
    match = _PROTOBUF.match(text)
    return match is not None and text[match[1][0] + 2 : match[1][0] + 3] == b"\x10"


def is_json(name: str, before: bytes) -> bool:
    """Whether a JSON file is Paddle's, by its name or its header."""
    return MARK in name or _SPAN.search(before) is not None


def host_of(worker: str) -> str:
    """Return the host in a default worker name, empty for other names."""
    match = _DEFAULT_WORKER.match(worker)
    return match[1] if match else ""


def of_json(before: bytes, text: bytes, tail: bytes) -> Facts:
    """Return the metadata from the header, the first and the last bytes of a file."""
    head = headers.find_keys(before.decode("utf-8", "replace"), _KNOWN)
    span = next((head[key] for key in SPAN_KEYS if key in head), 0)
    metadata = header_metadata(head.get("schemaVersion"), span)
    times = (one[1] for one in _EVENT.finditer(text, len(before)) if one[2] not in _HANGING)
    stamp = next(times, None)
    if stamp is not None:
        metadata["first_stamp_us"] = int(stamp)
    devices = tuple(row["device"] for row in headers.devices(head))
    both = text + tail
    used = devices or _ON_DEVICE.search(both) or _DEVICE_LANE.search(both)
    metadata |= {"form": "json", "complete": tail.rstrip().endswith(b"}")}
    return Facts(metadata, "gpu" if used else "cpu", devices)


def of_protobuf(source: ByteSource, text: bytes) -> Facts:
    """Return the metadata of a file, skipping the contents of trees.

    Parameters
    ----------
    source : ByteSource
        The file; if it is compressed, only its beginning is read.
    text : bytes
        Its first bytes.
    """
    version, span, devices = "", 0, []
    stamp, looked = None, False
    content = _Content(text, None if source.packed else source)
    for number, value, place in content.parts(0, content.size):
        if number == 1:
            version = content.piece(place)[:value].decode("utf-8", "replace")
        elif number == 2:
            span = value
        elif number == _TREE and not looked:
            looked, stamp = content.first_start(place, place + value)
        elif number == _DEVICE:
            fields = content.parts(place, place + value)
            devices.append(next((one for key, one, _ in fields if key == 1), -1))
    metadata = {**header_metadata(version, span), "form": "protobuf", "complete": content.complete}
    if stamp is not None:
        metadata["first_stamp_us"] = stamp // 1000
    return Facts(metadata, "gpu" if devices else "cpu", tuple(sorted(devices)))


class _Content:
    """A file of messages, of which only the first bytes of each are read.

    Parameters
    ----------
    text : bytes
        Its first bytes.
    source : ByteSource, optional
        Source of the other bytes; without it they are not read.

    Attributes
    ----------
    size : int
        Number of available bytes.
    complete : bool
        Whether messages end with their enclosing messages, as far as they were read.
    """

    def __init__(self, text: bytes, source: ByteSource | None = None) -> None:
        self._text = text
        self._source = source
        self.size = len(text) if source is None else source.total
        self.complete = True

    def piece(self, at: int) -> bytes:
        """Return bytes from an offset."""
        if self._source is None or at + _PEEK <= len(self._text):
            return self._text[at : at + _PEEK]
        self._source.skip_to(at)
        return self._source.read(_PEEK)

    def parts(self, at: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Yield the fields of a message: number, value or length, and offset of the content."""
        while at < end:
            here = self.piece(at)
            tag, place = read_number(here, 0, len(here))
            value, place = read_number(here, place, len(here))
            wire = tag & 7
            if tag < 0 or value < 0 or wire not in {VARINT, LENGTH}:
                self.complete &= self._source is None
                return
            yield tag >> 3, value, at + place
            at += place + (value if wire == LENGTH else 0)
        self.complete &= at == end or self._source is None

    def first_start(self, at: int, end: int) -> tuple[bool, int | None]:
        """Return whether a tree has an event, and the start of the first one if known."""
        nodes = (place for number, _, place in self.parts(at, end) if number == _NODE)
        next(nodes, None)  # the root, which is not an event
        for node in nodes:
            here = self.piece(node)
            inner = _Content(here)
            for number, value, place in inner.parts(0, len(here)):
                if number == _EVENT_OF_NODE:
                    fields = inner.parts(place, place + value)
                    return True, next((one for key, one, _ in fields if key == _START), None)
            return True, None
        return False, None
