"""Adds to a part of a trace the host rows and flows that its tables depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.links.backward import forward_rows
from nbprof.model.links.call_stacks import stack_sources
from nbprof.model.links.launches import LAUNCH_FLOW, flow_codes, match_pairs
from nbprof.model.links.lost_launches import captures
from nbprof.model.links.nesting import first_rows_from, nearest_ancestor
from nbprof.model.links.overhead import overhead_in_calls
from nbprof.model.lookup import distinct
from nbprof.model.names.name_tests import starts
from nbprof.model.names.roles import (
    AUTOGRAD,
    innermost_operators,
    named,
    operator_rows,
    rows_of_kinds,
)
from nbprof.model.steps.steps import step_at
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class HostRows:
    """A growing set of host rows that a part of a trace contains.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of bool, shape (host rows,)
        Those to begin with.

    Attributes
    ----------
    rows : ndarray of bool, shape (host rows,)
        The rows in the set.
    inside : ndarray of bool, shape (host rows,)
        Rows that are in the set together with everything inside them.
    """

    def __init__(self, model: TraceModel, rows: Mask) -> None:
        self._model = model
        self.rows = rows.copy()
        self.inside = np.zeros(len(rows), bool)

    def add_rows(self, rows: Rows) -> None:
        """Add rows by number."""
        self.rows[rows] = True

    def add_with_inside(self, outer: Mask) -> None:
        """Add rows and all rows that lie inside them or begin in them on their thread."""
        if outer.any():
            self.inside |= outer | (nearest_ancestor(self._model.nesting.parent, outer) >= 0)
            self.inside |= self._begun_in(outer)
            self.rows |= self.inside

    def _begun_in(self, outer: Mask) -> Mask:
        """Return the rows that begin inside others on their thread: device work counts there."""
        model, rows = self._model, np.flatnonzero(outer)
        thread, start = model.column("host", "thread"), model.column("host", "start_ns")
        end = start[rows] + model.column("host", "duration_ns")[rows]
        change = np.zeros(len(start) + 1, np.int64)
        np.add.at(change, first_rows_from(thread, start, rows, start[rows]), 1)
        np.add.at(change, first_rows_from(thread, start, rows, end), -1)
        begun: Mask = np.cumsum(change[:-1]) > 0
        return begun

    def add_forward(self) -> None:
        """Add the forward operators of the backward pass, which locate it in the program."""
        forward = forward_rows(self._model)[self.rows]
        self.add_rows(forward[forward >= 0])
        self.add_rows(stack_sources(self._model)[self.rows])

    def add_overhead(self) -> None:
        """Add the profiler's own work in calls of the set, from whose time it is taken."""
        own, calls = overhead_in_calls(self._model)
        known = calls >= 0
        self.add_rows(own[known][self.rows[calls[known]]])

    def add_captures(self) -> None:
        """Add the calls between which a graph is captured: launches there have no work."""
        if self.rows.any():
            self.add_rows(captures(self._model))

    def add_updates(self) -> None:
        """Add the optimizer's ranges of steps with rows in the set, and what is before each.

        Operators between a backward pass and the optimizer's step belong to the latter.
        """
        model = self._model
        start, steps = model.column("host", "start_ns"), model.steps
        ranges = rows_of_kinds(model, "host", kinds.OPERATOR, kinds.ANNOTATION)
        updates = np.flatnonzero(ranges & named(model, "host", starts("Optimizer.")))
        if not len(updates):
            return
        own = step_at(steps.host_start_ns, steps.host_end_ns, start[updates])
        mine = step_at(steps.host_start_ns, steps.host_end_ns, start[self.rows])
        updates = updates[np.isin(own, mine[mine >= 0])]
        backward = np.flatnonzero(ranges & named(model, "host", starts(AUTOGRAD)))
        backward = backward[np.argsort(start[backward], kind="stable")]
        place = np.searchsorted(start[backward], start[updates]) - 1
        self.add_rows(np.concatenate([updates, backward[place[place >= 0]]]))

    def close(self) -> None:
        """Add all rows that determine how rows nest and link, until none is missing."""
        same_id = self._of_same_id()
        before = -1
        while before != (before := int(self.rows.sum())):
            self._add_ancestors()
            self._add_operators_of_same_id(*same_id)
            self._add_second_children()

    def _add_ancestors(self) -> None:
        parent = self._model.nesting.parent
        rows = np.flatnonzero(self.rows)
        while len(rows):
            above = np.unique(parent[rows])
            rows = above[above >= 0]
            rows = rows[~self.rows[rows]]
            self.rows[rows] = True

    def _of_same_id(self) -> tuple[Rows, Rows]:
        """Return operators grouped by thread and External id, and the size of each group.

        Only for ids shared by several operators of a thread, which is rare.
        """
        model = self._model
        external, thread = model.column("host", "external_id"), model.column("host", "thread")
        rows = np.flatnonzero(operator_rows(model) & (external > 0))
        rows = rows[np.lexsort((rows, thread[rows], external[rows]))]
        new = np.ones(len(rows), bool)
        new[1:] = (external[rows[1:]] != external[rows[:-1]]) | (
            thread[rows[1:]] != thread[rows[:-1]]
        )
        group = np.cumsum(new) - 1
        several = np.bincount(group)[group] > 1 if len(rows) else new
        return rows[several], group[several]

    def _add_operators_of_same_id(self, rows: Rows, group: Rows) -> None:
        """Add operators that start inside one with their id: calls link to the last one."""
        if len(rows) == 0:
            return
        start = self._model.column("host", "start_ns")[rows]
        end = start + self._model.column("host", "duration_ns")[rows]
        # Groups lie end to end on one axis; ranks instead of times keep it far from overflow.
        moments = distinct(np.concatenate([start, end]))
        shift = group * (len(moments) + 1)
        start, end = (np.searchsorted(moments, times) + 1 + shift for times in (start, end))
        reach = np.maximum.accumulate(np.where(self.rows[rows], end, shift))
        self.rows[rows[1:][start[1:] < reach[:-1]]] = True

    def _add_second_children(self) -> None:
        """Add a second child to each operator that would be left with one.

        An only child with its parent's name would be merged with the parent into one call.
        """
        is_operator = operator_rows(self._model)
        above = innermost_operators(self._model)
        inside = np.flatnonzero(is_operator & (above >= 0))
        children = np.bincount(above[inside], minlength=len(above))
        kept = np.bincount(above[inside[self.rows[inside]]], minlength=len(above))
        short = self.rows & (children > 1) & (kept == 1)
        others = inside[short[above[inside]] & ~self.rows[inside]]
        _, first = np.unique(above[others], return_index=True)
        self.rows[others[first]] = True


def arrows(model: TraceModel, inside: Mask, device: Mask) -> Mask:
    """Return which ends of flow arrows to keep, always all ends of an arrow.

    Parameters
    ----------
    model : TraceModel
        The trace.
    inside : ndarray of bool, shape (flows,)
        Ends within the range.
    device : ndarray of bool, shape (device rows,)
        Device rows whose arrows are kept in any case.
    """
    count = len(inside)
    if count == 0:
        return inside
    times, tids, ids = (model.column("flows", name) for name in ("time_ns", "tid", "id"))
    rows = np.flatnonzero(device)
    start, stream = (model.column("device", name)[rows] for name in ("start_ns", "stream"))
    kept = inside | (match_pairs((start, stream), (times, tids), rows) >= 0)
    _, number = np.unique(ids, return_inverse=True)
    # Ids are unique within a category only.
    several = len(model.values("flows", "category"))
    arrow = number * several + model.column("flows", "category")
    wanted = np.zeros(several * count, bool)
    wanted[arrow[kept]] = True
    is_arrow: Mask = wanted[arrow]
    return is_arrow


def at_heads(model: TraceModel, flows: Mask) -> Rows:
    """Return the host rows that start where launch arrows do, as substitutes for lost launches."""
    heads = np.flatnonzero(
        flows & _is_launch(model) & flow_codes(model, "phase", "s")[model.column("flows", "phase")]
    )
    if len(heads) == 0:
        return np.empty(0, np.int64)
    times, tids = (model.column("flows", name)[heads] for name in ("time_ns", "tid"))
    tid = model.column("threads", "tid")[model.column("host", "thread")]
    starts = model.column("host", "start_ns")
    return np.flatnonzero(match_pairs((times, tids), (starts, tid), heads) >= 0)


def _is_launch(model: TraceModel) -> Mask:
    is_launch = flow_codes(model, "category", LAUNCH_FLOW)[model.column("flows", "category")]
    is_launch_: Mask = is_launch
    return is_launch_
