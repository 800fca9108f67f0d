"""Reads one rank and keeps an extract of it: a few packed tables, however large its trace is.

`extract_rank` runs for every rank, in this process, in another one or on another machine. Its
argument and its result are small and can be pickled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from nbprof.analysis.ranks.calls import rank_calls
from nbprof.analysis.ranks.columns import RANK_CALLS, RANK_STEPS
from nbprof.analysis.ranks.steps import rank_steps
from nbprof.content import content_of
from nbprof.model.errors import NbprofError, OutOfMemoryError, TableError
from nbprof.sources.parallel import cpus as parallel_cpus
from nbprof.tables import TABLES
from nbprof.tables.trace import compute_table, table_error
from nbprof.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nbprof.model.contract.columns import Columns
    from nbprof.model.filters.filter import Filter
    from nbprof.sources import ReadOptions, TraceFile

#: Tables that exist only to compute tables over workers from them: functions and columns.
_PARTS: Final[Mapping[str, tuple[Callable[..., pa.Table], Columns]]] = {
    "rank_steps": (rank_steps, RANK_STEPS),
    "rank_calls": (rank_calls, RANK_CALLS),
}

#: Bytes of the length of a stream, which its decompression needs.
_LENGTH: Final = 8

#: Size limit of an extract in bytes. Two are kept of a rank, without a filter and under the last
#: filter, 1 MB together.
LARGEST: Final = 500_000


@dataclass(frozen=True)
class RankTask:
    """A rank to read, with the options for reading it.

    Attributes
    ----------
    file : TraceFile
        The trace file.
    options : ReadOptions
        Part of the file to read.
    filter_ : Filter
        Filter of the tables.
    cache : bool
        Whether the cache on disk may be used.
    parallel_parts : bool
        Whether several processes may share a large file, as when no other rank is read.
    communication_names : tuple of str
        The user's rules for communication. They are passed because the process that reads the rank
        may have other options than this one.
    """

    file: TraceFile
    options: ReadOptions
    filter_: Filter
    cache: bool
    parallel_parts: bool = True
    communication_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class RankExtract:
    """The result of reading a rank.

    Attributes
    ----------
    tables : dict of str to bytes
        Packed Arrow streams (`_pack`), by names of `_kept_names`; too large ones are missing.
    version : (int, int)
        Size and version of the file when it was read.
    failure : str
        Why the file cannot be read; empty if it was read.
    lasting : bool
        Whether reading the file again would fail as well, unlike where memory was lacking.
    failed : mapping of str to str
        Tables that could not be computed, with the reason.
    """

    tables: dict[str, bytes]
    version: tuple[int, int]
    failure: str = ""
    lasting: bool = True
    failed: Mapping[str, str] = field(default_factory=dict)

    @property
    def nbytes(self) -> int:
        """Bytes of the tables."""
        return sum(map(len, self.tables.values()))

    def table(self, name: str) -> pa.Table | None:
        """Unpack a table; None if the extract does not contain it.

        Raises
        ------
        TableError
            It could not be computed.
        """
        if name in self.failed:
            raise TableError(self.failed[name])
        packed = self.tables.get(name)
        if packed is None:
            return None
        table = _unpack(packed)
        columns = _PARTS[name][1] if name in _PARTS else TABLES[name].all_columns
        known = {column.name: column.field for column in columns}
        fields = [known.get(field.name, field) for field in table.schema]
        return pa.table(table.columns, schema=pa.schema(fields, table.schema.metadata))


def _kept_names() -> list[str]:
    """Return the names of the tables that are kept of a rank, most useful for their size first.

    Tables with groupings are large and come later; tables of extensions come last.
    """
    specs = [spec for spec in TABLES.specs() if spec.scope == "both"]
    own = [spec for spec in specs if TABLES.is_own(spec.name)]
    small = [spec.name for spec in own if not spec.groupings]
    return list(dict.fromkeys([*small, *_PARTS, *(spec.name for spec in (*own, *specs))]))


def extract_rank(task: RankTask) -> RankExtract:
    """Read a rank and return its extract; the trace itself is released."""
    if task.parallel_parts:
        return _extract_rank(task)
    with parallel_cpus.claimed(parallel_cpus.usable(), force=True):
        return _extract_rank(task)


def _extract_rank(task: RankTask) -> RankExtract:
    version = (task.file.bytes, 0)
    try:
        content = content_of(task.file, task.options)
        version = content.stamp[1], content.stamp[2]
        read = content.read(False, cache=task.cache)  # noqa: FBT003 - no bar of each rank
    except NbprofError as error:
        return RankExtract({}, version, str(error), not isinstance(error, OutOfMemoryError))
    model = read.under(task.communication_names)
    trace = Trace(task.file, content, lambda *_: model, task.options)
    return of_trace(trace.filter(task.filter_), version)


def of_trace(trace: Trace, version: tuple[int, int]) -> RankExtract:
    """Return the extract of a trace that has been read."""
    tables: dict[str, bytes] = {}
    room = LARGEST
    failed: dict[str, str] = {}
    for name in _kept_names():
        try:
            packed = _pack(table_of(trace, name))
        except OutOfMemoryError as error:
            return RankExtract({}, version, str(error), lasting=False)
        except NbprofError as error:
            failed[name] = str(error)
            continue
        except Exception:
            if name in _PARTS or TABLES.is_own(name):
                raise
            continue  # raised again when somebody requests the table of the extension
        if len(packed) <= room:
            tables[name] = packed
            room -= len(packed)
    return RankExtract(tables, version, failed=failed)


def table_of(trace: Trace, name: str) -> pa.Table:
    """Return one of the tables of `_kept_names`."""
    if name in _PARTS:
        try:
            return _PARTS[name][0](trace.model, trace.active_filter)
        except Exception as error:
            raise table_error(name, trace.place, error) from error
    return compute_table(trace, name)


def _pack(table: pa.Table) -> bytes:
    """Return a table as a compressed stream, without field metadata, which all ranks share.

    The stream is compressed as a whole, after its length in eight bytes. Arrow would compress every
    buffer of a column by itself, which takes ten times as long for small tables.
    """
    columns = [(field.name, field.type) for field in table.schema]
    bare = pa.schema(columns, table.schema.metadata)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, bare) as writer:
        writer.write_table(pa.table(table.columns, schema=bare))
    stream = sink.getvalue()
    packed: bytes = pa.compress(stream, codec="zstd", asbytes=True)
    return len(stream).to_bytes(_LENGTH, "little") + packed


def _unpack(packed: bytes) -> pa.Table:
    """Return the table of a compressed stream."""
    length = int.from_bytes(packed[:_LENGTH], "little")
    stream = pa.decompress(memoryview(packed)[_LENGTH:], length, codec="zstd")
    return pa.ipc.open_stream(stream).read_all()
