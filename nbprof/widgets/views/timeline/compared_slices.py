"""What the details of a slice say under a comparison: its counterpart, and where to align."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nbprof.model.units import format_number, format_time
from nbprof.timeline.details.links import SliceLink
from nbprof.timeline.run_alignment import (
    StepPairs,
    counterpart,
    has_name,
    occurrence_of,
    operator_of,
)
from nbprof.timeline.slice_refs import slice_ref
from nbprof.timeline.slices import Slices
from nbprof.widgets.session.align import Align
from nbprof.widgets.views.timeline.workers import BASELINE_SIDE, CANDIDATE_SIDE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.widgets.views.timeline.workers import WorkerPart

_NS_PER_US: Final = 1000


class ComparedSlice(NamedTuple):
    """What a comparison adds to the details of a slice."""

    facts: list[tuple[str, str]]
    follow: list[SliceLink]
    align: dict[str, Any]


def compared(parts: Sequence[WorkerPart], part: WorkerPart, slice_id: int) -> ComparedSlice | None:
    """Return the counterpart of a slice on the other side, and the place to align at.

    Parameters
    ----------
    parts : sequence of WorkerPart
        The parts of the screen, the candidate first.
    part : WorkerPart
        The part of the slice.
    slice_id : int
        Its id in that part.

    Returns
    -------
    ComparedSlice or None
        None without a baseline, and for slices of other workers.
    """
    baseline = next((one for one in parts if one.baseline is not None), None)
    if baseline is None or part not in (parts[0], baseline):
        return None
    other, side = (baseline, BASELINE_SIDE) if part is parts[0] else (parts[0], CANDIDATE_SIDE)
    own_model, other_model = part.timeline.model, other.timeline.model
    align = _place(part, parts[0], baseline, slice_id)
    found = counterpart(own_model, other_model, slice_id)
    if found < 0:
        return ComparedSlice([(f"In the {side.lower()}", "no counterpart")], [], align)
    mine, theirs = Slices.of(own_model), Slices.of(other_model)
    own = int(mine.end[slice_id] - mine.start[slice_id])
    its = int(theirs.end[found] - theirs.start[found])
    new, old = (own, its) if part is parts[0] else (its, own)
    facts = [(f"In the {side.lower()}", f"{format_time(its / _NS_PER_US)}{_change(old, new)}")]
    target = slice_ref(theirs, other.timeline.lanes, found)
    follow = []
    if target is not None:
        moved = target.moved(other.shift_ns, other.first_row, other.first_slice)
        name = _name(theirs, found)
        label = side if name == _name(mine, slice_id) else name
        follow = [SliceLink("counterpart", label, moved)]
    return ComparedSlice(facts, follow, align)


def _place(
    part: WorkerPart, candidate: WorkerPart, baseline: WorkerPart, slice_id: int
) -> dict[str, Any]:
    """Return where a slice lies, as a step of the candidate and an occurrence in it."""
    model = part.timeline.model
    other = (baseline if part is candidate else candidate).timeline.model
    operator = operator_of(model, slice_id)
    if operator >= 0 and not has_name(other, _name(Slices.of(model), slice_id)):
        slice_id = operator  # kernels of other devices have other names
    found = occurrence_of(model, slice_id)
    if found is None:
        return {}
    steps = candidate.timeline.model.steps
    index = found.step
    if part is baseline and index >= 0:
        sides = baseline.timeline.model, candidate.timeline.model
        index = StepPairs.of(*sides).partner(index)
    step = int(steps.number[index]) if index >= 0 else None
    return Align(step, found.name, found.nth).plain()


def _name(slices: Slices, slice_id: int) -> str:
    code = int(slices.name[slice_id])
    return slices.names[code] if code >= 0 else ""


def _change(old: int, new: int) -> str:
    """Return the change from the baseline to the candidate in brackets."""
    if old == new:
        return " (the same)"
    sign = "+" if new > old else "\N{MINUS SIGN}"
    share = f", {sign}{format_number(100 * abs(new - old) / old, 1)} %" if old else ""
    return f" (candidate {sign}{format_time(abs(new - old) / _NS_PER_US)}{share})"
