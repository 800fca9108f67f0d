"""What is kept of one rank: a few packed tables, whatever the size of its trace.

`summarize` is what runs for every rank, here, in another process or on another machine. What it is
given and what it returns are small and can be pickled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from nbprof.analysis.ranks.calls import rank_calls
from nbprof.analysis.ranks.steps import rank_steps
from nbprof.content import content_of
from nbprof.model.contract import ranks as contract_ranks
from nbprof.model.errors import NbprofError
from nbprof.sources.parallel import cpus as parallel_cpus
from nbprof.tables import TABLES
from nbprof.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nbprof.model.contract.columns import Columns
    from nbprof.model.filters.filter import Filter
    from nbprof.sources import ReadOptions, TraceFile

#: Tables that only those over workers are made of: their functions and columns.
_PARTS: Final[Mapping[str, tuple[Callable[..., pa.Table], Columns]]] = {
    "rank_steps": (rank_steps, contract_ranks.RANK_STEPS),
    "rank_calls": (rank_calls, contract_ranks.RANK_CALLS),
}

#: A summary is no larger. Two are kept of a rank, of all of it and of the last part asked for:
#: 1 MB together.
LARGEST: Final = 500_000


@dataclass(frozen=True)
class RankTask:
    """One rank to be read.

    Attributes
    ----------
    file : TraceFile
        Where it is.
    options : ReadOptions
        What is taken of it.
    filter_ : Filter
        What the tables are narrowed to.
    cache : bool
        Whether what is kept on disk may be used.
    alone : bool
        Whether this is the only rank that is being read: then a large file may be read by several
        processes. Otherwise the executor says how many there are.
    communication_names : tuple of str
        Rules of the user about what communicates. They travel along, since the process that reads
        the rank has options of its own.
    """

    file: TraceFile
    options: ReadOptions
    filter_: Filter
    cache: bool
    alone: bool = True
    communication_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class RankSummary:
    """What came of one.

    Attributes
    ----------
    tables : dict of str to bytes
        Packed Arrow streams, by names of `kept_names`; those that were too large are not there.
    version : (int, int)
        Size of the file and what changes when it does, as it was read.
    failure : str
        Why nothing of the file can be read; empty if it could.
    """

    tables: dict[str, bytes]
    version: tuple[int, int]
    failure: str = ""

    @property
    def nbytes(self) -> int:
        """Bytes of the tables."""
        return sum(map(len, self.tables.values()))

    def table(self, name: str) -> pa.Table | None:
        """Unpack a table; None if it is not there."""
        packed = self.tables.get(name)
        if packed is None:
            return None
        table = pa.ipc.open_stream(packed).read_all()
        columns = _PARTS[name][1] if name in _PARTS else TABLES[name].all_columns
        known = {column.name: column.field for column in columns}
        fields = [known.get(field.name, field) for field in table.schema]
        return pa.table(table.columns, schema=pa.schema(fields, table.schema.metadata))


def kept_names() -> list[str]:
    """Return the tables that are kept of a rank, those that are most use for their size first.

    Those that can be grouped are the large ones; those of extensions come last.
    """
    specs = [spec for spec in TABLES.specs() if spec.scope == "both"]
    own = [spec for spec in specs if TABLES.is_own(spec.name)]
    small = [spec.name for spec in own if not spec.groupings]
    return list(dict.fromkeys([*small, *_PARTS, *(spec.name for spec in (*own, *specs))]))


def summarize(task: RankTask) -> RankSummary:
    """Read a rank and return what is kept of it; the trace itself is dropped."""
    if task.alone:
        return _summarize(task)
    with parallel_cpus.claimed(parallel_cpus.usable(), force=True):
        return _summarize(task)


def _summarize(task: RankTask) -> RankSummary:
    version = (task.file.bytes, 0)
    try:
        content = content_of(task.file, task.options)
        version = content.stamp[1], content.stamp[2]
        read = content.read(False, cache=task.cache)  # noqa: FBT003 - no bar of each rank
    except NbprofError as error:
        return RankSummary({}, version, str(error))
    model = read.under(task.communication_names)
    trace = Trace(task.file, content, lambda *_: model, task.options)
    return of_trace(trace.filter(task.filter_), version)


def of_trace(trace: Trace, version: tuple[int, int]) -> RankSummary:
    """Return what is kept of a trace that has been read."""
    tables: dict[str, bytes] = {}
    room = LARGEST
    for name in kept_names():
        try:
            packed = _pack(table_of(trace, name))
        except Exception:
            if name in _PARTS or TABLES.is_own(name):
                raise
            continue  # the error is for those who ask for the table of the extension
        if len(packed) <= room:
            tables[name] = packed
            room -= len(packed)
    return RankSummary(tables, version)


def table_of(trace: Trace, name: str) -> pa.Table:
    """Return one of the tables of `kept_names`."""
    if name in _PARTS:
        return _PARTS[name][0](trace.model, trace.active_filter)
    return trace.made(name)


def _pack(table: pa.Table) -> bytes:
    """Return a table as a stream; what columns mean is the same for all ranks and left out."""
    columns = [(field.name, field.type) for field in table.schema]
    bare = pa.schema(columns, table.schema.metadata)
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, bare, options=options) as writer:
        writer.write_table(pa.table(table.columns, schema=bare))
    packed: bytes = sink.getvalue().to_pybytes()
    return packed
