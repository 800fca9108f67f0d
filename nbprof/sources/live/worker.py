"""The name of this process among the workers of a job."""

from __future__ import annotations

import os
import socket
import sys


def rank() -> int | None:
    """Return the rank of this process: of `torch.distributed`, else of the launcher, else None."""
    torch = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        number: int = distributed.get_rank()
        return number
    return rank_of_launcher("RANK")


def rank_of_launcher(variable: str) -> int | None:
    """Return the rank that a launcher set in an environment variable; None without one."""
    given = os.environ.get(variable, "")
    return int(given) if given.isascii() and given.isdecimal() else None


def worker_name() -> str:
    """Return ``rank3``; without a rank the machine and process, as PyTorch names workers."""
    number = rank()
    return f"{socket.gethostname()}_{os.getpid()}" if number is None else f"rank{number}"
