"""The host rows that make up the stages of a step, and the stages that a recording has.

Paddle records stages itself. For PyTorch they are derived from its records of data loaders,
optimizers, the autograd engine and operators. Inference has no backward pass and no optimizer; its
stages are prefill and decode, if an engine's labels distinguish them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.links.nesting import first_rows_from, nearest_ancestor
from nbprof.model.names.name_tests import starts
from nbprof.model.names.roles import (
    AUTOGRAD,
    data_loader_rows,
    innermost_operators,
    is_wrapper,
    named,
    operator_rows,
    rows_of_kinds,
)
from nbprof.model.steps.batch_labels import BATCHES, batch_rows
from nbprof.model.steps.steps import step_at
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
OPTIMIZATION: Final = STAGES.index("Optimization")
#: Priority: a moment in several stages counts for the first of these.
PRIORITY: Final = tuple(
    STAGES.index(name) for name in ("DataLoader", "Optimization", "Backward", *BATCHES, "Forward")
)

#: The stages of training, and the minimum stages of inference.
_TRAINING: Final = ("DataLoader", "Forward", "Backward", "Optimization", "Other")
_INFERENCE: Final = ("DataLoader", "Forward", "Other")

_UPDATE: Final = "Optimizer.step#"
_OPTIMIZER: Final = (_UPDATE, "Optimizer.zero_grad#")
#: The operator by which `loss.backward()` makes the gradient of the loss, before the engine runs.
_FIRST_GRADIENT: Final = "aten::ones_like"
_NEVER: Final = np.iinfo(np.int64).max


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
    than the step's. The outermost operators of the step's own thread are the forward pass. Those
    between a backward pass and the optimizer's step that follows it in the same step (clipping and
    unscaling of gradients) are of the optimization; so are those between the last backward pass of
    a step and a later `zero_grad`, as the optimizer's step may have been skipped. Where nothing of
    the optimizer follows, as after the last update or in a step that only accumulates gradients,
    operators stay in the forward pass: they may be metrics, an evaluation or copies of the next
    batch.

    An optimizer's step may call a closure that runs both passes (see `closures`). In it, operators
    up to the end of its last backward pass are the forward pass, later ones the optimization.
    Annotations inside it count whole if they hold one of the passes.

    Inference: ranges recorded by data loaders and labels of prefill, decode or mixed batches, on
    all threads; the forward pass is the outermost operators of the step's thread.
    """
    return model.cached("stage rows", lambda: _find_stage_rows(model))


def _find_stage_rows(model: TraceModel) -> dict[int, Rows]:
    masks = {}
    if model.capabilities.event_types:
        masks = _recorded_stages(model)
    elif model.capabilities.stages:
        masks = _stages_by_ranges(model)
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
    rows_of |= batch_rows(model) if is_inference(model) else _training_stages(model, top, here)
    return {STAGES.index(stage): mask for stage, mask in rows_of.items()}


def closures(model: TraceModel) -> Rows:
    """Return the optimizer's steps that call a closure with a backward pass, in order of rows.

    LBFGS and Lightning pass `Optimizer.step` a function that runs the forward and the backward
    pass. These rows are of the optimization, but only where nothing else is: they are not among
    its `stage_rows`.
    """
    return model.cached("closures of optimizers", lambda: _find_closures(model))


def _find_closures(model: TraceModel) -> Rows:
    if model.capabilities.event_types or is_inference(model):
        return np.empty(0, np.int64)
    ranges = rows_of_kinds(model, "host", kinds.OPERATOR, kinds.ANNOTATION)
    backward = named(model, "host", starts(AUTOGRAD)) & ranges
    update = _on_step_thread(model, named(model, "host", starts(_UPDATE)) & ranges)
    # An optimizer's step inside the backward pass updates while others still run.
    rows = np.flatnonzero(update & (nearest_ancestor(model.nesting.parent, backward) < 0))
    start, end = _times(model, rows)
    return rows[Passes.of(model, backward).begin_in(start, end)]


@dataclass(frozen=True)
class Passes:
    """When backward passes run on any thread.

    Attributes
    ----------
    start_ns, until_ns : ndarray of int64, shape (rows of the backward pass,)
        Start of each row, sorted, and the last end of the rows up to it.
    """

    start_ns: Rows
    until_ns: Rows

    @classmethod
    def of(cls, model: TraceModel, backward: Mask) -> Passes:
        """Return when the given host rows run."""
        start, end = _times(model, np.flatnonzero(backward))
        order = np.argsort(start, kind="stable")
        return cls(start[order], np.maximum.accumulate(end[order]))

    def begin_in(self, start: Rows, end: Rows) -> Mask:
        """Return in which ranges of time a row starts."""
        first, last = (np.searchsorted(self.start_ns, times) for times in (start, end))
        found: Mask = last > first
        return found

    def last_end(self, times: Rows) -> Rows:
        """Return when the rows that start before some times have all ended."""
        until: Rows = np.append(self.until_ns, -_NEVER)[np.searchsorted(self.start_ns, times) - 1]
        return until


def _training_stages(model: TraceModel, top: Mask, here: Mask) -> dict[str, Mask]:
    ranges = rows_of_kinds(model, "host", kinds.OPERATOR, kinds.ANNOTATION)
    optimizer = named(model, "host", starts(*_OPTIMIZER)) & ranges
    backward = named(model, "host", starts(AUTOGRAD)) & ranges
    backward = backward if backward.any() else top & ~here
    optimizer[closures(model)] = False
    forward, passes = here & ~backward, Passes.of(model, backward)
    before_update = _before_update(model, forward, optimizer, passes)
    forward &= ~before_update
    if len(closures(model)):
        forward, backward = _in_closures(model, forward, backward, passes)
    return {
        "Optimization": optimizer | before_update,
        "Backward": backward,
        "Forward": forward,
    }


def _before_update(model: TraceModel, operators: Mask, optimizer: Mask, passes: Passes) -> Mask:
    """Return which operators are between a backward pass and the optimizer's work that follows.

    The step of an optimizer that calls a closure has its own backward pass, so it does not count.
    """
    updates, clears = (
        np.sort(model.column("host", "start_ns")[optimizer & named(model, "host", starts(name))])
        for name in _OPTIMIZER
    )
    rows, steps = np.flatnonzero(operators), model.steps
    start = model.column("host", "start_ns")[rows]
    step = step_at(steps.host_start_ns, steps.host_end_ns, start)
    rows, start, step = (values[step >= 0] for values in (rows, start, step))
    after = passes.begin_in(steps.host_start_ns[step], start) & (passes.last_end(start) <= start)
    next_pass, next_update, next_clear = (
        np.append(times, _NEVER)[np.searchsorted(times, start)]
        for times in (passes.start_ns, updates, clears)
    )
    end = steps.host_end_ns[step]
    after &= (next_update < np.minimum(next_pass, end)) | (next_clear < end) & (end <= next_pass)
    found = np.zeros(len(operators), bool)
    found[rows[after]] = True
    return found


def _in_closures(
    model: TraceModel, forward: Mask, backward: Mask, passes: Passes
) -> tuple[Mask, Mask]:
    """Return the rows of both passes, in closures with the annotations that hold one of them."""
    is_closure = np.zeros(len(forward), bool)
    is_closure[closures(model)] = True
    above = nearest_ancestor(model.nesting.parent, is_closure)
    of = np.flatnonzero(above >= 0)
    start = model.column("host", "start_ns")
    late = np.zeros(len(forward), bool)
    late[of] = start[of] >= passes.last_end(_times(model, above[of])[1])
    forward = forward & ~late
    annotation = (model.column("host", "kind") == kinds.ANNOTATION) & (above >= 0)
    rows = np.flatnonzero(annotation & ~named(model, "host", is_wrapper))
    begin, end = _times(model, rows)
    holds_backward = passes.begin_in(begin, end)
    after = first_rows_from(model.column("host", "thread"), start, rows, end)
    counted = forward & ~named(model, "host", starts(_FIRST_GRADIENT))
    before = np.append(0, np.cumsum(counted))
    holds_forward = before[after] > before[rows]
    forward[rows[holds_forward & ~holds_backward]] = True
    backward = backward.copy()
    backward[rows[holds_backward & ~holds_forward]] = True
    return forward, backward


def _times(model: TraceModel, rows: Rows) -> tuple[Rows, Rows]:
    start = model.column("host", "start_ns")[rows]
    return start, start + model.column("host", "duration_ns")[rows]


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
