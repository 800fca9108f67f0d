"""`WorkerPart`: one of several workers in a timeline, with the offsets of its times, rows, slices.

The worker on screen comes first and sets the clock, so its rows, slices and times are the same
whether others are shown or not. Times of others are moved, see `nbprof.ranks.clocks`; their rows
and slices follow, and their keys end with ``@`` and the worker. A baseline is such a part, too: a
worker of another run, aligned at a step or a name (`nbprof.timeline.run_alignment`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from nbprof.model.errors import NbprofError
from nbprof.ranks.clocks import Alignment, align
from nbprof.timeline.timeline import Timeline
from nbprof.widgets.session.aligned import identity, run_alignment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.ranks.clocks import MethodChoice
    from nbprof.timeline.curves.tracks import Track
    from nbprof.timeline.details.arrows import Arrow
    from nbprof.timeline.details.details import SliceDetails
    from nbprof.timeline.lanes.lanes import Group, Lane
    from nbprof.timeline.run_alignment import RunAlignment
    from nbprof.trace import Trace
    from nbprof.widgets.session.baseline import Baseline
    from nbprof.widgets.session.session import Progress, Session
    from nbprof.widgets.session.state import State
    from nbprof.widgets.views.timeline.choice import Choice


#: Maximum number of lanes and curves of all workers; one message describes them.
_MOST_MEMBERS: Final = 12_000

#: End of the keys of the baseline. Names of workers are those of files or processes.
_BASELINE: Final = "@/baseline"

#: Key of the reason why a baseline cannot be shown; `js/src/views/timeline/state/scope.ts` has the
#: same.
_FAILED: Final = "baseline"

#: What a comparison calls its sides.
CANDIDATE_SIDE: Final = "Candidate"
BASELINE_SIDE: Final = "Baseline"

#: The alignment of the worker on screen: its times are unchanged.
_ITSELF: Final = Alignment("start", 0, "")


@dataclass(frozen=True)
class WorkerPart:
    """One worker of a timeline.

    Attributes
    ----------
    worker : str
        Its name.
    timeline : Timeline
        Of the whole trace, on its own clock.
    alignment : Alignment
        The shift of its times to the clock of the screen.
    suffix : str
        End of its keys; empty for the worker on screen.
    first_row, first_slice : int
        Offsets of its row numbers and slice ids.
    run : str
        Its run.
    baseline : Baseline, optional
        Which trace it is, if it is the baseline of the one on screen.
    aligned : RunAlignment, optional
        Of a baseline: where both are aligned.
    """

    worker: str
    timeline: Timeline
    alignment: Alignment = _ITSELF
    suffix: str = ""
    first_row: int = 0
    first_slice: int = 0
    run: str = ""
    baseline: Baseline | None = None
    aligned: RunAlignment | None = None

    @property
    def shift_ns(self) -> int:
        """Offset of its times."""
        return self.alignment.shift_ns

    @property
    def extent_ns(self) -> tuple[int, int]:
        """Its start and end on the clock of the screen."""
        end = max(int(self.timeline.model.metadata.get("end_ns", 0)), 1)
        return self.shift_ns, self.shift_ns + end

    @property
    def end_row(self) -> int:
        """The row after its last one."""
        return self.first_row + self.timeline.lanes.rows

    @property
    def end_slice(self) -> int:
        """The slice after its last one."""
        return self.first_slice + len(self.timeline.slices)

    def rows_in(self, rows: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return its own numbers of the rows that lie in ranges of rows of the screen."""
        low, high = self.first_row, self.end_row
        cut = ((max(first, low) - low, min(last, high) - low) for first, last in rows)
        return [(first, last) for first, last in cut if first < last]

    def key(self, key: str) -> str:
        """Return a key of a lane, a curve or a group as the screen has it."""
        return f"{key}{self.suffix}"

    def lane(self, lane: Lane) -> Lane:
        """Return a lane as the screen has it."""
        if not self.suffix:
            return lane
        row = lane.first_row + self.first_row
        return replace(lane, key=self.key(lane.key), group=self.key(lane.group), first_row=row)

    def group(self, group: Group) -> Group:
        """Return a group as the screen has it."""
        return replace(group, key=self.key(group.key))

    def track(self, track: Track) -> Track:
        """Return a curve on the clock of the screen."""
        if not self.suffix:
            return track
        times = track.times + self.shift_ns
        key, group = self.key(track.key), self.key(track.group)
        finer = track.finer and replace(track.finer, shift_ns=self.shift_ns)
        return replace(track, key=key, group=group, times=times, finer=finer)

    def arrow(self, arrow: Arrow) -> Arrow:
        """Return an arrow between rows of the screen, on its clock."""
        return replace(
            arrow,
            from_row=arrow.from_row + self.first_row,
            from_ns=arrow.from_ns + self.shift_ns,
            to_row=arrow.to_row + self.first_row,
            to_ns=arrow.to_ns + self.shift_ns,
        )

    def name_of(self, parts: Sequence[WorkerPart]) -> str:
        """Return its short name among the parts of a screen: its side, or its worker."""
        if self.baseline is not None:
            return BASELINE_SIDE
        compared = not self.suffix and any(part.baseline for part in parts)
        return CANDIDATE_SIDE if compared else self.worker

    @property
    def _fact(self) -> tuple[str, str]:
        """The label and the text that name it among the facts of a slice."""
        if self.baseline is None:
            return "Worker", self.worker
        return "Side", f"{BASELINE_SIDE}: {self.baseline.label}"

    def details(self, details: SliceDetails) -> SliceDetails:
        """Return details of a slice as the screen counts, with the worker among the facts."""
        if not self.suffix:
            return details
        place = self.shift_ns, self.first_row, self.first_slice
        return replace(
            details,
            slice=details.slice + self.first_slice,
            lane=self.key(details.lane) if details.lane else "",
            row=details.row + self.first_row if details.row >= 0 else -1,
            start_ns=details.start_ns + self.shift_ns,
            end_ns=details.end_ns + self.shift_ns,
            facts=[self._fact, *details.facts],
            follow=[way.moved(*place) for way in details.follow],
            arrows=[self.arrow(arrow) for arrow in details.arrows],
        )


def parts_of(
    session: Session,
    state: State,
    choice: Choice,
    progress: Progress | None = None,
) -> tuple[list[WorkerPart], dict[str, str]]:
    """Return the worker on screen, its baseline, and others of its run, on one clock.

    Parameters
    ----------
    session, state : Session, State
        The trace on screen and the filter.
    choice : Choice
        Which workers; their files are read if need be.
    progress : callable, optional
        Called with the progress of reading.

    Returns
    -------
    parts : list of WorkerPart
        Those that can be read, the one on screen first.
    failed : dict of str to str
        Why others cannot be shown.
    """
    trace = session.trace(state, progress)
    timeline = Timeline.of(trace.model, choice.group_by)
    parts = [WorkerPart(trace.worker, timeline, run=trace.run)]
    failed: dict[str, str] = {}
    if state.baseline is not None:
        try:
            other = session.baseline(state, progress)
            parts += (
                [] if other is None else [_baseline_part(parts[0], trace, other, state, choice)]
            )
        except NbprofError as error:
            failed[_FAILED] = str(error)
    for worker in dict.fromkeys(choice.workers):
        if worker == trace.worker:
            continue
        try:
            other = session.trace(replace(state, worker=worker, span=trace.span), progress)
            model = other.model
        except NbprofError as error:
            failed[worker] = str(error)
            continue
        timeline = Timeline.of(model, choice.group_by)
        try:
            _check_room(parts, timeline)
        except NbprofError as error:
            failed[worker] = str(error)
            continue
        alignment = _aligned(trace, other, choice.clock)
        last = parts[-1]
        parts.append(
            WorkerPart(
                worker,
                timeline,
                alignment,
                f"@{worker}",
                last.end_row,
                last.end_slice,
                trace.run,
            )
        )
    return parts, failed


def _baseline_part(
    first: WorkerPart, trace: Trace, other: Trace, state: State, choice: Choice
) -> WorkerPart:
    """Return the baseline of the trace on screen, below it.

    Raises
    ------
    NbprofError
        Its lanes do not fit beside those of the trace on screen.
    """
    timeline = Timeline.of(other.model, choice.group_by)
    _check_room([first], timeline)
    aligned = run_alignment(trace, other, choice.align)
    return WorkerPart(
        other.worker,
        timeline,
        Alignment("step", aligned.shift_ns, aligned.words),
        _BASELINE,
        first.end_row,
        first.end_slice,
        other.run,
        state.baseline,
        aligned,
    )


def _check_room(parts: Sequence[WorkerPart], timeline: Timeline) -> None:
    """Raise NbprofError if the lanes of a worker do not fit beside those of others."""
    members = sum(_members(part.timeline) for part in parts)
    if members + _members(timeline) > _MOST_MEMBERS:
        many = f"{_members(timeline):,} lanes and curves"
        message = f"Its {many} do not fit beside those of the others."
        raise NbprofError(message)


def _members(timeline: Timeline) -> int:
    return len(timeline.lanes.lanes) + len(timeline.tracks)


def extent_of(parts: Sequence[WorkerPart]) -> tuple[int, int]:
    """Return the first start and the last end of workers on the clock of the screen."""
    extents = [part.extent_ns for part in parts]
    return min(start for start, _ in extents), max(end for _, end in extents)


def _aligned(trace: Trace, other: Trace, clock: MethodChoice) -> Alignment:
    """Return the alignment of a worker's clock to that of another, computed once."""
    key = ("clock", clock, *identity(other))
    return trace.model.cached(key, lambda: align(trace.model, other.model, clock))
