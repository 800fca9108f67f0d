"""`Head`: the result of probing a file; `FileStart`: the part of the file that is probed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from nbprof.sources.files.bytesource import ByteSource
    from nbprof.sources.files.opening import AnyFile

#: Number of bytes that are probed at each end.
PEEK: Final = 1 << 16

#: Maximum length of the header before the events, in bytes.
LONGEST_HEADER: Final = 16 << 20

#: Compressed files up to this size are probed whole, since their end cannot be read alone.
SMALL_PACKED: Final = 2 << 20

_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')
_EVENTS_LENGTH = 64  # of the key, with blanks to spare
_EVENT_ARRAY = re.compile(rb"\s*\[\s*(?:\{|\])")
_PHASE = re.compile(rb'"ph"\s*:\s*"')
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Head:
    """The result of probing a file, or a directory of files.

    Attributes
    ----------
    reason : str
        Why it is not a trace; empty if it is one.
    format : str
        The name of the recorder that wrote it.
    metadata : tuple of (str, value)
        Metadata of the trace, such as ``rank``, ``world_size``, ``host_name`` and
        ``span_index``.
    device_type : str
        cpu, gpu, …; empty if unknown.
    devices : tuple of int
        Ids of the devices that the file describes.
    size : int
        Bytes on disk.
    is_part : bool
        Whether the file is one part of a recording that its profiler writes as a directory.
    processes : tuple of (tuple of (str, value))
        Metadata of each process, where a file holds several: each of them is a worker. They contain
        its number as ``process``, and may contain its ``rank``, a ``label`` for its name, and
        the processes of all of them as ``merged``.
    start_ns : int
        About when the recording begins, which orders the spans of a worker; 0 if unknown.
    archive : str
        ``"zip"`` or ``"tar"`` for an archive, whose files are probed instead.
    """

    reason: str = ""
    format: str = ""
    metadata: tuple[tuple[str, Any], ...] = ()
    device_type: str = ""
    devices: tuple[int, ...] = ()
    size: int = 0
    is_part: bool = False
    processes: tuple[tuple[tuple[str, Any], ...], ...] = ()
    start_ns: int = 0
    archive: str = ""


class FileStart:
    """The beginning of a file; recorders can read more of it.

    Parameters
    ----------
    source : ByteSource
        The file, from its beginning.
    name : str
        The name of the file.
    size : int
        Its bytes on disk.
    path : Path, RemotePath or other, optional
        The file, for formats that are not read from the beginning.

    Attributes
    ----------
    text : bytes
        Its first bytes, unpacked, at most `PEEK`.
    """

    def __init__(
        self, source: ByteSource, name: str, size: int, path: AnyFile | None = None
    ) -> None:
        self.source = source
        self.name = name
        self.size = size
        self.path = path
        self.text = source.read(PEEK).removeprefix(_BOM)

    @property
    def first(self) -> bytes:
        """The first byte that is not white space, empty without one."""
        return self.text.lstrip()[:1]

    @property
    def is_event_array(self) -> bool:
        """Whether it is a JSON array of Chrome trace events, by its first bytes."""
        if not _EVENT_ARRAY.match(self.text):
            return False
        return _PHASE.search(self.text) is not None or b"{" not in self.text

    @cached_property
    def header(self) -> tuple[bytes, int] | None:
        """The text up to the first events of a Chrome trace, and the position of these events.

        None if a JSON object has no ``traceEvents`` within `LONGEST_HEADER` bytes.
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
        """The last bytes of the file; empty for a compressed one."""
        return b"" if self.source.packed else self.source.last(PEEK)

    @cached_property
    def tail(self) -> bytes:
        """The last bytes of a Chrome trace after its `header`; empty for a large compressed one."""
        if not self.source.packed:
            return self.last
        if self.source.total > SMALL_PACKED:
            return b""
        tail = self.header[0] if self.header else self.text
        while piece := self.source.read(PEEK):
            tail = (tail + piece)[-PEEK:]
        return tail
