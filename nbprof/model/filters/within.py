"""Applies the field ``within`` of a filter: selects work launched inside host slices by name.

Host slices whose name matches are *scopes*. A host row passes if it is a scope, or lies in one on
its thread by time, or is or lies in an operator of the backward pass whose forward operator passes.
Device rows and memory records pass with the host row that they come from. Time decides, not
nesting, so ranges that cross frames keep everything called in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.filters.filter import exact_name
from nbprof.model.filters.patterns import match_names
from nbprof.model.links.backward import linked_forward_rows
from nbprof.model.links.module_tree import module_label
from nbprof.model.lookup import rows_of_values
from nbprof.model.names.roles import rows_of_kinds
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Steps are annotations in the file, and parts of operators are ranges too. Runtime calls are not
#: included.
_SCOPES: Final = (
    kinds.OPERATOR,
    kinds.ANNOTATION,
    kinds.STEP,
    kinds.PHASE,
    kinds.MODULE,
    kinds.PYTHON,
)
#: Number of texts whose results are kept.
_KEPT: Final = 3


@dataclass(frozen=True)
class Within:
    """Masks of the rows that pass.

    Attributes
    ----------
    host : ndarray of bool, shape (host rows,)
        Rows of the host table.
    device : ndarray of bool, shape (device rows,)
        Rows of the device table.
    """

    host: Mask
    device: Mask

    @classmethod
    def of(cls, model: TraceModel, text: str) -> Within:
        """Return the rows that pass a filter's ``within``; the last few results are kept."""
        holder: list[dict[str, Within]] = model.cached("within", lambda: [{}])
        kept = holder[0]
        if text not in kept:
            host = _host_rows(model, text)
            within = cls(host, _device_rows(model, host))
            # Replaced as a whole, so that threads never see it half changed.
            holder[0] = {**dict(list(kept.items())[-_KEPT + 1 :]), text: within}
            return within
        return kept[text]


def match_within(texts: Sequence[str | None], within: str) -> Mask:
    """Return which names a ``within`` matches.

    Modules match with or without the prefix that marks their names as those of modules.

    Raises
    ------
    FilterError
        The regular expression cannot be compiled.
    """
    name = exact_name(within)
    if name is None:
        return match_names(texts, within)
    return np.array(
        [text is not None and name in (text, module_label(text)) for text in texts], bool
    )


def sourceless_rows(model: TraceModel) -> Mask:
    """Return which device rows have neither launch nor operator, shape (device rows,).

    Their origin is unknown, so no ``within`` keeps them.
    """
    links = model.links
    return model.cached("sourceless rows", lambda: (links.launch < 0) & (links.operator < 0))


def _host_rows(model: TraceModel, text: str) -> Mask:
    matches = np.append(match_within(model.values("host", "name"), text), False)
    is_match = matches.take(model.column("host", "name"), mode="wrap")  # no name: the last one
    passes = np.zeros(len(is_match), bool)
    may = model.cached("rows that may be scopes", lambda: rows_of_kinds(model, "host", *_SCOPES))
    _mark_inside(model, passes, np.flatnonzero(is_match & may))
    backward, forward = model.cached("backward and forward rows", lambda: _backward_links(model))
    # A backward pass may have a backward pass itself, so repeat until no row is added.
    while len(reached := backward[passes[forward] & ~passes[backward]]):
        _mark_inside(model, passes, reached)
    return passes


def _backward_links(model: TraceModel) -> tuple[Rows, Rows]:
    """Return the operators of the backward pass, and the forward operator of each."""
    forward = linked_forward_rows(model)
    backward = np.flatnonzero(forward >= 0)
    return backward, forward[backward]


def _device_rows(model: TraceModel, host: Mask) -> Mask:
    of_host = np.append(host, False)  # -1 is the last one
    passes: Mask = of_host.take(model.links.launch, mode="wrap")
    rows, operator = model.cached("device rows of operators", lambda: _requested_rows(model))
    passes[rows] |= host[operator]
    return passes


def _requested_rows(model: TraceModel) -> tuple[Rows, Rows]:
    """Return the device rows that pass with their operator, and that operator.

    These rows have no launch, or a launch on another thread that makes the calls which operators
    queue.
    """
    launch, operator = model.links.launch, model.links.operator
    thread = np.append(model.column("host", "thread"), -1)
    rows = np.flatnonzero((operator >= 0) & (thread[launch] != thread[operator]))
    return rows, operator[rows]


def _mark_inside(model: TraceModel, passes: Mask, scopes: Rows) -> None:
    """Mark host rows, and all rows that lie in one of them on its thread, as passing.

    Scopes inside another scope are skipped. Starts and ends of the others both ascend, so rows
    between the starts of two neighbours can only lie in the first.
    """
    passes[scopes] = True
    thread, start = (model.column("host", name) for name in ("thread", "start_ns"))
    duration = model.column("host", "duration_ns")
    tails = model.cached("ends of threads", lambda: np.cumsum(np.bincount(thread)))
    for number, places in rows_of_values(thread[scopes]).items():
        head = int(tails[number - 1]) if number else 0
        began = start[head : tails[number]]
        here = scopes[places]
        low, high = start[here], start[here] + duration[here]
        latest = np.maximum.accumulate(high)
        outermost = np.append(True, high[1:] > latest[:-1])
        low, high = low[outermost], high[outermost]
        first = np.searchsorted(began, low)
        last = np.searchsorted(began, np.minimum(high, np.append(low[1:], high[-1:])))
        count = np.maximum(last - first, 0)
        shift = head + first - (np.cumsum(count) - count)
        rows = np.arange(int(count.sum())) + np.repeat(shift, count)
        inside = start[rows] + duration[rows] <= np.repeat(high, count)
        passes[rows[inside]] = True
