"""`opened`: opens a file that the user named for writing."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any, Final

from nbprof.sources.output.target import Target
from nbprof.sources.output.temporary import Temporary

if TYPE_CHECKING:
    from collections.abc import Iterator

#: igzip has levels 0 to 3.
_PACKING: Final = 2


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing.

    A regular file, or none yet, appears complete or not at all: it is replaced once all is written,
    and keeps its owner and mode. Where its folder admits no second file, its content is replaced
    instead. A device, a pipe or an open file such as ``/dev/stdout`` is written to.

    Parameters
    ----------
    path : path
        Path of the file; ``….gz`` is compressed.

    Raises
    ------
    OSError
        The file cannot be written; the error names the path that was passed.
    """
    inside = False
    try:
        with _written(Target.of(path)) as raw, _packed(raw, os.fspath(path)) as file:
            inside = True
            yield file
            inside = False
    except OSError as error:
        if error.errno is None or (inside and error.filename is not None):
            raise  # of something else that happened between
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


@contextmanager
def _written(target: Target) -> Iterator[IO[bytes]]:
    if target.is_stream:
        with _stream(target) as file:
            yield file
        return
    temporary = Temporary(target)
    try:
        with os.fdopen(temporary.written(), "wb") as file:
            yield file
        temporary.publish()
    finally:
        temporary.discard()


def _stream(target: Target) -> IO[bytes]:
    """Open what is written to as it comes."""
    if target.descriptor is None:
        return os.fdopen(os.open(target.place, os.O_WRONLY), "wb")
    for printed in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # there is none, or it is closed
            printed.flush()
    return os.fdopen(os.dup(target.descriptor), "wb")


@contextmanager
def _packed(raw: IO[bytes], path: str) -> Iterator[IO[bytes]]:
    if not path.lower().endswith(".gz"):
        yield raw
        return
    from isal import igzip

    # Without name and time, so that the same trace gives the same bytes.
    packed: Any = igzip.IGzipFile
    with packed("", "wb", _PACKING, raw, mtime=0) as file:
        yield file
