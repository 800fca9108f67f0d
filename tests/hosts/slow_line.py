"""A proxy between browser and server that limits bandwidth and adds latency."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Bytes read at once; small, so that several connections share the line.
CHUNK = 16 * 1024


@dataclass
class _Direction:
    """One way of the line: so many bytes a second for all connections, and a delay."""

    bytes_per_second: float
    delay: float
    free_at: float = 0.0

    def arrival(self, count: int) -> float:
        """Give the time at which bytes that are sent now will have arrived."""
        self.free_at = max(self.free_at, time.monotonic()) + count / self.bytes_per_second
        return self.free_at + self.delay


@dataclass
class Line:
    """What a line is like.

    Attributes
    ----------
    bytes_per_second : float
        Shared by all connections, each way.
    delay : float
        Seconds from one end to the other and back; half of it each way.
    address : str
        Where it is reached, once it is open.
    """

    bytes_per_second: float
    delay: float
    address: str = ""
    _ways: dict[str, _Direction] = field(default_factory=dict)

    def way(self, name: str) -> _Direction:
        """Give one of the two directions."""
        fresh = _Direction(self.bytes_per_second, self.delay / 2)
        return self._ways.setdefault(name, fresh)


@contextlib.contextmanager
def slow_line(server: str, *, bytes_per_second: float, delay: float) -> Iterator[Line]:
    """Open a line to a server; gives it with its own address in place of the server's."""
    line = Line(bytes_per_second, delay)
    loop = asyncio.new_event_loop()
    started = threading.Event()
    target = urlsplit(server)
    tasks: set[asyncio.Task[None]] = set()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(target.hostname, target.port)
        ways = (
            _carry(reader, far_writer, line.way("up")),
            _carry(far_reader, writer, line.way("down")),
        )
        own = {loop.create_task(way) for way in ways}
        tasks.update(own)
        with contextlib.suppress(asyncio.CancelledError):  # the line is closed
            await asyncio.wait(own)
        tasks.difference_update(own)

    async def listen() -> asyncio.Server:
        return await asyncio.start_server(connect, "127.0.0.1", 0)

    def run() -> None:
        asyncio.set_event_loop(loop)
        opened = loop.run_until_complete(listen())
        line.address = f"http://127.0.0.1:{opened.sockets[0].getsockname()[1]}"
        started.set()
        loop.run_forever()
        opened.close()
        waiting = asyncio.all_tasks(loop)
        for task in waiting:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*waiting, return_exceptions=True))
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    started.wait()
    try:
        yield line
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _carry(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: _Direction
) -> None:
    """Move bytes one way; what was sent first arrives first."""
    moving: deque[tuple[float, bytes]] = deque()
    wake = asyncio.Event()
    ended = False

    async def deliver() -> None:
        while True:
            while not moving:
                if ended:
                    return
                wake.clear()
                await wake.wait()
            arrival, data = moving.popleft()
            await asyncio.sleep(max(0.0, arrival - time.monotonic()))
            writer.write(data)
            await writer.drain()

    delivery = asyncio.ensure_future(deliver())
    try:
        with contextlib.suppress(OSError):
            while data := await reader.read(CHUNK):
                arrival = way.arrival(len(data))
                moving.append((arrival, data))
                wake.set()
                # Read no faster than the line carries, so that the sender feels it.
                await asyncio.sleep(max(0.0, arrival - way.delay - time.monotonic()))
        ended = True
        wake.set()
        with contextlib.suppress(OSError):
            await delivery
    finally:
        delivery.cancel()
        writer.close()
