"""Reads device work: kernels, copies, memory sets, synchronisation, and whole CUDA graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds
from nbprof.sources.cuda import names as words
from nbprof.sources.cuda.distinct import distinct_codes
from nbprof.sources.cuda.events import codes_by_key
from nbprof.sources.cuda.work import (
    add_copies,
    add_kernels,
    add_work,
    extents,
    sizes,
)
from nbprof.sources.cuda.work import words as words_of
from nbprof.sources.nsight.calls import names
from nbprof.sources.nsight.ids import of_process, pid_of

if TYPE_CHECKING:
    from nbprof.sources.cuda.events import Events
    from nbprof.sources.sqlite.columns import Block
    from nbprof.sources.sqlite.database import Database

KERNELS: Final = "CUPTI_ACTIVITY_KIND_KERNEL"
COPIES: Final = "CUPTI_ACTIVITY_KIND_MEMCPY"
SETS: Final = "CUPTI_ACTIVITY_KIND_MEMSET"
GRAPHS: Final = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
_SYNCHRONIZATIONS: Final = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"
TABLES: Final = (KERNELS, COPIES, SETS, GRAPHS, _SYNCHRONIZATIONS)

#: Kinds of memory by their numbers, which are not those of CUPTI.
MEMORIES: Final = {
    0: "Pageable",
    1: "Pinned",
    2: "Device",
    3: "Array",
    4: "Managed",
    5: "Device Static",
    6: "Managed Static",
    7: "Unknown",
}

_PLACE: Final = (
    "start",
    "end",
    "deviceId",
    "contextId",
    "greenContextId",
    "streamId",
    "correlationId",
    "globalPid",
)
_KERNEL: Final = (
    *_PLACE,
    "demangledName",
    "shortName",
    "launchType",
    "registersPerThread",
    "gridX",
    "gridY",
    "gridZ",
    "blockX",
    "blockY",
    "blockZ",
    "staticSharedMemory",
    "dynamicSharedMemory",
    "localMemoryPerThread",
    "graphNodeId",
    "graphId",
    "clusterX",
    "clusterY",
    "clusterZ",
)
_NEEDED: Final = ("start", "end")


def add_device_work(events: Events, database: Database, process: int | None) -> None:
    """Add all device work of a process."""
    where = of_process("globalPid", process)
    _add_kernels(events, database, where)
    block = database.integers(
        COPIES,
        (*_PLACE, "bytes", "copyKind", "srcKind", "dstKind", "graphNodeId"),
        needs=_NEEDED,
        where=where,
    )
    memories = {**MEMORIES, **_enumeration(database, "ENUM_CUDA_MEM_KIND")}
    if block.rows:
        add_copies(events, block, memories, pid_of(block["globalPid"]))
    block = database.integers(
        SETS, (*_PLACE, "bytes", "memKind", "graphNodeId"), needs=_NEEDED, where=where
    )
    if block.rows:
        add_work(
            events,
            kinds.MEMSET,
            block,
            events.names[words.MEMSET],
            pid_of(block["globalPid"]),
            **sizes(block),
            graph_node=block["graphNodeId"],
            target_memory=words_of(block["memKind"], memories, events.texts["target_memory"]),
        )
    _add_synchronizations(events, database, where)
    _add_graphs(events, database, where)


def _add_kernels(events: Events, database: Database, where: str) -> None:
    block = database.integers(KERNELS, _KERNEL, needs=_NEEDED, where=where)
    if not block.rows:
        return
    long_names = block.pop("demangledName")
    name = names(events, database, np.where(long_names < 0, block["shortName"], long_names))
    launches = {**words.LAUNCHES, **_launches(database)}
    more: dict[str, Any] = {
        "short_name": _short_names(events, database, block.pop("shortName")),
        "launch_type": words_of(block["launchType"], launches, events.texts["launch_type"]),
        "graph": block["graphId"],
    }
    cluster = [block[f"cluster{axis}"] for axis in "XYZ"]
    if (cluster[0] > 0).any():
        more["cluster"] = extents(
            [np.where(cluster[0] > 0, side, -1) for side in cluster], events.texts["cluster"]
        )
    add_kernels(events, block, name, pid_of(block["globalPid"]), **more)


def _short_names(
    events: Events, database: Database, ids: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    key, distinct = distinct_codes(ids)
    texts = database.named("StringIds", "id", "value", distinct.tolist())
    called = [texts.get(one) for one in distinct.tolist()]
    return codes_by_key(key, called, events.texts["short_name"])


def _launches(database: Database) -> dict[int, str]:
    """Return the types of launches; the name of their table was misspelled until 2023."""
    found = _enumeration(database, "ENUM_CUDA_KERNEL_LAUNCH_TYPE")
    return found or _enumeration(database, "ENUM_CUDA_KRENEL_LAUNCH_TYPE")


def _add_synchronizations(events: Events, database: Database, where: str) -> None:
    """Add waits for the device, which are no work of it."""
    block = database.integers(_SYNCHRONIZATIONS, (*_PLACE, "syncType"), needs=_NEEDED, where=where)
    if not block.rows:
        return
    known = {**words.SYNCHRONIZATIONS, **_enumeration(database, "ENUM_CUPTI_SYNC_TYPE")}
    key, distinct = distinct_codes(block["syncType"])
    called = [known.get(one, "Synchronization") for one in distinct.tolist()]
    name = codes_by_key(key, called, events.names)
    add_work(events, kinds.SYNC, block, name, pid_of(block["globalPid"]))


def _add_graphs(events: Events, database: Database, where: str) -> None:
    """Add graphs that were traced as a whole, without their kernels."""
    block = database.integers(
        GRAPHS, (*_PLACE, "graphId", "graphExecId"), needs=_NEEDED, where=where
    )
    if not block.rows:
        return
    name = _graph_names(events, block)
    kind: dict[str, Any] = {"launch_type": events.texts["launch_type"]["Graph"]}
    add_work(
        events,
        kinds.KERNEL,
        block,
        name,
        pid_of(block["globalPid"]),
        graph=block["graphId"],
        **kind,
    )


def _graph_names(events: Events, block: Block) -> npt.NDArray[np.int32]:
    key, distinct = distinct_codes(block["graphId"])
    called = [f"CUDA graph {one}" if one >= 0 else "CUDA graph" for one in distinct.tolist()]
    return codes_by_key(key, called, events.names)


def _enumeration(database: Database, table: str) -> dict[int, str]:
    """Return the words for numbers that a table of the export gives; empty without it."""
    rows = database.records(table, ("id",), ("label",))
    return {row["id"]: str(row["label"]) for row in rows if isinstance(row["id"], int)}
