"""Estimates whether reading a trace or computing its tables takes too long for a cell to wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof import defaults
from nbprof.sources.packed.names import unpacked_name

if TYPE_CHECKING:
    from nbprof.trace import Trace

#: Maximum number of rows whose tables a cell waits for; they take about a second.
LARGE_ROWS: Final = 2_000_000

#: Minimum bytes per row in a file.
_BYTES_OF_ROW: Final = 150

#: Typical ratio of the size of JSON to its size under gzip.
_GZIP_FACTOR: Final = 10


def is_slow_to_read(trace: Trace) -> bool:
    """Return whether reading a trace now would take too long for a cell."""
    return _bytes(trace) > defaults.options.read_at_once_bytes and not trace._content.is_kept


def is_large(trace: Trace) -> bool:
    """Return whether computing the tables of a trace would take too long for a cell."""
    if not trace.is_read:
        return _bytes(trace) > LARGE_ROWS * _BYTES_OF_ROW
    tables = trace.model.tables
    rows: int = sum(tables[name].num_rows for name in ("host", "device", "memory"))
    return rows > LARGE_ROWS


def _bytes(trace: Trace) -> int:
    return trace.file.bytes * (_GZIP_FACTOR if unpacked_name(trace.path) != trace.path else 1)
