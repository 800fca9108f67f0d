"""`exported`: what a profiler writes to a file that exists only until it is read."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def exported(write: Callable[[str], object], name: str) -> bytes:
    """Return the content of the file that a function writes.

    The file is in a folder that only this user can enter, and is deleted with it before this
    function returns or raises.

    Parameters
    ----------
    write : callable
        Called with the path of the file.
    name : str
        Its name.

    Raises
    ------
    OSError
        There is no room for it, or nothing was written.
    """
    with tempfile.TemporaryDirectory(prefix="nbprof-") as folder:
        path = Path(folder) / name
        write(str(path))
        return path.read_bytes()
