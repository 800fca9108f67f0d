"""`opened`: writes a file atomically, so that it appears complete or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Final

from isal import igzip

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: igzip has levels 0 to 3.
_PACKING: Final = 2


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file beside the target; it replaces the target once all is written.

    Parameters
    ----------
    path : Path
        Path of the target; ``….gz`` is compressed.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    if path.exists() and not path.is_file():  # such as a named pipe
        with path.open("wb") as raw, _packed(raw, path) as file:
            yield file
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as raw, _packed(raw, path) as file:
            yield file
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def _packed(raw: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if path.suffix.lower() != ".gz":
        yield raw
        return
    # Without name and time, so that the same trace gives the same bytes.
    packed: Any = igzip.IGzipFile
    with packed("", "wb", _PACKING, raw, mtime=0) as file:
        yield file
