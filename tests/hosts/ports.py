"""Finds free ports of this machine."""

from __future__ import annotations

import contextlib
import socket


def free_ports(count: int) -> list[int]:
    """Find some, all different."""
    with contextlib.ExitStack() as held:
        found = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in found]
