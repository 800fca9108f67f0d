"""Reading and unpacking the next piece of a file while the last one is decoded."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from nbprof.sources.files.bytesource import ByteSource

#: Seconds that leaving waits for a read under way; one over a network may take for ever.
_PATIENCE_S = 0.5


class ReadAhead:
    """Stands for a `ByteSource`, one piece ahead of who reads it; a context manager.

    Parameters
    ----------
    source : ByteSource
        Nobody else uses it as long as this one is in use.
    size : int
        Bytes to be ahead.
    """

    def __init__(self, source: ByteSource, size: int) -> None:
        self._source = source
        self._size = size
        self.position = source.position
        self._next = _Piece(source, size)

    @property
    def done(self) -> int:
        """How many bytes of the file have been read."""
        return self._source.done

    @property
    def damage(self) -> str:
        """As of `ByteSource`."""
        return self._source.damage

    def skip_to(self, position: int) -> bool:
        """Return whether the content reaches so far; where this one stands, it does."""
        return position == self.position

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes of content; fewer only at the end.

        `size` is at least the one that was told.
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._next.wait(_PATIENCE_S)


class _Piece(threading.Thread):
    """One read, under way."""

    def __init__(self, source: ByteSource, size: int) -> None:
        super().__init__(daemon=True, name="nbprof-read-ahead")
        self._source = source
        self._size = size
        self._error: Exception | None = None
        self.content = b""
        try:
            self.start()
        except RuntimeError:  # there can be no more threads: read it now
            self.run()

    def run(self) -> None:
        """Read; an error is for who asks for the piece."""
        try:
            self.content = self._source.read(self._size)
        except Exception as error:  # noqa: BLE001 - whatever it is
            self._error = error

    def wait(self, patience_s: float | None = None) -> None:
        """Wait until the read is over."""
        if self.is_alive():
            self.join(patience_s)

    def get(self) -> bytes:
        """Wait for the piece and return it."""
        self.wait()
        if self._error is not None:
            raise self._error
        return self.content
