"""Arrow tables as the bytes that the browser reads."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from nbprof.widgets.requests.protocol import MAX_REPLY_BYTES, ReplyTooLargeError

#: What the rows of one page may take; the rest of the reply is figures and numbers.
PAGE_BYTES: Final = MAX_REPLY_BYTES * 3 // 4


def to_ipc(table: pa.Table) -> bytes:
    """Return a table as an Arrow IPC stream of one batch.

    Uncompressed, since readers in the browser bring no codec; one batch, so that a column is one
    buffer there, also without rows.
    """
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        if table.num_rows:
            writer.write_table(table.combine_chunks())
        else:
            empty = [pa.array([], field.type) for field in table.schema]
            writer.write_batch(pa.RecordBatch.from_arrays(empty, schema=table.schema))
    return bytes(sink.getvalue().to_pybytes())


def rows_that_fit(table: pa.Table) -> tuple[pa.Table, bytes]:
    """Return the first rows of a table that fit into one message, and their bytes.

    Call stacks make rows of many kilobytes; the browser asks again for those that follow.

    Raises
    ------
    ReplyTooLargeError
        Not even the first row fits.
    """
    while True:
        data = to_ipc(table)
        if len(data) <= PAGE_BYTES:
            return table, data
        if table.num_rows <= 1:
            message = f"One row takes {len(data) / 2**20:.1f} MiB."
            raise ReplyTooLargeError(message)
        table = table.slice(0, table.num_rows // 2)
