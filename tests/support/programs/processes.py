"""Starts, awaits and ends programs for tests."""

from __future__ import annotations

import contextlib
import subprocess
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

START_SECONDS = 90
_END_SECONDS = 20


@contextlib.contextmanager
def running(
    command: Sequence[str],
    ready: Callable[[], bool],
    *,
    log: Path,
    cwd: Path,
    env: Mapping[str, str],
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program that serves; go on once it is ready, and end it afterwards."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, env=dict(env), cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not ready():
            if process.poll() is not None or time.monotonic() > deadline:
                text = log.read_text("utf-8", errors="replace")[-3000:]
                message = f"{command} did not start (exit {process.poll()}):\n{text}"
                raise RuntimeError(message)
            time.sleep(0.1)  # polling a port, not waiting for a fixed time
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
