"""Reports on the calls of libraries: the operating system, MPI, OpenMP, OpenACC and others."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense, texts, texts_at, us
from nbprof.analysis.nsys.rows import call_rows, place_columns
from nbprof.analysis.nsys.statistics import (
    SIZES,
    TIMES,
    size_statistics,
    sorted_summary,
    time_statistics,
)
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, size, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

#: Libraries by the beginning of the names of their calls, for recorders that do not say.
_BEGINNINGS: Final = {"MPI_": "MPI", "cublas": "cuBLAS", "cudnn": "cuDNN", "ucp_": "UCX"}
_SYSTEM: Final = "OS runtime"
_MPI: Final = "MPI"

_NAME: Final = text("name", "The call.")
_GROUP: Final = text("group", "Kind of the call within the library.")
LIBRARY: Final[Columns] = (
    *TIMES,
    text("library", "OS runtime, MPI, OpenMP, cuBLAS or another."),
    _NAME,
)
ONE_LIBRARY: Final[Columns] = (*TIMES, _GROUP, _NAME)
MESSAGES: Final[Columns] = (
    *SIZES,
    text("direction", "Sent or received; of messages between two ranks, whatever the call does."),
    _NAME,
)
EVENTS: Final[Columns] = (
    time("start_us", "Start of the call."),
    time("end_us", "End of the call."),
    time("duration_us", "Time inside it."),
    _GROUP,
    _NAME,
    count("pid", "Process."),
    count("tid", "Thread."),
    count("tag", "Tag of the message."),
    count("peer", "Rank at the other end."),
    count("root", "Rank that a collective starts from or ends at."),
    size("sent_bytes", "Bytes of the message, or those that a collective sends."),
    size("received_bytes", "Bytes that a collective receives."),
)
_SAID: Final = ("tag", "peer", "root", "sent_bytes", "received_bytes")


def _libraries(model: TraceModel, rows: Rows) -> tuple[list[str], Rows]:
    """Return names of libraries, and the index of that of each call, shape (rows,)."""
    known = model.values("library_calls", "library")
    of_host = np.full(model.tables["host"].num_rows, -1, np.int64)
    of_host[model.column("library_calls", "row")] = model.column("library_calls", "library")
    name = model.column("host", "name")[rows]
    libraries = list(dict.fromkeys((*known, *_BEGINNINGS.values(), _SYSTEM)))
    place = {one: at for at, one in enumerate(libraries)}
    guessed = [place[_guess(one)] for one in model.values("host", "name")]
    by_name = np.array([*guessed, place[_SYSTEM]], np.int64)[name]
    told = np.array([*(place[one] for one in known), -1], np.int64)[of_host[rows]]
    return libraries, np.where(told >= 0, told, by_name)


def _guess(name: str) -> str:
    found = (library for start, library in _BEGINNINGS.items() if name.startswith(start))
    return next(found, _SYSTEM)


def _calls(model: TraceModel, filter_: Filter, library: str) -> Rows:
    """Return the calls of a library that a filter keeps."""
    rows = call_rows(model, filter_, kinds.LIBRARY)
    names, code = _libraries(model, rows)
    return rows[code == names.index(library)] if library in names else rows[:0]


def _said(model: TraceModel, rows: Rows, column: str) -> Rows:
    """Return what was recorded of calls, shape (rows,); -1 if nothing."""
    values = np.full(model.tables["host"].num_rows, -1, np.int64)
    values[model.column("library_calls", "row")] = model.column("library_calls", column)
    return values[rows]


def _osrt_sum(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the time of calls of the operating system and of libraries by name."""
    rows = call_rows(model, filter_, kinds.LIBRARY)
    libraries, code = _libraries(model, rows)
    name = model.column("host", "name")[rows]
    group, first = dense(code, name)
    times = time_statistics(group, model.column("host", "duration_ns")[rows], len(first))
    data = {"library": texts_at(libraries, code[first]),
            "name": texts(model, "host", "name", name[first])}  # fmt: skip
    return sorted_summary(LIBRARY, {**times, **data}, first)


def _library_sum(model: TraceModel, filter_: Filter = NO_FILTER, *, library: str = "") -> pa.Table:
    """Return the time of the calls of a library by kind and name."""
    rows = _calls(model, filter_, library)
    kind, name = _said(model, rows, "group"), model.column("host", "name")[rows]
    group, first = dense(kind, name)
    times = time_statistics(group, model.column("host", "duration_ns")[rows], len(first))
    data = {"group": texts(model, "library_calls", "group", kind[first]),
            "name": texts(model, "host", "name", name[first])}  # fmt: skip
    return sorted_summary(ONE_LIBRARY, {**times, **data}, first)


def _mpi_event_trace(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return every call of MPI in the order of time."""
    rows = _calls(model, filter_, _MPI)
    rows = rows[np.argsort(model.column("host", "start_ns")[rows], kind="stable")]
    start, duration = (model.column("host", one)[rows] for one in ("start_ns", "duration_ns"))
    places = place_columns(model, model.column("host", "thread")[rows])
    data: dict[str, Any] = {
        "start_us": us(start),
        "end_us": us(start + duration),
        "duration_us": us(duration),
        "group": texts(model, "library_calls", "group", _said(model, rows, "group")),
        "name": texts(model, "host", "name", model.column("host", "name")[rows]),
        **{name: places[name] for name in ("pid", "tid")},
    }
    for name in _SAID:
        values = _said(model, rows, name)
        data[name] = arrow_array(values, mask=values < 0)
    return make_table(EVENTS, data)


def _mpi_msg_size_sum(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the bytes of MPI's messages by call and direction."""
    rows = _calls(model, filter_, _MPI)
    sent, received = (_said(model, rows, f"{one}_bytes") for one in ("sent", "received"))
    both = np.concatenate([rows, rows])
    amount = np.concatenate([sent, received])
    direction = np.repeat(np.arange(2), len(rows))
    kept = np.flatnonzero(amount >= 0)
    name = model.column("host", "name")[both[kept]]
    group, first = dense(name, direction[kept])
    data = size_statistics(group, amount[kept], len(first))
    data["name"] = texts(model, "host", "name", name[first])
    data["direction"] = texts_at(["sent", "received"], direction[kept][first])
    table = make_table(MESSAGES, data)
    return table.take(arrow_array(np.lexsort((first, -data["total_bytes"]))))


def _summary(name: str, library: str, option: str) -> TableSpec:
    return TableSpec(
        name=name,
        summary=f"calls of {library} by name",
        columns=ONE_LIBRARY,
        make=partial(_library_sum, library=library),
        keys=("group", "name"),
        sort=("total_us",),
        sums=("total_us", "instances"),
        nouns=("call", "calls"),
        **_lacking(library, option),
    )


def _lacking(library: str, option: str) -> dict[str, Any]:
    hint = f"No calls of {library} were recorded; nsys profile --trace={option} records them."
    return {"empty_texts": {"": hint}, "warns_if_empty": False}


OSRT_SUM: Final = TableSpec(
    name="nsys_osrt_sum",
    summary="calls of the system and of libraries by name",
    columns=LIBRARY,
    make=_osrt_sum,
    keys=("library", "name"),
    sort=("total_us",),
    sums=("total_us", "instances"),
    nouns=("call", "calls"),
)
SYSCALL_SUM: Final = _summary("nsys_syscall_sum", "System calls", "syscall")
OPENMP_SUM: Final = _summary("nsys_openmp_sum", "OpenMP", "openmp")
OPENACC_SUM: Final = _summary("nsys_openacc_sum", "OpenACC", "openacc")
MPI_SUM: Final = _summary("nsys_mpi_event_sum", _MPI, "mpi")
UCX_SUM: Final = _summary("nsys_ucx_event_sum", "UCX", "ucx")
MPI_TRACE: Final = TableSpec(
    name="nsys_mpi_event_trace",
    summary="every call of MPI",
    columns=EVENTS,
    make=_mpi_event_trace,
    sums=("duration_us", "sent_bytes", "received_bytes"),
    nouns=("call", "calls"),
    **_lacking(_MPI, "mpi"),
)
MPI_SIZES: Final = TableSpec(
    name="nsys_mpi_msg_size_sum",
    summary="the bytes of MPI's messages",
    columns=MESSAGES,
    make=_mpi_msg_size_sum,
    keys=("name", "direction"),
    sort=("total_bytes",),
    sums=("total_bytes", "instances"),
    nouns=("row", "rows"),
    **_lacking(_MPI, "mpi"),
)
