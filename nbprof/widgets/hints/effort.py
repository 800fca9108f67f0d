"""What would keep a cell waiting: reading a large file, and adding up a large trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof import defaults

if TYPE_CHECKING:
    from nbprof.trace import Trace

#: Rows of a trace whose tables a cell still waits for, about a second.
LARGE_ROWS: Final = 2_000_000

#: What a row takes in a file, at least.
_BYTES_OF_ROW: Final = 150

#: JSON compressed by gzip counts for what it holds, some ten times its size.
_GZIP_FACTOR: Final = 10


def is_slow_to_read(trace: Trace) -> bool:
    """Tell whether reading a trace now would keep a cell waiting."""
    return _bytes(trace) > defaults.options.read_at_once_bytes and not trace.content.is_kept


def is_large(trace: Trace) -> bool:
    """Tell whether the tables of a trace, once it is read, would keep a cell waiting."""
    if not trace.is_read:
        return _bytes(trace) > LARGE_ROWS * _BYTES_OF_ROW
    tables = trace.model.tables
    rows: int = sum(tables[name].num_rows for name in ("host", "device", "memory"))
    return rows > LARGE_ROWS


def _bytes(trace: Trace) -> int:
    return trace.file.bytes * (_GZIP_FACTOR if trace.path.endswith(".gz") else 1)
