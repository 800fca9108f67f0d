"""Stages and operators of a Paddle file, read and added up with plain loops.

Only for what VisualDL leaves out, so that our figures are held against something there too.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

STAGES = {
    "Dataloader": "DataLoader",
    "Forward": "Forward",
    "Backward": "Backward",
    "Optimization": "Optimization",
}


@dataclass
class Node:
    """An event on the host, times in nanoseconds as VisualDL reads them."""

    name: str
    kind: str
    thread: str
    start: int
    end: int
    inside: list[Node] = field(default_factory=list)

    @property
    def length(self) -> int:
        return self.end - self.start

    def below(self) -> list[Node]:
        return [node for child in self.inside for node in (child, *child.below())]


def read_tree(path: Path) -> list[Node]:
    """Return the events of the host that are in no other, with those inside them."""
    nodes = []
    for event in json.loads(path.read_text(encoding="utf-8"))["traceEvents"]:
        if event.get("ph") != "X" or event["cat"] in ("Kernel", "Memcpy", "Memset"):
            continue
        thread = event["tid"].partition("(")[0]
        start, end = (
            int(float(event["args"][name].partition(" ")[0]) * 1000)
            for name in ("start_time", "end_time")
        )
        name = event["name"][: event["name"].rindex("[")]
        nodes.append(Node(name, event["cat"], thread, start, end))
    nodes.sort(key=lambda node: (node.thread, node.start, -node.end))
    top: list[Node] = []
    stack: list[Node] = []
    for node in nodes:
        while stack and (stack[-1].thread != node.thread or stack[-1].end <= node.start):
            stack.pop()
        (stack[-1].inside if stack else top).append(node)
        stack.append(node)
    return top


def stage_times(top: list[Node]) -> dict[int, dict[str, list[int]]]:
    """Return the lengths of the outermost stages of each step, however deep, by step and stage."""
    found = {}
    for step in top:
        if step.kind == "ProfileStep":
            stages = found[int(step.name.partition("#")[2])] = defaultdict(list)
            todo = list(step.inside)
            while todo:
                node = todo.pop()
                if node.kind in STAGES:
                    stages[STAGES[node.kind]].append(node.length)
                else:
                    todo += node.inside
            spent = sum(sum(times) for times in stages.values())
            stages["Other"] = [step.length - spent]
    return found


def types_by_stage(top: list[Node]) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """Return the times of events by type and by the stage that they are inside."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)

    def walk(node: Node, stage: str) -> None:
        for child in node.inside:
            if stage == "Other" and child.kind in STAGES:
                walk(child, STAGES[child.kind])
                continue
            kind = "UserDefined" if child.kind == "PythonUserDefined" else child.kind
            if kind not in STAGES and child.kind != "UserDefined":
                found[kind, stage].append((child.start, child.end))
            walk(child, stage)

    for step in top:
        if step.kind == "ProfileStep":
            walk(step, "Other")
    return found


def union(times: list[tuple[int, int]]) -> int:
    """Return how long at least one of some events ran."""
    total, reach = 0, 0
    for start, end in sorted(times):
        total += max(0, end - max(start, reach))
        reach = max(reach, end)
    return total


def phases(top: list[Node]) -> dict[tuple[str, str], int]:
    """Return the time of operators by name and phase; where kernels are launched they compute."""
    found: dict[tuple[str, str], int] = defaultdict(int)

    def add(operator: Node, node: Node) -> int:
        spent = 0
        for child in node.inside:
            phase = None if child.kind == "Operator" else _phase_of(child)
            if phase is not None:
                found[operator.name, phase] += child.length
                spent += child.length
            elif child.kind != "Operator":
                spent += add(operator, child)
        return spent

    for tree in top:
        for node in (tree, *tree.below()):
            if node.kind == "Operator":
                found[node.name, "others"] += node.length - add(node, node)
    return found


def _phase_of(node: Node) -> str | None:
    if node.kind == "DygraphKernelLaunch" or "compute" in node.name:
        return "compute"
    if "infer_meta" in node.name or "infer_shape" in node.name:
        return "infer_shape"
    return "node_creation" if "node_creation" in node.name else None


def launches_inside(top: list[Node]) -> dict[tuple[str, str], list[int]]:
    """Return the lengths of kernel launches straight inside operators, by both names."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for tree in top:
        for node in (tree, *tree.below()):
            for child in node.inside if node.kind == "Operator" else ():
                if child.kind == "DygraphKernelLaunch":
                    found[node.name, child.name].append(child.length)
    return found
