"""`PackedStream`: decompresses gzip, xz, bzip2 and Zstandard data, tolerant of damage."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from isal import igzip_lib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    #: Returns the next bytes of the file, at most that many; none at its end.
    Fetch = Callable[[int], bytes]

#: Compressed bytes per read.
PACKED_PIECE: Final = 1 << 18

#: Decompressed bytes per read when a damaged file is decompressed again.
_AGAIN: Final = 1 << 20

#: Memory for the dictionary of xz data; its highest level needs a tenth of it.
_XZ_MEMORY: Final = 1 << 30

_IsalError: Any = igzip_lib.IsalError


class _Taker(Protocol):
    """Decompresses data."""

    def take(self, size: int) -> bytes:
        """Return up to `size` bytes; none at the end."""


@dataclass(frozen=True)
class Packing:
    """A compressed format.

    Attributes
    ----------
    name : str
        Its name, for messages.
    magic : pattern
        Matches the first bytes of a file.
    begin : callable
        Begins to decompress what a function fetches.
    """

    name: str
    magic: re.Pattern[bytes]
    begin: Callable[[Fetch], _Taker]


class PackedStream:
    """Decompresses a file, and never raises on damage.

    Parameters
    ----------
    packing : Packing
        The format.
    fetch : callable
        Returns the next bytes of the file.
    rewind : callable
        Goes back to the beginning of the file.

    Attributes
    ----------
    name : str
        The name of the format.
    damage : str
        Why decompression stopped before the end of the file; empty if it did not.
    """

    def __init__(self, packing: Packing, fetch: Fetch, rewind: Callable[[], None]) -> None:
        self.name = packing.name
        self.damage = ""
        self._packing = packing
        self._fetch_raw = fetch
        self._rewind = rewind
        self._at_end = False
        self._failure: OSError | None = None
        self._unpacked = 0
        try:
            self._taker = packing.begin(self._fetch)
        except (ImportError, NotImplementedError) as error:
            message = f"this Python does not read {self.name} data: {error}"
            raise OSError(message) from None
        self._rest: Iterator[bytes] = iter(())

    def read(self, size: int) -> bytes:
        """Return up to `size` decompressed bytes; none at the end or at damage."""
        if not self.damage:
            try:
                piece = self._taker.take(size)
            except EOFError:
                self.damage = f"the {self.name} data ends too early"
            except _TrailingBytesError:
                self.damage = f"bytes after the end of the {self.name} data"
            except Exception as error:
                if not self._is_damage(error):
                    raise
                what = "ends too early" if self._at_end else f"is damaged ({error})"
                self.damage = f"the {self.name} data {what}"
                self._rest = self._recover()
            else:
                self._unpacked += len(piece)
                return piece
        return next(self._rest, b"")

    def _fetch(self, size: int) -> bytes:
        try:
            piece = self._fetch_raw(size)
        except OSError as error:  # bzip2 and Zstandard raise OSError for damage
            self._failure = error
            raise
        self._at_end = not piece
        return piece

    def _is_damage(self, error: Exception) -> bool:
        """Return whether an error of a decompressor concerns the data."""
        known = (EOFError, OSError, ValueError, _TrailingBytesError, _IsalError)
        # By its name, since some builds of Python lack the module that defines it.
        is_known = isinstance(error, known) or type(error).__name__ == "LZMAError"
        return is_known and self._failure is None

    def _recover(self) -> Iterator[bytes]:
        """Decompress again in small steps, to recover bytes between the last output and damage."""
        self._rewind()
        taker, skip = self._packing.begin(self._fetch), self._unpacked
        found = bytearray()
        try:
            while skip and (piece := taker.take(min(skip, _AGAIN))):
                skip -= len(piece)
            while piece := taker.take(1):
                found += piece
        except Exception as error:
            if not self._is_damage(error):
                raise
        if found:
            yield bytes(found)


class _TrailingBytesError(Exception):
    """Something else follows the compressed data."""


class _Pushed:
    """Decompresses with an object that takes pieces of compressed data.

    Parameters
    ----------
    make : callable
        Makes such an object; it has the methods of `lzma.LZMADecompressor`.
    first : bytes
        How every stream begins.
    fetch : callable
        Returns the next bytes of the file.
    """

    def __init__(self, make: Callable[[], Any], first: bytes, fetch: Fetch) -> None:
        self._make = make
        self._first = first
        self._fetch = fetch
        self._unpacker = make()
        self._packed = b""
        self._was_full = False

    def take(self, size: int) -> bytes:
        while True:
            if self._unpacker.eof and not self._begin_next():
                return b""
            if self._unpacker.needs_input and not (self._packed or self._was_full):
                self._packed = self._fetch(PACKED_PIECE)
                if not self._packed:
                    raise EOFError
            packed, self._packed = self._packed, b""
            piece: bytes = self._unpacker.decompress(packed, size)
            # isal 1.6 asks for more data too early where the output was limited.
            self._was_full = len(piece) == size
            if piece:
                return piece

    def _begin_next(self) -> bool:
        """Begin the next stream: a file may consist of several; zeros may pad the last one."""
        packed = self._unpacker.unused_data.lstrip(b"\0")
        while not packed:
            piece = self._fetch(PACKED_PIECE)
            if not piece:
                return False
            packed = piece.lstrip(b"\0")
        if not self._first or not packed.startswith(self._first):
            raise _TrailingBytesError
        self._unpacker, self._packed = self._make(), packed
        return True


class _Pulled:
    """Decompresses Zstandard data, of several frames or one, with Arrow."""

    def __init__(self, fetch: Fetch) -> None:
        import pyarrow as pa  # here, since gzip needs no Arrow

        self._stream = pa.CompressedInputStream(pa.PythonFile(_Fetched(fetch), mode="r"), "zstd")

    def take(self, size: int) -> bytes:
        piece: bytes = self._stream.read(size)
        return piece


class _Fetched:
    """The file that Arrow reads."""

    closed = False

    def __init__(self, fetch: Fetch) -> None:
        self.read = fetch

    def close(self) -> None:
        self.closed = True


def _xz() -> Any:
    import lzma  # here, since some builds of Python lack it

    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)


def _bzip2() -> Any:
    import bz2  # as above

    return bz2.BZ2Decompressor()


def _pushed(make: Callable[[], Any], first: bytes) -> Callable[[Fetch], _Taker]:
    return lambda fetch: _Pushed(make, first, fetch)


#: Bytes at the beginning of a file that tell its format.
MAGIC_BYTES: Final = 16

GZIP: Final = Packing(
    "gzip",
    re.compile(rb"\x1f\x8b"),
    _pushed(lambda: igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP), b"\x1f"),
)

_PACKINGS: Final = (
    GZIP,
    Packing(
        "xz",
        re.compile(rb"\xfd7zXZ\0"),
        _pushed(_xz, b"\xfd"),
    ),
    Packing(
        "bzip2",
        re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P)"),
        _pushed(_bzip2, b"B"),
    ),
    # A frame may come after one to be skipped, which parallel programs write first.
    Packing("zstd", re.compile(rb"(?:\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18)"), _Pulled),
)

#: How files in a zip archive are compressed, by the number of the method.
ZIP_METHODS: Final = {
    8: Packing(
        "zip",
        re.compile(b""),
        _pushed(lambda: igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_DEFLATE), b""),
    ),
    12: Packing("zip", re.compile(b""), _pushed(_bzip2, b"")),
    93: Packing("zip", re.compile(b""), _Pulled),
}


def packing_of(start: bytes) -> Packing | None:
    """Return the format of a compressed file by its first bytes; None if it is not compressed."""
    return next((one for one in _PACKINGS if one.magic.match(start)), None)
