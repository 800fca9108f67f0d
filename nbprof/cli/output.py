"""Output of the command line: data to stdout or a file, messages to stderr.

Everything that a terminal shows passes through this module, which writes out control characters.
Data that go to a file or a pipe stay as they are.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nbprof.model.visible_text import visible
from nbprof.sources.output.target import Target
from nbprof.sources.output.writer import opened

if TYPE_CHECKING:
    from collections.abc import Iterator


class OutputError(Exception):
    """Raised when a file cannot be written; the message names it and the reason."""


def write(data: bytes, path: str | None = None) -> None:
    """Write data to stdout, or to a file if one is given.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    if path is not None:
        with write_errors(path), opened(path) as file:
            file.write(data)
        return
    if is_terminal():
        data = visible(data.decode("utf-8", "replace").replace("\r\n", "\n")).encode()
    _write_bytes(data)


def _write_bytes(data: bytes) -> None:
    if sys.stdout is None:  # closed before the program started, as by `>&-`
        return
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:  # stdout was replaced by a text-only stream, as in a notebook
        sys.stdout.write(data.decode())
        return
    sys.stdout.flush()
    buffer.write(data)


def write_text(text: str) -> None:
    """Write text to stdout with control characters, and those that its encoding lacks, written out.

    Whether stdout is a terminal or a pipe does not matter: a pipe may lead to a terminal.
    """
    if sys.stdout is None:
        return
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    _write_bytes(visible(text).encode(encoding, "backslashreplace"))


@contextmanager
def write_errors(path: str) -> Iterator[None]:
    """Raise `OutputError` with the name of a file if it cannot be written."""
    try:
        yield
    except OSError as error:
        text = f"{path}: {error.strerror}" if error.strerror else str(error)
        raise OutputError(text) from error


def expect_writable(path: str | None) -> None:
    """Raise `OutputError` if a file cannot be written, before minutes are spent; None is stdout.

    Nothing is created or changed.
    """
    if path is None:
        return
    with write_errors(path):
        target = Target.of(path)
        folder = target.place.parent
        changes = os.access(folder, os.W_OK | os.X_OK)
        if target.is_file or target.is_stream:
            changes = target.descriptor is not None or changes or os.access(target.place, os.W_OK)
        if not changes:
            is_read_only = hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY
            code = errno.EROFS if is_read_only else errno.EACCES
            raise OSError(code, os.strerror(code), path)


def wrote(path: str) -> None:
    """Say that a file was written, and its size if it is one."""
    from nbprof.model.units import format_bytes

    place = Path(path)
    size = f" ({format_bytes(place.stat().st_size)})" if place.is_file() else ""
    message(f"wrote {path}{size}")


def message(text: str) -> None:
    """Write a message to stderr, if it is open."""
    write_error(f"nbprof: {text}\n")


def write_error(text: str) -> None:
    """Write text to stderr, if it is open, with control characters written out."""
    if sys.stderr is None:
        return
    with suppress(OSError):
        sys.stderr.write(visible(text))
        sys.stderr.flush()


def flush() -> None:
    """Flush buffers, so that failures occur here and not at shutdown."""
    if sys.stdout is not None:
        sys.stdout.flush()


def drop_stdout() -> None:
    """Redirect stdout to nowhere, so that the interpreter does not complain at shutdown."""
    with suppress(OSError, ValueError, AttributeError):
        descriptor = sys.stdout.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


def progress() -> Literal["auto", False]:
    """Return whether reading may show a progress bar: only if stderr is a terminal."""
    return "auto" if sys.stderr is not None and sys.stderr.isatty() else False


def is_terminal() -> bool:
    """Return whether stdout is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()
