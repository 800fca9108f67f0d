"""`RemoteFile`: reads a remote file by ranges, and fetches later blocks ahead of time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from nbprof.sources.files.filesystems import Handle

#: Bytes per request: at first, since probing needs no more, and at most.
FIRST_BLOCK: Final = 1 << 16
LARGEST_BLOCK: Final = 8 << 20

#: Blocks of this size are fetched while the previous one is in use.
AHEAD: Final = 1 << 20


class RemoteFile:
    """An open remote file for mostly sequential reading; fetches later blocks ahead of time.

    Parameters
    ----------
    status : callable
        Requests the current size and version of the file.
    open_ : callable
        Opens the file.
    """

    def __init__(self, status: Callable[[], tuple[int, int]], open_: Callable[[], Handle]) -> None:
        self.status = status
        self._opened = status()
        self._handle = open_()
        self._at = 0
        self._block = b""
        self._start = 0
        self._size = 0
        self._lock = threading.Lock()
        self._fetching = 0
        self._closed = False
        self._pool: ThreadPoolExecutor | None = None
        self._ahead: tuple[int, Future[bytes]] | None = None

    @property
    def opened(self) -> tuple[int, int]:
        """Size and version when the file was opened."""
        return self._opened

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes from the current position; none at the end."""
        pieces = []
        while size > 0 and self._at < self._opened[0]:
            if not self._start <= self._at < self._start + len(self._block):
                self._fetch(size)
                if not self._block:
                    break
            piece = self._block[self._at - self._start :][:size]
            pieces.append(piece)
            self._at += len(piece)
            size -= len(piece)
        return b"".join(pieces)

    def seek(self, offset: int) -> int:
        """Move the current position."""
        self._at = offset
        return offset

    def tell(self) -> int:
        """Return the current position."""
        return self._at

    def close(self) -> None:
        """Close the file without waiting for pending fetches; the last one closes the handle."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._closed = True
        self._close_if_unused()

    def _read_at(self, offset: int, size: int) -> bytes:
        with self._lock:
            if self._closed:
                message = "the file was closed"
                raise OSError(message)
            self._fetching += 1
        try:
            return self._handle.read_at(offset, size)
        finally:
            with self._lock:
                self._fetching -= 1
            self._close_if_unused()

    def _close_if_unused(self) -> None:
        """Close the handle if it is no longer needed."""
        with self._lock:
            if self._closed and not self._fetching:
                self._handle.close()

    def _fetch(self, wanted: int) -> None:
        """Get the block at the current position, and possibly start fetching the next one."""
        total = self._opened[0]
        if self._ahead is not None and self._ahead[0] == self._at:
            block = self._ahead[1].result()
        else:
            in_order = self._at == self._start + len(self._block)
            self._size = min(LARGEST_BLOCK, 2 * self._size) if in_order and self._size else 0
            self._size = min(LARGEST_BLOCK, max(self._size, wanted, FIRST_BLOCK))
            block = self._read_at(self._at, min(self._size, total - self._at))
        self._block, self._start, self._ahead = block, self._at, None
        following = self._at + len(block)
        if block and self._size >= AHEAD and following < total:
            self._size = min(LARGEST_BLOCK, 2 * self._size)
            if self._pool is None:
                self._pool = ThreadPoolExecutor(1, "nbprof-fetch")
            size = min(self._size, total - following)
            with suppress(RuntimeError):  # no more threads: it is fetched when needed
                self._ahead = following, self._pool.submit(self._read_at, following, size)
