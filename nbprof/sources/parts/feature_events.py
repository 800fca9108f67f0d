"""Keeps one event for each property of the recording, such as call stacks or a backward pass.

Tables depend on whether call stacks were recorded, which devices did any work, and how batches were
loaded. So that a part of a file gives the same tables, one event for each such property is kept,
wherever it is in the file.
"""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.names.roles import AUTOGRAD, is_training, is_training_kernel
from nbprof.model.steps.batch_labels import BATCHES, batch_hint
from nbprof.model.trace import kinds
from nbprof.sources.chrome.columns import integers
from nbprof.sources.kineto import categories

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.sources.chrome.batch import Batch
    from nbprof.sources.chrome.dictionaries import Names

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Properties that names show, see `_feature_of_name`.
_COMMUNICATES: Final = 2
_TRAINS: Final = 6
#: Properties of inference batches, which labels show; from 7 on.
_BATCHES: Final = (*(None,) * 7, *((by, one) for by in ("label", "word") for one in BATCHES))

#: Text of a window in which a call stack, or a link to a forward thread, may occur.
_STACK: Final = re.compile(rb'"Call stack"\s*:\s*(?:"[^"]|\[)')
_BACKWARD: Final = re.compile(rb'"Fwd thread id"\s*:\s*"?[1-9]')


class FeatureEvents:
    """Selects the first event for each property of the recording.

    Parameters
    ----------
    names : Names
        The dictionary of the names of all events.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._telling = np.zeros(0, np.int8)
        self._told: set[tuple[int, bool]] = set()
        self._stack_seen = self._backward_seen = self._blocks_seen = False
        self._pids_seen: set[Any] = set()
        #: Whether an operator has been seen.
        self.knows_operators = False

    def knows_device(self, pid: Any) -> bool:
        """Return whether device work of a process has been seen."""
        return pid in self._pids_seen

    def needs_full_decoding(self, text: bytes) -> bool:
        """Whether a window may hold the first event that shows some property."""
        return (
            (not self._stack_seen and _STACK.search(text) is not None)
            or (not self._backward_seen and _BACKWARD.search(text) is not None)
            or (not self._blocks_seen and b'"blocks per SM"' in text)
        )

    def needs(self, name: str, *, on_device: bool) -> bool:
        """Whether an event of this name may show a property that was not seen yet."""
        tells = _feature_of_name(name)
        if not tells:
            return False
        # Only communication and training also show in the names of device work.
        both = on_device and tells in (_COMMUNICATES, _TRAINS)
        return (tells, False) not in self._told or (both and (tells, True) not in self._told)

    def first_rows(self, batch: Batch, rows: Rows) -> Mask:
        """Return a mask of the rows that are the first to show some property, shape (rows,).

        Properties are call stacks, backward passes, each device, and those that names show.
        """
        is_first = np.zeros(len(rows), bool)
        on_device = np.flatnonzero(batch.roles[rows] >= categories.DEVICE)
        pids = [event.pid for event in values_of_rows(batch.events, rows[on_device])]
        for pid in set(pids) - self._pids_seen:
            is_first[on_device[pids.index(pid)]] = True
            self._pids_seen.add(pid)
        self._add_named_features(batch, rows, is_first)
        if not self.knows_operators:
            operators = np.flatnonzero(batch.roles[rows] == kinds.OPERATOR)
            self.knows_operators = len(operators) > 0
            is_first[operators[:1]] = True
        if len(on_device) and not self._blocks_seen:
            blocks = [one.blocks_per_sm for one in values_of_rows(batch.args, rows[on_device])]
            at = next((i for i, one in enumerate(blocks) if one == one and one), -1)  # noqa: PLR0124
            self._blocks_seen = at >= 0
            is_first[on_device[at]] |= at >= 0
        if self._stack_seen and self._backward_seen:
            return is_first
        args = values_of_rows(batch.args, rows)
        if not self._stack_seen and len(rows):
            at = next((i for i, one in enumerate(args) if one.call_stack), -1)
            self._stack_seen = at >= 0
            is_first[at] |= self._stack_seen
        if not self._backward_seen and len(rows):
            backward = integers(args, "forward_thread") > 0
            self._backward_seen = bool(backward.any())
            is_first[backward.argmax()] |= self._backward_seen
        return is_first

    def _add_named_features(self, batch: Batch, rows: Rows, found: Mask) -> None:
        """Add the first rows whose names show how batches were loaded or work was distributed."""
        fresh = self._names.texts[len(self._telling) :]
        if fresh:
            known = np.fromiter(map(_feature_of_name, fresh), np.int8, len(fresh))
            self._telling = np.concatenate([self._telling, known])
        tells = self._telling[batch.names[rows]]
        some = np.flatnonzero(tells)
        on_device = batch.roles[rows[some]] >= categories.DEVICE
        for at, one in zip(
            some.tolist(), zip(tells[some].tolist(), on_device.tolist(), strict=True), strict=True
        ):
            if one not in self._told:
                self._told.add(one)
                found[at] = True


def values_of_rows(values: Sequence[Any], rows: Rows) -> Sequence[Any]:
    """Return the values at some rows."""
    if len(rows) < 2:
        return [values[row] for row in rows.tolist()]
    return itemgetter(*rows.tolist())(values)  # type: ignore[no-any-return]


def _feature_of_name(name: str) -> int:
    """Return the number of the property that the name of an event shows, 0 for none.

    1 is data loading by processes, 2 communication, 3 and 4 are DataParallel and
    DistributedDataParallel, 5 is a backward pass named by the autograd engine, 6 any other work
    that only training has, and from 7 on are batches of inference.
    """
    if name.startswith(AUTOGRAD):
        return 5
    if "_MultiProcessing" in name:
        return 1
    if "nccl" in name.lower():
        return _COMMUNICATES
    wrapper = {"DataParallel.forward": 3, "DistributedDataParallel.forward": 4}.get(name, 0)
    if wrapper:
        return wrapper
    if is_training(name) or is_training_kernel(name):
        return _TRAINS
    batch = batch_hint(name)
    return 0 if batch is None else _BATCHES.index(batch)
