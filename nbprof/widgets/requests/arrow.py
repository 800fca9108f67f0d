"""Encodes Arrow tables as IPC streams that the browser reads."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from nbprof.model.building import arrow_array
from nbprof.model.names.short_names import middle_cut
from nbprof.widgets.requests.fitting import LENGTHS
from nbprof.widgets.requests.protocol import MAX_REPLY_BYTES, ReplyTooLargeError

#: Maximum bytes of the rows of one page; the rest of the reply contains figures and numbers.
PAGE_BYTES: Final = MAX_REPLY_BYTES * 3 // 4


def to_ipc(table: pa.Table) -> bytes:
    """Return a table as an Arrow IPC stream of one batch.

    It is uncompressed, because the browser has no codec, and has one batch, so each column is one
    buffer there, even without rows.
    """
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        if table.num_rows:
            writer.write_table(table.combine_chunks())
        else:
            empty = [arrow_array([], field.type) for field in table.schema]
            writer.write_batch(pa.RecordBatch.from_arrays(empty, schema=table.schema))
    return bytes(sink.getvalue().to_pybytes())


def rows_that_fit(table: pa.Table) -> tuple[pa.Table, bytes]:
    """Return the first rows of a table that fit into one message, and their bytes.

    Call stacks can make rows of many kilobytes; the browser requests the following rows separately.
    The texts of a row that does not fit alone are cut in the middle.

    Raises
    ------
    ReplyTooLargeError
        Not even the first row fits, however short its texts are.
    """
    lengths = iter(LENGTHS)
    while True:
        data = to_ipc(table)
        if len(data) <= PAGE_BYTES:
            return table, data
        if table.num_rows > 1:
            table = table.slice(0, table.num_rows // 2)
            continue
        length = next(lengths, None)
        if length is None:
            message = f"One row takes {len(data) / 2**20:.1f} MiB."
            raise ReplyTooLargeError(message)
        table = _with_texts_of(table, length)


def _with_texts_of(table: pa.Table, length: int) -> pa.Table:
    """Return a table whose texts have at most a length; dictionaries have no texts but its own."""
    for place, field in enumerate(table.schema):
        is_coded = pa.types.is_dictionary(field.type)
        if is_coded or pa.types.is_string(field.type):
            texts = table.column(place).to_pylist()
            cut = [None if text is None else middle_cut(text, length) for text in texts]
            column = arrow_array(cut, pa.utf8())
            table = table.set_column(
                place, field, column.dictionary_encode() if is_coded else column
            )
    return table
