"""Recomputes VisualDL's memory figures for a Paddle profile, including its defects.

It credits records by times that both sides cut to whole microseconds, takes the ends of events as
inside, drops what is in no event, credits what a part of an operator does to the operator, and what
a part that is no phase does, to that too. Written from `visualdl.md`, in plain loops.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: What its reader keeps of the host.
KEPT = frozenset(
    (
        "Operator",
        "Dataloader",
        "ProfileStep",
        "UserDefined",
        "OperatorInner",
        "Forward",
        "Backward",
        "Optimization",
        "Communication",
        "PythonOp",
        "PythonUserDefined",
    )
)
KINDS = ("Allocate", "Free", "ReservedAllocate", "ReservedFree")
#: Runs to the end of everything.
ROOT = 1 << 62


@dataclass
class Record:
    """A record of memory: µs from the first host event, and what it says."""

    time_us: int
    kind: str
    args: dict[str, Any]

    @property
    def is_reserved(self) -> bool:
        return self.kind.startswith("Reserved")

    @property
    def change(self) -> int:
        return int(self.args["increase_bytes"])

    @property
    def key(self) -> tuple[int, bool]:
        return int(self.args["addr"]), self.is_reserved


@dataclass
class Node:
    """An event with what lies inside."""

    name: str
    kind: str
    start: int
    end: int
    children: list[Node] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)

    def take(self, record: Record) -> bool:
        """Give a record to the first node in post-order that it is in."""
        if any(child.take(record) for child in self.children):
            return True
        inside = self.start <= record.time_us * 1000 <= self.end
        if inside:
            self.records.append(record)
        return inside

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()


class Recording:
    """A JSON file as VisualDL sees it."""

    def __init__(self, path: Path) -> None:
        events = [one for one in json.loads(path.read_text("utf-8"))["traceEvents"] if one]
        host: dict[int, list[Node]] = defaultdict(list)
        first_us = 0
        for event in events:
            if event.get("ph") == "X" and event["cat"] in KEPT:
                start, end = (_ns(event["args"][f"{side}_time"]) for side in ("start", "end"))
                name = re.sub(r"\[[^\[]*\]$", "", event["name"])
                host[_tid(event)].append(Node(name, event["cat"], start, end))
                first_us = event["ts"] if start == 0 else first_us
        self.roots = {tid: _tree(nodes) for tid, nodes in host.items()}
        self.records: dict[str, list[tuple[int, Record]]] = defaultdict(list)
        for event in events:
            if event.get("cat") in KINDS:
                record = Record(event["ts"] - first_us, event["cat"], event["args"])
                self.records[event["args"]["place"]].append((_tid(event), record))
        for tid, record in (pair for pairs in self.records.values() for pair in pairs):
            if tid in self.roots:
                self.roots[tid].take(record)

    def credited(self, place: str) -> list[tuple[str, Record]]:
        """Return events and records of a place in the order of time, some records twice."""
        found = []
        for root in self.roots.values():
            for node in root.walk():
                parts = node.children if node.kind == "Operator" else []
                own = [] if node is root or node.kind == "OperatorInner" else [node]
                found += [(node.name, record) for one in (*own, *parts) for record in one.records]
        mine = [pair for pair in found if pair[1].args["place"] == place]
        return sorted(mine, key=lambda pair: pair[1].time_us)


def _tree(nodes: list[Node]) -> Node:
    root = Node("root", "root", -1, ROOT)
    open_nodes = [root]
    for node in sorted(nodes, key=lambda one: (one.start, -one.end)):
        while node.start >= open_nodes[-1].end:
            open_nodes.pop()
        open_nodes[-1].children.append(node)
        open_nodes.append(node)
    return root


def _tid(event: dict[str, Any]) -> int:
    return int(str(event["tid"]).partition("(")[0])


def _ns(text: str) -> int:
    return round(float(text.removesuffix(" us")) * 1000)
