"""`read_bytes`: reads a whole file into memory, decompressed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.model.errors import TraceFormatError
from nbprof.sources.files.bytesource import ByteSource

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.sources.files.opening import AnyFile

_PIECE: Final = 1 << 23


def read_bytes(path: AnyFile, report: Callable[[int], None]) -> bytes | bytearray:
    """Return the decompressed content of a file.

    Raises
    ------
    OSError
        It cannot be read.
    TraceFormatError
        It changed while it was read, or is compressed and damaged.
    """
    data = bytearray()
    with ByteSource(path) as source:
        while piece := source.read(_PIECE):
            data += piece
            report(source.done)
        if source.changed:
            message = "it changed while it was read"
            raise TraceFormatError(message)
        if source.damage:
            raise TraceFormatError(source.damage)
    return data
