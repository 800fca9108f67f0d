"""Aligns the clocks of two workers: by collectives, by the time of day, or at a step.

Hosts agree on the time of day to some milliseconds at best, while a collective ends on all ranks
within microseconds. So where the same collectives are in both recordings, the clock of one worker
is moved until they end together, by the median difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import numpy.typing as npt

from nbprof.analysis.ranks.calls import rank_calls
from nbprof.model.units import format_count, format_time
from nbprof.ranks.communication_calls import CommunicationCalls
from nbprof.ranks.pairing import slots

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Method = Literal["collectives", "time", "step", "start"]
MethodChoice = Literal["auto", "collectives", "time", "step"]

#: Recordings that are further apart, as a multiple of the longer one, were not made together.
_FARTHEST: Final = 1.0


@dataclass(frozen=True)
class Alignment:
    """An offset that puts the times of one worker on the clock of another.

    Attributes
    ----------
    method : {"collectives", "time", "step", "start"}
        The method of alignment.
    shift_ns : int
        Offset to add to the times of the worker.
    words : str
        The method in words, and why a requested one is not possible.
    """

    method: Method
    shift_ns: int
    words: str


def align(reference: TraceModel, worker: TraceModel, choice: MethodChoice = "auto") -> Alignment:
    """Align the clock of a worker with that of a reference.

    Parameters
    ----------
    reference, worker : TraceModel
        The traces; the clock is that of the reference, whose first event is at 0.
    choice : {"auto", "collectives", "time", "step"}
        The method; ``"auto"`` takes the first possible one. If a choice is not possible, the
        next method is used and `Alignment.words` says why.
    """
    methods = {"collectives": _by_collectives, "time": _by_time, "step": _by_step}
    order = [choice, *methods] if choice in methods else list(methods)
    reasons: list[str] = []
    for method in dict.fromkeys(order):
        alignment = methods[method](reference, worker)
        if isinstance(alignment, Alignment):
            words = "; ".join([alignment.words, *reasons])
            return Alignment(alignment.method, alignment.shift_ns, words)
        reasons.append(alignment)
    return Alignment("start", 0, "; ".join(["both begin with their first event", *reasons]))


def _by_collectives(reference: TraceModel, worker: TraceModel) -> Alignment | str:
    away = collective_ends(reference, worker)
    if len(away) == 0:
        return "no collective is in both recordings"
    shift = round(float(np.median(away)))
    spread = float(np.median(np.abs(away - shift)))
    apart = shift - _epochs_apart(reference, worker)
    moved = f"clock moved by {_signed(apart)}, so that " if _are_together(reference, worker) else ""
    count = format_count(len(away), "collective")
    ends = "ends" if len(away) == 1 else "end"
    within = f" (within {format_time(spread / 1000)})" if spread else ""
    return Alignment("collectives", shift, f"{moved}{count} {ends} together{within}")


def _by_time(reference: TraceModel, worker: TraceModel) -> Alignment | str:
    shift = _epochs_apart(reference, worker)
    if not _are_together(reference, worker):
        return f"the times of day are {format_time(abs(shift) / 1000)} apart"
    return Alignment("time", shift, "by the time of day of each host")


def _by_step(reference: TraceModel, worker: TraceModel) -> Alignment | str:
    ours, theirs = reference.steps, worker.steps
    if not (ours.recorded and theirs.recorded):
        return "steps were not recorded in both"
    common, at, also = np.intersect1d(ours.number, theirs.number, return_indices=True)
    if len(common) == 0:
        return "no step is in both recordings"
    shift = int(ours.host_start_ns[at[0]]) - int(theirs.host_start_ns[also[0]])
    return Alignment("step", shift, f"step {int(common[0])} starts together")


def collective_ends(reference: TraceModel, worker: TraceModel) -> npt.NDArray[np.int64]:
    """Return the difference between the ends of each common collective, in ns: reference - worker.

    Calls are matched as in the tables over workers (`nbprof.ranks.pairing`); calls that only a
    sender or a receiver makes are left out.
    """
    communication = CommunicationCalls({"0": rank_calls(reference), "1": rank_calls(worker)})
    slot = slots(communication.calls)[communication.call]
    own = communication.calls.worker[communication.call]
    end = communication.start + communication.duration
    sides = []
    for number in (0, 1):
        rows = np.flatnonzero((own == number) & (slot >= 0))
        key = slot[rows] * (int(communication.nth.max(initial=0)) + 1) + communication.nth[rows]
        sides.append((key, end[rows]))
    (key, ends), (other_key, other_ends) = sides
    _, at, also = np.intersect1d(key, other_key, return_indices=True)
    away: npt.NDArray[np.int64] = ends[at] - other_ends[also]
    return away


def _epochs_apart(reference: TraceModel, worker: TraceModel) -> int:
    return int(worker.metadata.get("epoch_ns", 0)) - int(reference.metadata.get("epoch_ns", 0))


def _are_together(reference: TraceModel, worker: TraceModel) -> bool:
    """Whether two recordings overlap, or nearly so, by the time of day."""
    shift = _epochs_apart(reference, worker)
    ours, theirs = (int(one.metadata.get("end_ns", 0)) for one in (reference, worker))
    gap = max(shift - ours, -shift - theirs)
    return gap <= _FARTHEST * max(ours, theirs)


def _signed(ns: int) -> str:
    sign = "\N{MINUS SIGN}" if ns < 0 else "+"
    return f"{sign}{format_time(abs(ns) / 1000)}"
