"""Reads API calls of the CUDA runtime and driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds
from nbprof.sources.cuda.distinct import distinct_codes
from nbprof.sources.cuda.events import codes_by_key
from nbprof.sources.cuda.names import api_name
from nbprof.sources.nsight.ids import of_process, pid_of, tid_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.sources.cuda.events import Events
    from nbprof.sources.sqlite.columns import Block
    from nbprof.sources.sqlite.database import Database

Integers = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

RUNTIME: Final = "CUPTI_ACTIVITY_KIND_RUNTIME"

#: Classes of events that are calls of the runtime and the driver; others wrap them.
_CUDA: Final = (0, 1)


def add_cuda_calls(events: Events, database: Database, process: int | None) -> None:
    """Add the calls of the CUDA runtime and driver."""
    block = database.integers(
        RUNTIME,
        ("start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"),
        needs=("start", "end", "globalTid"),
        where=of_process("globalTid", process),
    )
    keep = ~_wrappers(block)
    if not keep.all():
        events.defects.note(
            "calls recorded twice",
            int((~keep).sum()),
            "by the API and by a wrapper around it; the inner call is kept",
            fatal=False,
        )
        block = block.select(np.flatnonzero(keep))
    result = block.pop("returnValue")
    pids, correlation = pid_of(block["globalTid"]), block.pop("correlationId")
    more: dict[str, Any] = {"correlation": events.correlations(pids, correlation)}
    if (result > 0).any():
        more["result"] = result
    name = names(events, database, block.pop("nameId"), api_name)
    add_calls(events, block, name, kinds.RUNTIME, **more)


def _wrappers(block: Block) -> npt.NDArray[np.bool_]:
    """Return which calls wrap another call with the same id on their thread, shape (rows,)."""
    outer = ~np.isin(block["eventClass"], (*_CUDA, -1))
    found = np.zeros(block.rows, bool)
    if not outer.any() or outer.all():
        return found
    rows = np.flatnonzero(outer)
    inner = np.flatnonzero(~outer)
    pairs = np.stack([block["globalTid"], block["correlationId"]], axis=1)
    known = {tuple(pair) for pair in pairs[inner].tolist()}
    found[rows] = [tuple(pair) in known for pair in pairs[rows].tolist()]
    return found


def add_calls(events: Events, block: Block, name: Codes, kind: int, **columns: Any) -> None:
    """Add calls: a block with the columns start, end and globalTid, their names and their kind."""
    number = block.pop("globalTid")
    start = block.pop("start")
    events.host.add(
        block.rows,
        name=name,
        kind=kind,
        thread=events.threads.codes(pid_of(number), tid_of(number)),
        start_ns=start,
        duration_ns=events.durations(start, block.pop("end"), "a call"),
        **columns,
    )


def names(
    events: Events, database: Database, ids: Integers, change: Callable[[str], str] = str
) -> Codes:
    """Return the codes of the names with some numbers, shape (rows,).

    Parameters
    ----------
    events : Events
        What was read so far.
    database : Database
        The export.
    ids : ndarray of int64, shape (rows,)
        Numbers in its table of strings.
    change : callable
        Makes a name of a string.
    """
    key, distinct = distinct_codes(ids)
    texts = database.named("StringIds", "id", "value", distinct.tolist())
    called = [change(texts[one]) if one in texts else None for one in distinct.tolist()]
    return codes_by_key(key, called, events.names)
