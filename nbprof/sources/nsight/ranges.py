"""Reads NVTX events: ranges, their domains, and the names that they give to threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.sources.cuda.distinct import distinct_codes
from nbprof.sources.cuda.ranges import MARK, PUSH_POP, START_END, Ranges, add_ranges
from nbprof.sources.nsight.ids import of_process, pid_of, tid_of

if TYPE_CHECKING:
    from nbprof.sources.cuda.events import Events
    from nbprof.sources.sqlite.columns import Block
    from nbprof.sources.sqlite.database import Database

TABLE: Final = "NVTX_EVENTS"

#: Types of events.
_PUSH_POP, _START_END, _MARK, _THREAD_NAME, _DOMAIN = 59, 60, 34, 39, 75
_WANTED: Final = (_PUSH_POP, _START_END, _MARK, _THREAD_NAME, _DOMAIN)
_COLUMNS: Final = ("start", "end", "eventType", "globalTid", "textId", "domainId")


def add_nvtx(events: Events, database: Database, process: int | None) -> None:
    """Add the NVTX ranges and marks of a process, and the names of its threads."""
    kinds = ", ".join(map(str, _WANTED))
    conditions = []
    if database.has(TABLE, "eventType"):  # of values that are no numbers it is not known
        conditions.append(f"""("eventType" IN ({kinds}) OR typeof("eventType") <> 'integer')""")
    if condition := of_process("globalTid", process):
        conditions.append(condition)
    where = " AND ".join(conditions)
    block = database.integers(TABLE, _COLUMNS, needs=("start", "globalTid"), where=where)
    if not block.rows:
        return
    label = _labels(events, database, block, where)
    texts = events.texts["label"].texts
    kind = block["eventType"]
    kind = np.where(kind < 0, _PUSH_POP, kind)
    domains: dict[tuple[int, int], str] = {}
    for row in np.flatnonzero((kind == _DOMAIN) | (kind == _THREAD_NAME)).tolist():
        place = int(block["globalTid"][row])
        text = texts[label[row]] if label[row] >= 0 else ""
        if kind[row] == _DOMAIN:
            domains[pid_of(place), int(block["domainId"][row])] = text
        elif text:
            events.threads.names[pid_of(place), tid_of(place)] = text
    domain = _domains(events, block, domains)
    last = max(int(block["end"].max()), int(block["start"].max()))
    for style, wanted in ((PUSH_POP, _PUSH_POP), (START_END, _START_END), (MARK, _MARK)):
        rows = np.flatnonzero(kind == wanted)
        start, number = block["start"][rows], block["globalTid"][rows]
        ranges = Ranges(
            style=style,
            start=start,
            end=start if style == MARK else block["end"][rows],
            thread=events.threads.codes(pid_of(number), tid_of(number)),
            label=label[rows],
            domain=domain[rows],
        )
        add_ranges(events, ranges, last)


def _labels(events: Events, database: Database, block: Block, where: str) -> npt.NDArray[np.int32]:
    """Return the codes of the texts, which are in the table itself or among all strings."""
    texts = events.texts["label"]
    key, distinct = distinct_codes(block["textId"])
    strings = database.named("StringIds", "id", "value", distinct.tolist())
    code = texts.encode([strings.get(one) for one in distinct.tolist()], len(distinct))
    label = np.array(code[key])
    if database.has(TABLE, "text"):
        inline = database.texts(TABLE, "text", texts, where)
        if len(inline) == len(label):  # fewer if a part of the file is damaged
            label = np.where(inline >= 0, inline, label)
    return label


def _domains(
    events: Events, block: Block, names: dict[tuple[int, int], str]
) -> npt.NDArray[np.int32]:
    """Return the codes of the names of domains; -1 for the default domain."""
    texts = events.texts["domain"]
    number = np.maximum(block["domainId"], 0)
    if not number.any():
        return np.full(block.rows, -1, np.int32)
    process, pids = distinct_codes(pid_of(block["globalTid"]))
    code, numbers = distinct_codes(number)
    width = len(numbers)
    key, distinct = distinct_codes(process.astype(np.int64) * width + code)
    called = []
    for one in distinct.tolist():
        pid, domain = int(pids[one // width]), int(numbers[one % width])
        called.append(names.get((pid, domain), f"domain {domain}") if domain else None)
    return texts.encode(called, len(called))[key]
