"""An open file elsewhere: read by ranges, and ahead of what is needed."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from concurrent.futures import Future

    from nbprof.sources.files.remote import RemotePath

#: Bytes that are asked for at once: at first, as looking at a file takes no more, and at most.
FIRST_BLOCK: Final = 1 << 16
LARGEST_BLOCK: Final = 8 << 20

#: Blocks of this size are fetched while the one before is being used.
AHEAD: Final = 1 << 20


class RemoteFile:
    """An open file elsewhere, read mostly from front to back: later blocks are fetched ahead."""

    def __init__(self, path: RemotePath) -> None:
        self._path = path
        self._opened = self.status()
        self._handle = path.files.open(path.listed.path)
        self._at = 0
        self._block = b""
        self._start = 0
        self._size = 0
        self._lock = threading.Lock()
        self._fetching = 0
        self._closed = False
        self._pool: ThreadPoolExecutor | None = None
        self._ahead: tuple[int, Future[bytes]] | None = None

    def status(self) -> tuple[int, int]:
        """Return size and version as they are now."""
        now = self._path.stat()
        return now.st_size, now.st_mtime_ns

    @property
    def opened(self) -> tuple[int, int]:
        """Size and version when it was opened."""
        return self._opened

    def read(self, size: int) -> bytes:
        """Return up to so many bytes from where reading has come to; nothing at the end."""
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
        """Go on reading there."""
        self._at = offset
        return offset

    def tell(self) -> int:
        """Return where reading has come to."""
        return self._at

    def close(self) -> None:
        """Close it; nobody waits for what is still being fetched, which closes it in the end."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._closed = True
        self._let_go()

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
            self._let_go()

    def _let_go(self) -> None:
        """Close the handle if nobody will use it again."""
        with self._lock:
            if self._closed and not self._fetching:
                self._handle.close()

    def _fetch(self, wanted: int) -> None:
        """Get the block that begins where reading has come to, and perhaps ask for the next."""
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
            with suppress(RuntimeError):  # there can be no more threads: it is fetched when needed
                self._ahead = following, self._pool.submit(self._read_at, following, size)
