"""Aligns the timelines of two runs at a step, or at an occurrence of an operator or a module.

Two runs have no clock in common: each has times from its own first event. So one is moved until
both begin the same thing together: a step that both have, or the n-th slice with a name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.filters import selection
from nbprof.model.names.short_names import middle_cut
from nbprof.timeline.slices import Slices

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Ids = npt.NDArray[np.int64]

#: Maximum characters of a name in a sentence.
_NAME = 60


@dataclass(frozen=True)
class StepPairs:
    """The steps of two traces that belong together.

    They belong together by their numbers if the traces share any; otherwise the first ones do, the
    second ones, and so on.

    Attributes
    ----------
    first, second : ndarray of int64, shape (pairs,)
        Indices of the steps of each trace, in time order.
    """

    first: Ids
    second: Ids

    @classmethod
    def of(cls, first: TraceModel, second: TraceModel) -> StepPairs:
        """Return the pairs of two traces; none if the steps of one were not recorded."""
        nothing = np.zeros(0, np.int64)
        if not (first.steps.recorded and second.steps.recorded):
            return cls(nothing, nothing)
        numbers = first.steps.number, second.steps.number
        _, at, also = np.intersect1d(*numbers, return_indices=True)
        if not len(at):
            at = also = np.arange(min(map(len, numbers)))
        order = np.argsort(at, kind="stable")
        return cls(at[order].astype(np.int64), also[order].astype(np.int64))

    def swapped(self) -> StepPairs:
        """Return the pairs of the traces in the other order."""
        return StepPairs(self.second, self.first)

    def partner(self, step: int) -> int:
        """Return the index of the second trace's step for one of the first; -1 for none."""
        at = np.flatnonzero(self.first == step)
        return int(self.second[at[0]]) if len(at) else -1


@dataclass(frozen=True)
class RunAlignment:
    """Where the timelines of two runs are aligned.

    Attributes
    ----------
    at_ns, other_ns : int
        The moment on the clock of each.
    end_ns : int
        When it has ended on both sides, on the clock of the first.
    place : str
        What begins there, for a label: ``step 3``, or a name.
    words : str
        How the second was aligned, and why what was asked for is not possible.
    nth, count : int
        Which of the steps or occurrences of both sides it is, from 1, and how many there are; 0
        where neither was found.
    """

    at_ns: int
    other_ns: int
    end_ns: int
    place: str
    words: str
    nth: int = 0
    count: int = 0

    @property
    def shift_ns(self) -> int:
        """Offset to add to the times of the second trace."""
        return self.at_ns - self.other_ns


@dataclass(frozen=True)
class Occurrence:
    """A slice as an occurrence of its name.

    Attributes
    ----------
    name : str
        The name.
    step : int
        Index of its step; -1 if it counts from the start of the recording.
    nth : int
        Which one it is in the step or the recording, from 1.
    """

    name: str
    step: int
    nth: int


def align_runs(
    first: TraceModel, second: TraceModel, *, step: int | None = None, name: str = "", nth: int = 1
) -> RunAlignment:
    """Align a second trace with a first one.

    Parameters
    ----------
    first, second : TraceModel
        The traces; the clock is that of the first.
    step : int, optional
        Number of a step of the first trace. The second trace is aligned at its partner.
    name : str, optional
        Name of slices as shown or recorded. They are counted on the host if the host has any,
        otherwise on devices, and within `step` if it is given.
    nth : int, optional
        Which of them, from 1.

    Returns
    -------
    RunAlignment
        What was asked for, or else the first step of both, or else the first event of both.
    """
    pairs = StepPairs.of(first, second)
    reason = ""
    if name:
        found = _at_name(first, second, pairs, step, name, nth)
        if isinstance(found, RunAlignment):
            return found
        reason = found
    place = 0
    if step is not None and len(pairs.first):
        at = np.flatnonzero(first.steps.number[pairs.first] == step)
        if len(at):
            place = int(at[0])
        elif not reason:
            reason = f"step {step} is not on both sides"
    if len(pairs.first):
        return _at_step(first, second, pairs, place, reason)
    why = "; ".join(filter(None, [reason, "steps were not recorded in both"]))
    end = max(int(model.metadata.get("end_ns", 0)) for model in (first, second))
    return RunAlignment(0, 0, end, "start", f"both begin with their first event; {why}")


def occurrence_of(model: TraceModel, slice_id: int) -> Occurrence | None:
    """Return a slice as an occurrence of its name; None for one without a name."""
    slices = Slices.of(model)
    code = int(slices.name[slice_id])
    if code < 0:
        return None
    name = slices.names[code]
    step = _step_of(model, slice_id)
    same = _in_step(model, _of_side(slices, name, on_host=slice_id < slices.host_rows), step)
    at = np.flatnonzero(same == slice_id)
    return Occurrence(name, step, int(at[0]) + 1) if len(at) else None


def counterpart(first: TraceModel, second: TraceModel, slice_id: int) -> int:
    """Return the slice of a second trace that corresponds to one of the first; -1 for none.

    It is the same occurrence of the name in the step that belongs to its step, or in the recording
    if the traces have no steps in common. A kernel whose name the other trace does not have, as on
    another GPU, corresponds to the kernel of the corresponding operator with the same place.
    """
    slices = Slices.of(first)
    row = slice_id - slices.host_rows
    code = int(slices.name[slice_id])
    if row >= 0 and code >= 0 and not has_name(second, slices.names[code]):
        return _of_operator(first, second, row)
    found = occurrence_of(first, slice_id)
    pairs = StepPairs.of(first, second)
    if found is None:
        return -1
    step = pairs.partner(found.step) if len(pairs.first) else -1
    if len(pairs.first) and step < 0:
        return -1  # outside of steps, or in one that only the first trace has
    if not len(pairs.first) and found.step >= 0:
        found = _in_recording(first, slice_id, found.name)
    on_host = slice_id < Slices.of(first).host_rows
    same = _in_step(second, _of_side(Slices.of(second), found.name, on_host=on_host), step)
    return int(same[found.nth - 1]) if found.nth <= len(same) else -1


def has_name(model: TraceModel, name: str) -> bool:
    """Return whether a trace has slices with a name, as shown or as recorded."""
    return bool(_codes(Slices.of(model), name))


def operator_of(model: TraceModel, slice_id: int) -> int:
    """Return the slice of the operator that launched a device slice; -1 if it is not known."""
    row = slice_id - Slices.of(model).host_rows
    return int(model.links.operator[row]) if row >= 0 else -1


def _of_operator(first: TraceModel, second: TraceModel, row: int) -> int:
    """Return the device slice of the operator that corresponds to that of a device row."""
    operator = int(first.links.operator[row])
    partner = counterpart(first, second, operator) if operator >= 0 else -1
    if partner < 0:
        return -1
    own, other = (
        np.flatnonzero(model.links.operator == of)
        for model, of in ((first, operator), (second, partner))
    )
    own = own[np.argsort(first.column("device", "start_ns")[own], kind="stable")]
    other = other[np.argsort(second.column("device", "start_ns")[other], kind="stable")]
    nth = int(np.flatnonzero(own == row)[0])
    return Slices.of(second).host_rows + int(other[nth]) if nth < len(other) else -1


def _at_step(
    first: TraceModel, second: TraceModel, pairs: StepPairs, place: int, reason: str
) -> RunAlignment:
    at, also = int(pairs.first[place]), int(pairs.second[place])
    numbers = int(first.steps.number[at]), int(second.steps.number[also])
    words = f"step {numbers[1]} begins with step {numbers[0]} of the candidate"
    starts = int(first.steps.host_start_ns[at]), int(second.steps.host_start_ns[also])
    ends = int(first.steps.end_ns[at]), int(second.steps.end_ns[also])
    return RunAlignment(
        *starts,
        max(ends[0], ends[1] + starts[0] - starts[1]),
        f"step {numbers[0]}",
        "; ".join(filter(None, [words, reason])),
        place + 1,
        len(pairs.first),
    )


def _at_name(  # noqa: PLR0917 - what to find, and where
    first: TraceModel, second: TraceModel, pairs: StepPairs, step: int | None, name: str, nth: int
) -> RunAlignment | str:
    """Return the alignment at an occurrence of a name, or why there is none."""
    shown = middle_cut(name, _NAME)
    steps = -1, -1
    within = ""
    if step is not None:
        at = np.flatnonzero(first.steps.number[pairs.first] == step)
        if not len(at):
            return f"step {step} is not on both sides"
        steps = int(pairs.first[at[0]]), int(pairs.second[at[0]])
        within = f" of step {step}"
    starts, ends, counts = [], [], []
    for model, index, side in zip((first, second), steps, ("candidate", "baseline"), strict=True):
        slices = Slices.of(model)
        same = _in_step(model, _named(slices, name), index)
        if not 0 < nth <= len(same):
            which = "no" if nth == 1 else f"no {_ordinal(nth)}"
            return f"there is {which} {shown}{within} in the {side}"
        starts.append(int(slices.start[same[nth - 1]]))
        ends.append(int(slices.end[same[nth - 1]]))
        counts.append(len(same))
    return RunAlignment(
        starts[0],
        starts[1],
        max(ends[0], ends[1] + starts[0] - starts[1]),
        shown,
        f"the {_ordinal(nth)} {shown}{within} begins with that of the candidate",
        nth,
        min(counts),
    )


def _in_recording(model: TraceModel, slice_id: int, name: str) -> Occurrence:
    """Return a slice as an occurrence of its name in the whole recording."""
    slices = Slices.of(model)
    same = _in_step(model, _of_side(slices, name, on_host=slice_id < slices.host_rows), -1)
    return Occurrence(name, -1, int(np.flatnonzero(same == slice_id)[0]) + 1)


def _codes(slices: Slices, name: str) -> list[int]:
    """Return the codes of a name, as shown or as recorded."""
    shown = [code for code, one in enumerate(slices.names) if one == name]
    return shown or [code for code, one in slices.recorded.items() if one == name]


def _named(slices: Slices, name: str) -> Ids:
    """Return the slices with a name: those of the host if there are any, otherwise of devices."""
    on_host = _of_side(slices, name, on_host=True)
    return on_host if len(on_host) else _of_side(slices, name, on_host=False)


def _of_side(slices: Slices, name: str, *, on_host: bool) -> Ids:
    codes = [code for code in _codes(slices, name) if (code < slices.host_names) == on_host]
    found: Ids = np.flatnonzero(np.isin(slices.name, codes)) if codes else np.zeros(0, np.int64)
    return found


def _in_step(model: TraceModel, ids: Ids, step: int) -> Ids:
    """Return the slices of a step in time order; with -1, all of them."""
    slices = Slices.of(model)
    if step >= 0 and len(ids):
        host = ids < slices.host_rows
        of = np.full(len(ids), -1, np.int64)
        of[host] = selection.step_of_host_rows(model)[ids[host]]
        of[~host] = selection.step_of_device_rows(model)[ids[~host] - slices.host_rows]
        ids = ids[of == step]
    return ids[np.argsort(slices.start[ids], kind="stable")]


def _step_of(model: TraceModel, slice_id: int) -> int:
    """Return the index of the step of a slice; -1 for none, or without recorded steps."""
    if not model.steps.recorded:
        return -1
    host = Slices.of(model).host_rows
    if slice_id < host:
        return int(selection.step_of_host_rows(model)[slice_id])
    return int(selection.step_of_device_rows(model)[slice_id - host])


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 10 <= number % 100 <= 20 else ending}"
