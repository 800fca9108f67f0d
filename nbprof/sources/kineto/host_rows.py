"""Converts host events to columns: operators, annotations, steps, runtime calls, Python frames."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds
from nbprof.sources.chrome.columns import Integers, integers
from nbprof.sources.chrome.dictionaries import CodeArray, JsonTexts, Stacks
from nbprof.sources.chrome.events import Args
from nbprof.sources.kineto import categories

if TYPE_CHECKING:
    from nbprof.sources.chrome.batch import Batch, Context, Pieces

_get_stack = attrgetter("call_stack")


class HostRows:
    """Collects the pieces of the host table."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.pieces: list[Pieces] = []
        self.shapes = JsonTexts(context.defects)
        self.types = JsonTexts(context.defects)
        self.values = JsonTexts(context.defects)
        self.stacks = Stacks()

    def add(self, batch: Batch) -> None:
        """Add the host slices among events, reading only the fields that each kind has."""
        calls = batch.roles == kinds.RUNTIME
        frames = batch.roles == kinds.PYTHON
        labels = (batch.roles < categories.DEVICE) & ~(calls | frames)
        for mask, fields in (
            (labels, self._of_operators),
            (calls, _of_calls),
            (frames, self._of_frames),
        ):
            if mask.any():
                part = batch.select(mask)
                self.pieces.append({**self._common(part), **fields(part)})

    def _common(self, batch: Batch) -> Pieces:
        return {
            "order": batch.order,
            "name": batch.names,
            "kind": batch.roles.astype(np.int8),
            "thread": self._context.thread_rows(batch),
            "start_ns": batch.start,
            "duration_ns": self._context.durations(batch),
        }

    def _of_operators(self, batch: Batch) -> Pieces:
        args = batch.args
        self._context.keep_collectives(batch, "host")
        shapes = self.shapes.encode_field(args, "input_shapes")
        without = np.flatnonzero(shapes < 0)
        if len(without):
            others = [args[row] for row in without.tolist()]
            shapes[without] = self.shapes.encode_field(others, "input_shapes_old")
        return {
            "module_id": module_ids(batch.roles),
            "external_id": external_ids(batch),
            "sequence": integers(args, "sequence"),
            "forward_thread": integers(args, "forward_thread"),
            "input_shapes": shapes,
            "input_types": self.types.encode_field(args, "input_types"),
            "input_values": self.values.encode_field(args, "input_values"),
            "call_stack": self._stacks(batch),
        }

    def _of_frames(self, batch: Batch) -> Pieces:
        module = integers(batch.args, "module_id")
        kind = np.where(module >= 0, kinds.MODULE, kinds.PYTHON).astype(np.int8)
        return {
            "kind": kind,
            "python_id": integers(batch.args, "python_id"),
            "python_parent": integers(batch.args, "python_parent"),
            "module_id": module,
            "call_stack": self._stacks(batch),
        }

    def _stacks(self, batch: Batch) -> CodeArray:
        return self.stacks.encode(map(_get_stack, batch.args), len(batch))


def module_ids(roles: npt.NDArray[np.int16]) -> Integers:
    """Return the numbers of labels that are modules by their names, -1 for all others.

    Lightning's modules have no numbers, so their names are kept whole.
    """
    return np.where(roles == kinds.MODULE, 0, -1)


def external_ids(batch: Batch) -> Integers:
    """Return the external ids, under either spelling of their key."""
    ids = integers(batch.args, "external_id")
    if (ids < 0).any():
        return np.where(ids < 0, integers(batch.args, "external_id_old"), ids)
    return ids


def _of_calls(batch: Batch) -> Pieces:
    correlation = integers(batch.args, "correlation")
    if (correlation < 0).any() and isinstance(batch.args[0], Args):
        other = integers(batch.args, "correlation_id")
        correlation = np.where(correlation < 0, other, correlation)
    return {"external_id": external_ids(batch), "correlation": correlation}
