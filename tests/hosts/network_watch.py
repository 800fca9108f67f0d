"""Runs first in a kernel and records its network connections; Linux only."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

#: Everything that this process has asked of the network, as the interpreter reports it.
asked: list[str] = []


def _watch(event: str, args: tuple[Any, ...]) -> None:
    if event in {"socket.connect", "socket.getaddrinfo", "socket.bind", "socket.sendto"}:
        asked.append(f"{event} {args[-1] if event != 'socket.getaddrinfo' else args[0]}")


def ports() -> list[int]:
    """List the TCP ports that this process listens on."""
    own = set()
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the one that lists them is gone
            own.add(str(entry.readlink()))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path("/proc/net", table).read_text("ascii").splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in own:
                found.add(int(words[1].rpartition(":")[2], 16))
    return sorted(found)


sys.addaudithook(_watch)
#: What the kernel itself listens on.
before = ports()
