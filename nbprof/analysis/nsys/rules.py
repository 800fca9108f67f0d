"""The expert rules of ``nsys analyze`` about copies, memory sets and waits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import texts_at, us
from nbprof.analysis.nsys.rows import call_rows, memory_rows, operation_names, place_columns
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, size, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.lookup import values_at
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

COLUMNS: Final[Columns] = (
    text("rule", "The rule, by the name that nsys gives it."),
    text("advice", "What the rule is about."),
    time("start_us", "Start of the call."),
    time("duration_us", "Time of the copy or memory set; of waits, time inside the call."),
    text("api", "The call."),
    text("operation", "What was done with memory."),
    text("source_memory", "Kind of memory that was read."),
    text("target_memory", "Kind of memory that was written."),
    size("bytes", "Bytes that were copied or set."),
    count("device", "Number of the device."),
    count("stream", "Number of the stream."),
    count("pid", "Process."),
    count("tid", "Thread."),
    text("thread", "Name of the thread."),
)

#: Rules in their order, and what each is about.
ADVICE: Final = {
    "cuda_memcpy_async": "An asynchronous copy of pageable memory, which blocks the host: pin it.",
    "cuda_memcpy_sync": "A copy that blocks the host: use an asynchronous one with pinned memory.",
    "cuda_memset_sync": "A memory set that blocks the host: use an asynchronous one.",
    "cuda_api_sync": "A call that waits for the device: leave it out where no result is needed.",
}
_COPY: Final = re.compile(r"^cu(?:da)?Memcpy")
_SET: Final = re.compile(r"^cu(?:da)?Memset")
_ASYNC: Final = re.compile(r"Async")
_WAIT: Final = re.compile(r"^cu(?:da)?(?:Device|Stream|Event|Ctx|Thread)Synchronize")
_PAGEABLE: Final = "Pageable"
_COPIED: Final = re.compile(r"\(([^()]*) -> ([^()]*)\)$")


def _rules(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return what each rule finds, the longest first."""
    names = model.values("host", "name")
    work = memory_rows(model, filter_)
    work = work[model.links.launch[work] >= 0]
    call = model.links.launch[work]
    copied = _memories(model)
    pageable = np.array([_PAGEABLE in pair for pair in [*copied, ("", "")]], bool)
    pageable_work = pageable[model.column("device", "name")[work]]
    is_copy, is_set, is_async, is_wait = (
        _calls(names, pattern) for pattern in (_COPY, _SET, _ASYNC, _WAIT)
    )
    api = model.column("host", "name")[call]
    found: list[tuple[str, Rows, Rows]] = []
    for rule, chosen in (
        ("cuda_memcpy_async", is_copy(api) & is_async(api) & pageable_work),
        ("cuda_memcpy_sync", is_copy(api) & ~is_async(api)),
        ("cuda_memset_sync", is_set(api) & ~is_async(api)),
    ):
        found.append((rule, work[chosen], call[chosen]))
    waits = call_rows(model, filter_, kinds.RUNTIME)
    waits = waits[is_wait(model.column("host", "name")[waits])]
    found.append(("cuda_api_sync", np.full(len(waits), -1), waits))
    return _table(model, found, copied)


def _calls(names: list[str], pattern: re.Pattern[str]) -> Callable[[npt.NDArray[Any]], Mask]:
    """Return a function that says which codes of names a pattern matches."""
    matches = np.array([*(pattern.search(name) is not None for name in names), False], bool)
    return lambda codes: matches[codes]


def _memories(model: TraceModel) -> list[tuple[str, str]]:
    """Return the kinds of memory that each name of device work was copied from and to."""
    found = (_COPIED.search(name) for name in model.values("device", "name"))
    return [(one[1], one[2]) if one else ("", "") for one in found]


def _table(
    model: TraceModel, found: list[tuple[str, Rows, Rows]], copied: list[tuple[str, str]]
) -> pa.Table:
    rule = [name for name, _, calls in found for _ in calls.tolist()]
    work = np.concatenate([rows for _, rows, _ in found]).astype(np.int64)
    call = np.concatenate([calls for _, _, calls in found]).astype(np.int64)
    duration = np.where(
        work >= 0,
        values_at(model.column("device", "duration_ns"), work),
        model.column("host", "duration_ns")[call],
    )
    name = values_at(model.column("device", "name"), work)
    memory = [copied[one] if one >= 0 else ("", "") for one in name.tolist()]
    data: dict[str, Any] = {
        "rule": rule,
        "advice": [ADVICE[one] for one in rule],
        "start_us": us(model.column("host", "start_ns")[call]),
        "duration_us": us(duration),
        "api": texts_at(model.values("host", "name"), model.column("host", "name")[call]),
        "operation": texts_at(operation_names(model), name),
        "source_memory": [one or None for one, _ in memory],
        "target_memory": [one or None for _, one in memory],
        **place_columns(model, model.column("host", "thread")[call]),
    }
    for column in ("bytes", "device", "stream"):
        values = values_at(model.column("device", column), work).astype(np.int64)
        data[column] = arrow_array(values, mask=values < 0)
    return make_table(COLUMNS, data).take(arrow_array(np.argsort(-duration, kind="stable")))


TABLE: Final = TableSpec(
    name="nsys_rules",
    summary="copies, sets and waits that block the host",
    columns=COLUMNS,
    make=_rules,
    sort=("duration_us",),
    nouns=("finding", "findings"),
)
