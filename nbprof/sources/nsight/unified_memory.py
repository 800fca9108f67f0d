"""Reads what CUDA's unified memory did: pages that moved, and page faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.model.trace.schema_vendors import (
    DEVICE_FAULT,
    DEVICE_TO_HOST,
    HOST_FAULT,
    HOST_TO_DEVICE,
)
from nbprof.sources.cuda.distinct import distinct_codes
from nbprof.sources.cuda.events import codes_by_key
from nbprof.sources.cuda.work import small
from nbprof.sources.nsight.ids import of_process
from nbprof.sources.nsight.libraries import source_codes
from nbprof.sources.nsight.work import COPIES

if TYPE_CHECKING:
    from nbprof.sources.cuda.events import Events
    from nbprof.sources.sqlite.columns import Block
    from nbprof.sources.sqlite.database import Database

_OF_HOST: Final = "CUDA_UM_CPU_PAGE_FAULT_EVENTS"
_OF_DEVICE: Final = "CUDA_UM_GPU_PAGE_FAULT_EVENTS"
FAULTS: Final = (_OF_HOST, _OF_DEVICE)
#: Kinds of copies that move pages.
_MOVES: Final = {11: HOST_TO_DEVICE, 12: DEVICE_TO_HOST}


def add_unified_memory(events: Events, database: Database, process: int | None) -> None:
    """Add page faults, and the pages that moved, which are copies as well."""
    where = of_process("globalPid", process)
    _add_moves(events, database, where)
    block = database.integers(
        _OF_DEVICE,
        ("start", "deviceId", "address", "numberOfPageFaults"),
        needs=("start",),
        where=where,
    )
    _add(
        events,
        block,
        DEVICE_FAULT,
        small(block["deviceId"]),
        np.maximum(block["numberOfPageFaults"], 1),
    )
    columns = ("start", "address", "CpuInstruction", "SourceFile", "SourceLine")
    block = database.integers(_OF_HOST, columns, needs=("start",), where=where)
    _add(events, block, HOST_FAULT, -1, 1, source=_sources(events, database, block))


def _add_moves(events: Events, database: Database, where: str) -> None:
    if not database.has(COPIES, "copyKind"):
        return
    kinds = ", ".join(map(str, _MOVES))
    conditions = [f'"copyKind" IN ({kinds})', *([where] if where else [])]
    columns = ("start", "deviceId", "virtualAddress", "bytes", "copyKind")
    block = database.integers(COPIES, columns, needs=("start",), where=" AND ".join(conditions))
    if not block.rows:
        return
    block.put("address", block.pop("virtualAddress"))
    for kind, event in _MOVES.items():
        rows = np.flatnonzero(block["copyKind"] == kind)
        part = block.select(rows)
        _add(events, part, event, small(part["deviceId"]), 0, bytes=part["bytes"])


def _add(events: Events, block: Block, event: str, device: Any, faults: Any, **more: Any) -> None:
    events.unified.add(
        block.rows,
        event=events.texts["event"][event],
        time_ns=block["start"],
        device=device,
        address=block["address"],
        faults=faults,
        **more,
    )


def _sources(events: Events, database: Database, block: Block) -> Any:
    """Return the codes of file and line, if recorded, and function of each access."""
    function, distinct = distinct_codes(block["CpuInstruction"])
    texts = database.named("StringIds", "id", "value", distinct.tolist())
    place = source_codes(events, database, block["SourceFile"], block["SourceLine"])
    known = events.texts["source"].texts
    width = len(known) + 1
    key, pairs = distinct_codes(function.astype(np.int64) * width + place + 1)
    called: list[str | None] = []
    for one in pairs.tolist():
        file = known[one % width - 1] if one % width else None
        said = [part for part in (file, texts.get(int(distinct[one // width]))) if part]
        called.append(" in ".join(said) or None)
    return codes_by_key(key, called, events.texts["source"])
