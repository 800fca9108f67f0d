"""Writes files, and lists those of the current folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nbprof.sources import opened

if TYPE_CHECKING:
    import os

#: A writer in a process of its own: it writes half, says so, waits for a line, and writes the rest.
SLOW = """
import sys
from nbprof.sources.output import temporary
if sys.argv[2] == "named":
    temporary._UNNAMED = None
from nbprof.sources.output.writer import opened
with opened(sys.argv[1]) as file:
    file.write(b"slow ")
    file.flush()
    print("writing", flush=True)
    sys.stdin.readline()
    file.write(b"writer")
"""


def write(path: str | os.PathLike[str], content: bytes = b"new") -> None:
    with opened(path) as file:
        file.write(content)


def names() -> list[str]:
    """List the current folder, sorted."""
    return sorted(path.name for path in Path().iterdir())
