"""`Positions`: what a step of one side consists of: the calls at each position of the call tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import has_device
from nbprof.analysis.grouping import NS_PER_US, dense, latest, sums
from nbprof.analysis.modules.flame_frames import levels_of
from nbprof.analysis.subtree_sums import Forest
from nbprof.diffs.trees.calls import Calls
from nbprof.diffs.values.cells import Cells

if TYPE_CHECKING:
    from nbprof.diffs.sides.used_steps import UsedSteps
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Positions:
    """The positions of a step; position 0 is the step itself. Lists of length (positions,).

    Calls of several steps have the same position if they have the same label, and are the same one
    of the calls with that label, in calls that have the same position themselves. Positions that
    fewer than half of the steps have are left out: their median is 0.

    Attributes
    ----------
    children : list of list of int
        The positions directly inside, in order.
    label : list of (int, str, str)
        Kind, common text and name of each; of the step (-1, "", "").
    backward : list of bool
        Whether it is in the backward pass.
    occurrence : list of int
        Which one it is of the siblings with its label, from 1.
    shapes : list of str
        Input shapes of the first call as JSON, empty without.
    cells : Cells
        Times in µs by position and step.
    """

    children: list[list[int]]
    label: list[tuple[int, str, str]]
    backward: list[bool]
    occurrence: list[int]
    shapes: list[str]
    cells: Cells

    @classmethod
    def of(cls, model: TraceModel, filter_: Filter, used: UsedSteps) -> Positions:
        """Find the positions of the steps of a trace, once for each filter."""
        key = f"diff positions {used}"
        return latest(model, key, filter_, lambda: _find(model, filter_, used))


def _find(model: TraceModel, filter_: Filter, used: UsedSteps) -> Positions:
    calls = Calls.of(model, filter_, used)
    node, occurrence, among = numbered(calls, used.count)
    count = int(node.max(initial=0)) + 1
    there = np.bincount(node, minlength=count)
    there[0] = used.count
    kept = 2 * there > used.count
    kept[0] = True
    place = np.cumsum(kept) - 1
    first = np.full(count, -1, np.int64)
    by_step = np.argsort(calls.step, kind="stable")[::-1]
    first[node[by_step]] = by_step
    parent = parents(calls, node, count)
    position = sums(node, among, count) / np.maximum(there, 1)
    found = np.flatnonzero(kept)[1:]
    children: list[list[int]] = [[] for _ in range(int(kept.sum()))]
    for at in found[np.lexsort((found, position[found]))].tolist():
        children[place[parent[at]]].append(int(place[at]))
    texts = model.values("host", "input_shapes")
    shown = first[found]
    return Positions(
        children=children,
        label=[(-1, "", ""), *(calls.labels[at] for at in calls.label[shown].tolist())],
        backward=[False, *calls.backward[shown].tolist()],
        occurrence=[1, *(occurrence[shown] + 1).tolist()],
        shapes=["", *(texts[at] if at >= 0 else "" for at in calls.shapes[shown].tolist())],
        cells=cells_of(
            calls,
            used,
            np.where(kept[node], place[node], -1),
            len(found) + 1,
            figures_of(model),
        ),
    )


def numbered(calls: Calls, steps: int) -> tuple[Rows, Rows, Rows]:
    """Return the position of every node, and which one it is of its siblings; shape (nodes,).

    Returns
    -------
    position : ndarray of int64
        From 1; 0 is the step. Positions are in the order of their levels, parents, labels and
        occurrences, which does not depend on what else is there.
    occurrence : ndarray of int64
        Which one it is of its siblings with its label, from 0.
    among : ndarray of int64
        Which one it is of all its siblings, from 0.
    """
    label = _common_labels(calls)
    inside = np.where(calls.parent >= 0, calls.parent + steps, calls.step)
    occurrence = _rank(inside, label, calls.order)
    node = _numbered(calls, label, occurrence)
    return node, occurrence, _rank(inside, inside, calls.order)


def figures_of(model: TraceModel) -> tuple[str, ...]:
    """Return the sides that the times of a trace are of: device, if it has any work, and host."""
    return ("device", "host") if has_device(model) else ("host",)


def parents(calls: Calls, node: Rows, count: int) -> Rows:
    """Return the position around each position, -1 around the step; shape (positions,)."""
    parent = np.full(count, -1, np.int64)
    parent[node] = np.where(calls.parent >= 0, node[calls.parent], 0) if len(node) else node
    return parent


def _common_labels(calls: Calls) -> Rows:
    """Return the rank of the label of every node by kind and common text."""
    common = [label[:2] for label in calls.labels]
    rank = {label: at for at, label in enumerate(sorted(set(common)))}
    return (
        np.array([rank[label] for label in common], np.int64)[calls.label] if rank else calls.label
    )


def _rank(inside: Rows, label: Rows, order: Rows) -> Rows:
    """Return the number of nodes with the same parent and label before each, shape (nodes,)."""
    rank = np.empty(len(order), np.int64)
    if len(order) == 0:
        return rank
    by = np.lexsort((order, label, inside))
    new = np.append(True, (inside[by][1:] != inside[by][:-1]) | (label[by][1:] != label[by][:-1]))
    start = np.flatnonzero(new)
    rank[by] = np.arange(len(by)) - np.repeat(start, np.diff(np.append(start, len(by))))
    return rank


def _numbered(calls: Calls, label: Rows, occurrence: Rows) -> Rows:
    """Return the number of the position of every node, from 1; 0 is the step."""
    node = np.zeros(len(label), np.int64)
    count = 1
    for rows in levels_of(calls.parent):
        if len(rows) == 1:  # as most levels of a very deep tree
            node[rows] = count
            count += 1
            continue
        above = np.where(calls.parent[rows] >= 0, node[calls.parent[rows]], 0)
        group, first = dense(above, label[rows], occurrence[rows])
        node[rows] = count + group
        count += len(first)
    return node


def cells_of(
    calls: Calls, used: UsedSteps, place: Rows, rows: int, sides: tuple[str, ...]
) -> Cells:
    """Return the times of every position in every step, of the sides that were recorded."""
    steps = used.count
    forest = Forest.of(
        np.append(
            np.where(calls.parent >= 0, calls.parent, len(place) + calls.step), np.full(steps, -1)
        )
    )
    own = {
        "host_self_us": np.append(calls.host_ns, calls.root_ns),
        "device_self_us": np.append(calls.device_ns, np.zeros(steps, np.int64)),
    }
    backward = np.append(calls.backward, np.zeros(steps, bool))
    values: dict[str, Any] = {}
    for side in sides:
        alone = own[f"{side}_self_us"].astype(np.float64)
        values[f"{side}_us"] = forest.totals(alone) / NS_PER_US
        values[f"backward_{side}_us"] = forest.totals(np.where(backward, alone, 0.0)) / NS_PER_US
        values[f"{side}_self_us"] = alone / NS_PER_US
    # Device work is a node of its own: what an operator launched itself is that of its children.
    if "device" in sides:
        launched = np.zeros(len(place) + steps)
        is_work = np.flatnonzero(calls.device_ns > 0)
        np.add.at(launched, forest.parent[is_work], calls.device_ns[is_work] / NS_PER_US)
        values["device_self_us"] = values["device_self_us"] + launched
    values["calls"] = np.ones(len(place) + steps)
    return Cells.summed(
        [(at,) for at in range(rows)],
        np.append(place, np.zeros(steps, np.int64)),
        np.append(calls.step, np.arange(steps)),
        values,
        steps=steps,
        complete=used.complete,
    )
