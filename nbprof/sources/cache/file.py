"""The file format of a cache entry: one trace with derived data, memory-mapped.

The file consists of Arrow IPC streams, each at a multiple of 64 bytes; a JSON header with their
positions; the length of the header, a check sum of everything before it, and a mark. A truncated or
damaged file lacks the mark or has another check sum, and counts as absent.
"""

from __future__ import annotations

import json
import mmap
import struct
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
from isal import isal_zlib

from nbprof.model.arrays import joined
from nbprof.model.building import arrow_array, table_of
from nbprof.model.links.host_nesting import Nesting
from nbprof.model.links.launches import Links
from nbprof.model.steps.steps import Steps
from nbprof.model.trace import schema
from nbprof.model.trace.model import TraceModel
from nbprof.model.trace.warning import TraceWarning
from nbprof.sources.recorders import dialect_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

#: Derived data stored besides the tables, by its key in the cache of a model.
DERIVED: Final[dict[str, type]] = {"nesting": Nesting, "links": Links, "steps": Steps}

_MARK: Final = b"NBPCACHE"
_END: Final = struct.Struct("<QL8s")  # length of the header, check sum, mark
_ALIGNMENT: Final = 64
_PIECE: Final = 1 << 20


class CacheFileError(Exception):
    """A file is not an entry of the cache, or is incomplete."""


def write(file: IO[bytes], model: TraceModel, key: dict[str, Any]) -> None:
    """Write a model; missing derived data is computed first.

    Parameters
    ----------
    file : binary file
        The file to write to.
    model : TraceModel
        The model to write.
    key : dict
        Plain values that identify the file of the entry.

    Raises
    ------
    OSError
        The file cannot be written.
    TypeError
        The metadata contain a value that cannot be written exactly.
    """
    header = {
        "key": key,
        "metadata": _pack(model.metadata),
        "warnings": [[one.kind, one.count, one.example] for one in model.warnings],
        "numbers": {name: _scalar_fields(getattr(model, name)) for name in DERIVED},
    }
    sink = _CheckedWriter(file)
    header["parts"] = {name: sink.write_table(table) for name, table in _stored_tables(model)}
    text = json.dumps(header).encode()
    sink.write(text)
    file.write(_END.pack(len(text), sink.sum, _MARK))


def read(file: IO[bytes], key: dict[str, Any]) -> TraceModel:
    """Return the model of an entry; its columns stay in the file until they are accessed.

    Parameters
    ----------
    file : binary file
        The entry, without a buffer.
    key : dict
        The value passed to `write`.

    Raises
    ------
    OSError
        It cannot be read.
    CacheFileError
        It is damaged, or belongs to another key.
    """
    header = read_header(file, whole=True)
    if header["key"] != key:
        message = "it belongs to another file"
        raise CacheFileError(message)
    content = pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    try:
        tables = {
            name: pa.ipc.open_stream(content.slice(start, length)).read_all()
            for name, (start, length) in header["parts"].items()
        }
        warnings = [TraceWarning(*one) for one in header["warnings"]]
        metadata = _unpack(header["metadata"])
        model = TraceModel(
            {name: tables[name] for name in schema.TABLES},
            metadata,
            warnings,
            dialect=dialect_of(metadata),
        )
        for name, kind in DERIVED.items():
            found = tables[f"derived {name}"]
            arrays = {column: joined(found.column(column)) for column in found.schema.names}
            model.put(name, kind(**arrays, **header["numbers"][name]))
    except (pa.ArrowException, LookupError, TypeError, ValueError) as error:
        raise CacheFileError(str(error)) from error
    return model


def read_header(file: IO[bytes], *, whole: bool = False) -> dict[str, Any]:
    """Return the header of an entry.

    Parameters
    ----------
    file : binary file
        The entry.
    whole : bool
        Whether to verify the check sum, which reads all bytes.

    Raises
    ------
    OSError
        It cannot be read.
    CacheFileError
        It is damaged.
    """
    start = max(0, file.seek(0, 2) - _END.size)
    file.seek(start)
    end = file.read(_END.size)
    if len(end) < _END.size or not end.endswith(_MARK):
        message = "it is incomplete"
        raise CacheFileError(message)
    length, expected, _ = _END.unpack(end)
    if length > start or (whole and _check_sum(file, start) != expected):
        message = "it is damaged"
        raise CacheFileError(message)
    file.seek(start - length)
    try:
        header: dict[str, Any] = json.loads(file.read(length))
    except ValueError as error:
        message = "it is damaged"
        raise CacheFileError(message) from error
    return header


class _CheckedWriter:
    """Writes to a file, tracking the position and the check sum."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._at = 0
        self.sum = 0
        self.closed = False

    def write(self, data: Any) -> int:
        """Write some bytes."""
        view = memoryview(data)
        self._file.write(view)
        self.sum = isal_zlib.crc32(view, self.sum)
        self._at += view.nbytes
        return view.nbytes

    def flush(self) -> None:
        """Do nothing: the file is flushed when it is closed."""

    def write_table(self, table: pa.Table) -> tuple[int, int]:
        """Write a table and return where it starts and how many bytes it takes."""
        self.write(bytes(-self._at % _ALIGNMENT))
        start = self._at
        sink = pa.PythonFile(self, mode="w")
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_batch(_batch(table))
        sink.flush()
        return start, self._at - start


def _batch(table: pa.Table) -> pa.RecordBatch:
    """Return a table as one batch, even without rows, to keep its dictionaries."""
    columns = [
        column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        for column in table.columns
    ]
    return pa.RecordBatch.from_arrays(columns, schema=table.schema)


def _stored_tables(model: TraceModel) -> Iterator[tuple[str, pa.Table]]:
    for name in schema.TABLES:
        yield name, model.tables[name]
    for name in DERIVED:
        value = getattr(model, name)
        arrays = {field.name: getattr(value, field.name) for field in fields(value)}
        yield (
            f"derived {name}",
            table_of(
                {key: arrow_array(a) for key, a in arrays.items() if isinstance(a, np.ndarray)}
            ),
        )


def _scalar_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that are not arrays."""
    values_of = {field.name: getattr(value, field.name) for field in fields(value)}
    return {name: one for name, one in values_of.items() if not isinstance(one, np.ndarray)}


def _check_sum(file: IO[bytes], length: int) -> int:
    """Return the check sum of the first bytes of a file."""
    file.seek(0)
    found, piece = 0, memoryview(bytearray(_PIECE))
    while length > 0:
        count = file.readinto(piece[: min(length, _PIECE)])  # type: ignore[attr-defined]
        if not count:
            return -1
        found = isal_zlib.crc32(piece[:count], found)
        length -= count
    return found


def _pack(value: Any) -> Any:
    """Convert metadata to JSON that distinguishes tuples from lists and allows keys of any type."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case tuple():
            return {"tuple": [_pack(one) for one in value]}
        case list():
            return [_pack(one) for one in value]
        case dict():
            return {"dict": [[_pack(key), _pack(one)] for key, one in value.items()]}
    message = f"{type(value).__name__} cannot be written to the cache"
    raise TypeError(message)


def _unpack(value: Any) -> Any:
    match value:
        case {"tuple": values}:
            return tuple(_unpack(one) for one in values)
        case {"dict": pairs}:
            return {_unpack(key): _unpack(one) for key, one in pairs}
        case list():
            return [_unpack(one) for one in value]
    return value
