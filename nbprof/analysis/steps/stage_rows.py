"""The host rows that make up the stages of a step, and the stages that a recording has.

Paddle records stages itself. For PyTorch they are derived from its records of data loaders,
optimizers, the autograd engine and operators. Inference has no backward pass and no optimizer; its
stages are prefill and decode, if an engine's labels distinguish them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.names.name_tests import starts
from nbprof.model.names.roles import (
    AUTOGRAD,
    data_loader_rows,
    innermost_operators,
    named,
    operator_rows,
    rows_of_kinds,
)
from nbprof.model.steps.batch_labels import BATCHES, batch_rows
from nbprof.model.steps.training import is_inference
from nbprof.model.trace import kinds
from nbprof.model.trace.event_types import STAGE_OF_TYPE, rows_of_types

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: All stages in the order of a step, which is the order of rows.
STAGES: Final = (
    "DataLoader",
    "Prefill",
    "Decode",
    "Mixed",
    "Forward",
    "Backward",
    "Optimization",
    "Other",
)
OTHER: Final = STAGES.index("Other")
#: Priority: a moment in several stages counts for the first of these.
PRIORITY: Final = tuple(
    STAGES.index(name) for name in ("DataLoader", "Optimization", "Backward", *BATCHES, "Forward")
)

#: The stages of training, and the minimum stages of inference.
_TRAINING: Final = ("DataLoader", "Forward", "Backward", "Optimization", "Other")
_INFERENCE: Final = ("DataLoader", "Forward", "Other")

_OPTIMIZER: Final = ("Optimizer.step#", "Optimizer.zero_grad#")


def stages_of(model: TraceModel) -> list[int]:
    """Return the stages of a recording by index in `STAGES`; no time counts for any other.

    These are the stages of training, also if it is unknown whether a recording is of training. For
    inference they are the forward pass and, if labels mark batches, prefill, decode and mixed.
    """
    if model.capabilities.event_types or not is_inference(model):
        return [STAGES.index(name) for name in _TRAINING]
    labelled = any(len(stage_rows(model)[STAGES.index(name)]) for name in BATCHES)
    names = (*_INFERENCE, *(BATCHES if labelled else ()))
    return sorted(STAGES.index(name) for name in names)


def stage_rows(model: TraceModel) -> dict[int, Rows]:
    """Return the host rows of each stage except Other sorted by start, by index in `STAGES`.

    Paddle: events of the stage types on the thread of the steps, the outermost of each step. Other
    ranges between such an event and its step are ignored, so a user range around a step hides
    nothing.

    PyTorch: ranges recorded by data loaders and optimizers, and those of the autograd engine, on
    all threads. Without the latter, the backward pass is the outermost operators of threads other
    than the step's. The outermost operators of the step's own thread are the forward pass.

    Inference: ranges recorded by data loaders and labels of prefill, decode or mixed batches, on
    all threads; the forward pass is the outermost operators of the step's thread.
    """
    return model.cached("stage rows", lambda: _find_stage_rows(model))


def _find_stage_rows(model: TraceModel) -> dict[int, Rows]:
    masks = _recorded_stages(model) if model.capabilities.event_types else _stages_by_ranges(model)
    start = model.column("host", "start_ns")
    rows_of = {stage: np.empty(0, np.int64) for stage in PRIORITY}
    for stage, mask in masks.items():
        rows = np.flatnonzero(mask)
        rows_of[stage] = rows[np.argsort(start[rows], kind="stable")]
    return rows_of


def _recorded_stages(model: TraceModel) -> dict[int, Mask]:
    is_stage = rows_of_types(model, *STAGE_OF_TYPE)
    is_step = model.column("host", "kind") == kinds.STEP
    above = nearest_ancestor(model.nesting.parent, is_stage | is_step)
    if model.steps.recorded:
        outermost = is_stage & (above >= 0)
        outermost[outermost] = is_step[above[outermost]]
    else:
        outermost = is_stage & (above < 0)
        outermost &= _on_threads(
            model, _first_thread(model, rows_of_types(model, "Forward"), outermost)
        )
    return {
        STAGES.index(stage): outermost & rows_of_types(model, kind)
        for kind, stage in STAGE_OF_TYPE.items()
    }


def _stages_by_ranges(model: TraceModel) -> dict[int, Mask]:
    top = operator_rows(model) & (innermost_operators(model) < 0)
    here = _on_step_thread(model, top)
    rows_of = {"DataLoader": data_loader_rows(model), "Forward": here}
    rows_of |= batch_rows(model) if is_inference(model) else _training_stages(model, top & ~here)
    return {STAGES.index(stage): mask for stage, mask in rows_of.items()}


def _training_stages(model: TraceModel, elsewhere: Mask) -> dict[str, Mask]:
    ranges = rows_of_kinds(model, "host", kinds.OPERATOR, kinds.ANNOTATION)
    optimizer = named(model, "host", starts(*_OPTIMIZER)) & ranges
    backward = named(model, "host", starts(AUTOGRAD)) & ranges
    return {"Optimization": optimizer, "Backward": backward if backward.any() else elsewhere}


def _on_step_thread(model: TraceModel, chosen: Mask) -> Mask:
    """Return which of the given host rows are on the thread of the step they are in.

    A synthetic step is on all threads. Rows between steps belong to the next step, as they may
    reach into it.
    """
    steps = model.steps
    if not steps.recorded or (steps.row < 0).any():
        return chosen
    rows = np.flatnonzero(chosen)
    start, thread = (model.column("host", name)[rows] for name in ("start_ns", "thread"))
    index = np.searchsorted(steps.host_start_ns, start, side="right") - 1
    between = (index < 0) | (start >= steps.host_end_ns[np.maximum(index, 0)])
    index = np.minimum(index + between, len(steps.row) - 1)
    on = model.column("host", "thread")[steps.row][index] == thread
    if len(np.unique(model.column("host", "thread")[steps.row])) > 1:
        is_step = model.column("host", "kind") == kinds.STEP
        on |= nearest_ancestor(model.nesting.parent, is_step)[rows] >= 0
    is_on_thread = np.zeros(len(chosen), bool)
    is_on_thread[rows[on]] = True
    return is_on_thread


def _first_thread(model: TraceModel, *choices: Mask) -> Rows:
    """Return the thread of the earliest row of the first choice that has any row."""
    for mask in choices:
        rows = np.flatnonzero(mask)
        if len(rows):
            first = rows[np.argmin(model.column("host", "start_ns")[rows])]
            return model.column("host", "thread")[first : first + 1].astype(np.int64)
    return np.empty(0, np.int64)


def _on_threads(model: TraceModel, threads: Rows) -> Mask:
    """Return which host rows are on given threads."""
    wanted = np.zeros(model.tables["threads"].num_rows, bool)
    wanted[threads] = True
    on: Mask = wanted[model.column("host", "thread")]
    return on
