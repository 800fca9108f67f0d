"""`ReadAhead`: reads and decompresses the next block in a thread while this one is decoded."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbprof.sources.files.bytesource import ByteSource

#: Maximum seconds to wait on exit for a pending read, which may hang on a network.
_PATIENCE_S = 0.5


class ReadAhead:
    """Reads a `ByteSource` one block ahead of its consumer; a context manager.

    Parameters
    ----------
    source : ByteSource
        Must not be used by others meanwhile.
    size : int
        Size of a block in bytes.
    """

    def __init__(self, source: ByteSource, size: int) -> None:
        self._source = source
        self._size = size
        self.position = source.position
        self._next = _Piece(source, size)

    @property
    def done(self) -> int:
        """Number of bytes of the file read so far."""
        return self._source.done

    @property
    def damage(self) -> str:
        """As in `ByteSource`."""
        return self._source.damage

    @property
    def packing(self) -> str:
        """As in `ByteSource`."""
        return self._source.packing

    def skip_to(self, position: int) -> bool:
        """Return whether a position is the current one, the only one that it can skip to."""
        return position == self.position

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes of content; fewer only at the end.

        `size` must be at least the block size.
        """
        piece = self._next.get()
        if len(piece) == self._size:
            if size > len(piece):
                piece += self._source.read(size - len(piece))
            self._next = _Piece(self._source, self._size)
        else:
            self._next.content = b""
        self.position += len(piece)
        return piece

    def __enter__(self) -> ReadAhead:  # noqa: PYI034 - typing.Self is newer than 3.10
        return self

    def __exit__(self, *error: object) -> None:
        self._next.wait(_PATIENCE_S)


class _Piece(threading.Thread):
    """One pending read."""

    def __init__(self, source: ByteSource, size: int) -> None:
        super().__init__(daemon=True, name="nbprof-read-ahead")
        self._source = source
        self._size = size
        self._error: Exception | None = None
        self.content = b""
        try:
            self.start()
        except RuntimeError:  # no more threads can be started: read it now
            self.run()

    def run(self) -> None:
        """Read; an error is raised to the caller of `get`."""
        try:
            self.content = self._source.read(self._size)
        except Exception as error:  # noqa: BLE001 - raised by `get`
            self._error = error

    def wait(self, timeout_s: float | None = None) -> None:
        """Wait until the read has finished."""
        if self.is_alive():
            self.join(timeout_s)

    def get(self) -> bytes:
        """Wait for the block and return it."""
        self.wait()
        if self._error is not None:
            raise self._error
        return self.content
