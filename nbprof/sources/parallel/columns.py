"""Encodes column pieces as Arrow IPC streams, to pass them from a helper process to its parent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nbprof.model.arrays import numpy_of
from nbprof.model.building import arrow_array

if TYPE_CHECKING:
    from typing import BinaryIO

    from nbprof.sources.chrome.batch import Pieces


def write_pieces(stream: BinaryIO, tables: dict[str, list[Pieces]]) -> int:
    """Write the pieces of tables, emptying the lists, and return the number of streams."""
    written = 0
    for table, pieces in tables.items():
        for schema, batches in _by_columns(pieces).items():
            facts = schema.with_metadata({"table": table})
            with pa.ipc.new_stream(stream, facts) as writer:
                for batch in batches:
                    writer.write_batch(batch)
            batches.clear()
            written += 1
    return written


def _by_columns(pieces: list[Pieces]) -> dict[pa.Schema, list[pa.RecordBatch]]:
    found: dict[pa.Schema, list[pa.RecordBatch]] = {}
    while pieces:
        piece = pieces.pop(0)
        batch = pa.RecordBatch.from_arrays([arrow_array(v) for v in piece.values()], list(piece))
        found.setdefault(batch.schema, []).append(batch)
    return found


def read_pieces(content: Any, streams: int) -> dict[str, list[Pieces]]:
    """Return the pieces that `write_pieces` wrote, by table; the arrays are read-only.

    Parameters
    ----------
    content : bytes-like
        Begins with the streams; the arrays are views of it.
    streams : int
        Number of streams.
    """
    tables: dict[str, list[Pieces]] = {}
    reader = pa.BufferReader(pa.py_buffer(content))
    for _ in range(streams):
        with pa.ipc.open_stream(reader) as stream:
            table = stream.schema.metadata[b"table"].decode()
            tables.setdefault(table, []).extend(
                dict(zip(batch.schema.names, map(_view, batch.columns), strict=True))
                for batch in stream
            )
    return tables


def _view(column: pa.Array) -> Any:
    return numpy_of(column)
