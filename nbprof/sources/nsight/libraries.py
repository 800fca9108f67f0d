"""Reads calls of the operating system and of libraries: MPI, UCX, OpenMP, OpenACC and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from nbprof.model.trace import kinds
from nbprof.sources.cuda.distinct import distinct_codes
from nbprof.sources.cuda.events import codes_by_key
from nbprof.sources.nsight.calls import add_calls, names
from nbprof.sources.nsight.ids import of_process

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nbprof.sources.cuda.events import Events
    from nbprof.sources.sqlite.columns import Block
    from nbprof.sources.sqlite.database import Database


class _Library(NamedTuple):
    """What a table of calls holds.

    Attributes
    ----------
    library : str
        The library; empty for the operating system.
    group : str
        Kind of the calls within it.
    named_by : str
        Column of their names.
    columns : mapping of str to str
        Columns of the model by those of the table.
    """

    library: str
    group: str = ""
    named_by: str = "nameId"
    columns: Mapping[str, str] = {}


_MESSAGE: Final = {"size": "sent_bytes", "remoteRank": "peer", "tag": "tag"}
_PACKED: Final = {"packedSize": "sent_bytes", "tag": "tag"}
#: Tables of calls that are not CUDA's.
LIBRARIES: Final = {
    "OSRT_API": _Library(""),
    "SYSCALL": _Library("System calls"),
    "CUBLAS_EVENTS": _Library("cuBLAS"),
    "CUDNN_EVENTS": _Library("cuDNN"),
    "MPI_P2P_EVENTS": _Library("MPI", "P2P", "textId", _MESSAGE),
    "MPI_COLLECTIVES_EVENTS": _Library(
        "MPI",
        "Collectives",
        "textId",
        {"size": "sent_bytes", "recvSize": "received_bytes", "rootRank": "root"},
    ),
    "MPI_RMA_EVENTS": _Library("MPI", "RMA", "textId", _MESSAGE),
    "MPI_START_WAIT_EVENTS": _Library("MPI", "Start/wait", "textId"),
    "MPI_OTHER_EVENTS": _Library("MPI", "Other", "textId"),
    "UCP_SUBMIT_EVENTS": _Library("UCX", "Submit", "textId", _PACKED),
    "UCP_PROGRESS_EVENTS": _Library("UCX", "Progress", "textId", _PACKED),
    "UCP_EVENTS": _Library("UCX", "Other", "textId"),
}
#: Beginnings of the names of tables with a kind of event each.
_OPENMP: Final = "OPENMP_EVENT_KIND_"
_OPENACC: Final = "CUPTI_ACTIVITY_KIND_OPENACC_"
_OPENACC_COLUMNS: Final = {"bytes": "sent_bytes"}


def library_tables(database: Database) -> Iterator[tuple[str, _Library]]:
    """Give the tables of an export with calls that are not CUDA's, and what they hold."""
    for table in sorted(database.tables):
        if table in LIBRARIES:
            yield table, LIBRARIES[table]
        elif table.startswith(_OPENMP):
            yield table, _Library("OpenMP", _words(table, _OPENMP))
        elif table.startswith(_OPENACC):
            yield table, _Library("OpenACC", _words(table, _OPENACC), columns=_OPENACC_COLUMNS)


def add_library_calls(events: Events, database: Database, process: int | None) -> None:
    """Add the calls of the operating system and of libraries."""
    for table, library in library_tables(database):
        columns = ("start", "end", "globalTid", library.named_by, *library.columns)
        sourced = ("srcFile", "lineNo") if database.has(table, "srcFile") else ()
        block = database.integers(
            table,
            (*columns, *sourced),
            needs=("start", "end", "globalTid"),
            where=of_process("globalTid", process),
        )
        name = names(events, database, block.pop(library.named_by))
        more: dict[str, Any] = {ours: block.pop(one) for one, ours in library.columns.items()}
        if library.library:
            more["library"] = events.texts["library"][library.library]
            more["group"] = events.texts["group"][library.group] if library.group else -1
        if sourced:
            more["source"] = _sources(events, database, block)
        add_calls(events, block, name, kinds.LIBRARY, **more)


def _words(table: str, beginning: str) -> str:
    """Return the words in the name of a table, such as ``Sync region``."""
    return table.removeprefix(beginning).replace("_", " ").capitalize()


def _sources(events: Events, database: Database, block: Block) -> Any:
    """Return the codes of file and line of each call; -1 if unknown."""
    files, lines = block.pop("srcFile"), block.pop("lineNo")
    return source_codes(events, database, files, lines)


def source_codes(events: Events, database: Database, files: Any, lines: Any) -> Any:
    """Return the codes of file and line by the number of a file among the strings, shape (rows,).

    A line of 0 or less is unknown.
    """
    place, distinct = distinct_codes(files)
    texts = database.named("StringIds", "id", "value", distinct.tolist())
    width = max(int(lines.max(initial=0)), 0) + 1
    key, pairs = distinct_codes(place.astype(np.int64) * width + np.maximum(lines, 0))
    called: list[str | None] = []
    for one in pairs.tolist():
        file, line = texts.get(int(distinct[one // width])), one % width
        called.append(f"{file}:{line}" if file and line else file or None)
    return codes_by_key(key, called, events.texts["source"])
