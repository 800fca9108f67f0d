"""What a look at both ends of a file says, and the piece of the file that is looked at."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from nbprof.sources.files.bytesource import ByteSource

#: Bytes of JSON that are looked at on each end.
PEEK: Final = 1 << 16

#: A header before the events may be this long; further on nobody looks for them.
LONGEST_HEADER: Final = 16 << 20

#: Packed files up to this size are looked at whole: their end cannot be had otherwise.
SMALL_PACKED: Final = 2 << 20

_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')
_EVENTS_LENGTH = 64  # of the key, with blanks to spare
_EVENT_ARRAY = re.compile(rb"\s*\[\s*(?:\{|\])")
_PHASE = re.compile(rb'"ph"\s*:\s*"')
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Head:
    """What a look at a file, or at a directory of files, says.

    Attributes
    ----------
    reason : str
        Why it is no trace, empty if it is one.
    format : str
        The name of the recorder that wrote it.
    metadata : tuple of (str, value)
        What it tells about itself, such as ``rank``, ``world_size``, ``host_name`` and
        ``span_index``.
    device_type : str
        cpu, gpu, …; empty if unknown.
    devices : tuple of int
        Ids of the devices that the file describes.
    size : int
        Bytes on disk.
    alone : bool
        Whether the file is one of those that stand for several in a directory.
    """

    reason: str = ""
    format: str = ""
    metadata: tuple[tuple[str, Any], ...] = ()
    device_type: str = ""
    devices: tuple[int, ...] = ()
    size: int = 0
    alone: bool = False


class FileStart:
    """The beginning of a file, and more of it for a recorder that asks.

    Parameters
    ----------
    source : ByteSource
        The file, from its beginning.
    name : str
        What the file is called.
    size : int
        Its bytes on disk.

    Attributes
    ----------
    text : bytes
        Its first bytes, unpacked, at most `PEEK`.
    """

    def __init__(self, source: ByteSource, name: str, size: int) -> None:
        self.source = source
        self.name = name
        self.size = size
        self.text = source.read(PEEK).removeprefix(_BOM)

    @property
    def first(self) -> bytes:
        """The first byte that is no blank, empty where there is none."""
        return self.text.lstrip()[:1]

    @property
    def is_event_array(self) -> bool:
        """Whether it is a JSON array of Chrome trace events, by its first bytes."""
        if not _EVENT_ARRAY.match(self.text):
            return False
        return _PHASE.search(self.text) is not None or b"{" not in self.text

    @cached_property
    def header(self) -> tuple[bytes, int] | None:
        """The text up to some of the events of a Chrome trace, and where these begin in it.

        None where a JSON object has no ``traceEvents``, as far as anybody looks.
        """
        searched, text = 0, self.text
        while (events := _EVENTS.search(text, searched)) is None:
            piece = self.source.read(len(text)) if len(text) < LONGEST_HEADER else b""
            if not piece:
                return None
            searched = max(0, len(text) - _EVENTS_LENGTH)
            text += piece
        return text, events.start()

    @cached_property
    def last(self) -> bytes:
        """The last bytes of the file, nothing of a packed one."""
        return b"" if self.source.packed else self.source.last(PEEK)

    @cached_property
    def tail(self) -> bytes:
        """The last bytes of a Chrome trace behind its `header`, of a large packed one nothing."""
        if not self.source.packed:
            return self.last
        if self.source.total > SMALL_PACKED:
            return b""
        tail = self.header[0] if self.header else self.text
        while piece := self.source.read(PEEK):
            tail = (tail + piece)[-PEEK:]
        return tail
