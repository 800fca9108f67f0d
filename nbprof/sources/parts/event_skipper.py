"""Drops the events of a window that lie outside the selection, and keeps their time extent.

The time extent of dropped events is kept, because times count from the first event and threads are
ordered by their first event. The correlation ids of dropped device work are kept, because they show
whether the range was too short.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds
from nbprof.sources.chrome.columns import integers
from nbprof.sources.chrome.events import NO_ARGS
from nbprof.sources.chrome.times import nanoseconds, one_by_one
from nbprof.sources.kineto import categories
from nbprof.sources.parts.event_selection import FAR
from nbprof.sources.parts.feature_events import FeatureEvents, values_of_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from nbprof.sources.chrome.batch import Batch, Context, Pieces
    from nbprof.sources.parts.event_selection import EventSelection
    from nbprof.sources.parts.outside_window import OutsideWindow, Track

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Longer than any event, see `nbprof.sources.chrome.batch`.
_LONGEST: Final = 10**17

_HOST: Final = (kinds.OPERATOR, kinds.ANNOTATION, kinds.PYTHON, kinds.MODULE)
_FLOWS: Final = tuple(range(categories.LAUNCH_FLOW, categories.QUEUE_FLOW + 1))
_DEVICE: Final = tuple(range(categories.DEVICE, categories.MIXED + 1))

_DEVICE_RANGE: Final = categories.DEVICE + kinds.DEVICE_ANNOTATION

#: Correlation id of annotations on devices, which nothing launches.
NOT_LAUNCHED: Final = np.iinfo(np.int64).max

_get_duration = attrgetter("dur")
_get_thread = attrgetter("pid", "tid")
_get_pair = attrgetter("ph", "cat")


class EventSkipper:
    """Drops the events outside of a selection.

    Attributes
    ----------
    selection : EventSelection
        Which events are kept.
    pieces : list of Pieces
        A row for every window and thread, separately for operators and annotations (``ranges`` is
        1) and for others: the first start and the last end of dropped events.
    work : list of Pieces
        Start, end and correlation id of all dropped device work.
    """

    def __init__(self, selection: EventSelection, context: Context) -> None:
        self.selection = selection
        self.pieces: list[Pieces] = []
        self.work: list[Pieces] = []
        self._context = context
        self.features = FeatureEvents(context.names)
        self._zero = FAR
        self._since: dict[int, int] = {}
        # Whether events of a role may be dropped because they lie outside of the range.
        self._narrowed = np.zeros(categories.UNCATEGORISED + 1, bool)
        self._narrowed[list(_HOST if selection.work else (*_HOST, kinds.RUNTIME, *_DEVICE))] = True

    def apply(self, batch: Batch) -> None:
        """Mark dropped events as ignored, in place."""
        selection = self.selection
        if not selection.frames:
            self._skip(batch, self._frames(batch))
        if selection.ranged:
            outside = (batch.start < selection.low) | (batch.start >= selection.high)
            if not selection.arrows:
                flows = np.isin(batch.roles, _FLOWS)
                batch.roles[flows & outside] = categories.IGNORED
            outside &= self._narrowed[batch.roles]
            self._skip_outside(batch, np.flatnonzero(outside))

    def can_skip_all(self, names: set[Any], tracks: Collection[Track]) -> bool:
        """Whether all events of a window outside of the range can be dropped.

        Parameters
        ----------
        names : set of str or None
            The names of its events.
        tracks : collection of (phase, category, process, thread)
            The kinds of events in the window.
        """
        on_device = False
        for phase, category, pid, _ in tracks:
            role = categories.role(phase, category)
            is_flow = role in _FLOWS
            is_left = role == categories.IGNORED or (is_flow and not self.selection.arrows)
            if not (is_left or self._narrowed[role]):
                return False
            if role in _DEVICE and not self.features.knows_device(pid):
                return False
            if role == kinds.OPERATOR and not self.features.knows_operators:
                return False
            on_device |= role in _DEVICE
        return not any(self.features.needs(name, on_device=on_device) for name in names if name)

    def skip_window(self, window: OutsideWindow) -> bool:
        """Drop a whole window without decoding it further, and return whether that is possible.

        It is possible if events were dropped before it on each of its threads: then none of its
        events is the first of a thread.
        """
        low = int(window.start.min(initial=FAR))
        if self.selection.work or not self.selection.frames or low < self._zero:
            return False
        hosts, on_device = [], False
        for phase, category, pid, tid in window.tracks:
            role = categories.role(phase, category)
            if role == categories.IGNORED and (category or "").lower() == "trace":
                return False  # it contains the time of the recording
            if role < categories.DEVICE:
                hosts.append(self._context.threads.get((pid, tid), -1))
            on_device |= role in _DEVICE
        if any(self._since.get(thread, FAR) > low for thread in hosts):
            return False
        length = nanoseconds(list(map(_get_duration, window.events)))
        if length is None or length.max(initial=0) > _LONGEST:
            return False
        end = window.start + length
        if hosts:
            # Only slices have a duration and can be the last to end.
            last = end.max(where=length >= 0, initial=low)
            self._add(*(np.array([one]) for one in (hosts[0] * 2, low, last)))
        if on_device:
            self._skip_work(window, np.maximum(end, window.start))
        return True

    def _skip_work(self, window: OutsideWindow, end: Rows) -> None:
        chosen = {track[:2]: categories.role(*track[:2]) in _DEVICE for track in window.tracks}
        kinds_of = map(chosen.__getitem__, map(_get_pair, window.events))
        rows = np.flatnonzero(np.fromiter(kinds_of, bool, len(end)))
        args = [event.args for event in values_of_rows(window.events, rows)]
        correlation = integers([NO_ARGS if one is None else one for one in args], "correlation")
        tracks = map(_get_pair, values_of_rows(window.events, rows))
        is_range = np.array([categories.role(*track) == _DEVICE_RANGE for track in tracks], bool)
        correlation[is_range] = NOT_LAUNCHED
        self._add_work(correlation, window.start[rows], end[rows])

    def extent(self) -> tuple[int, int] | None:
        """Return the extent in time of dropped operators and annotations, None without any."""
        use = _joined(self.pieces, "ranges", np.int8) == 1
        if not use.any():
            return None
        start, end = (_joined(self.pieces, name)[use] for name in ("start_ns", "end_ns"))
        return int(start.min()), int(end.max())

    def spans(self) -> tuple[Rows, Rows]:
        """Return the starts and ends of the extents of all dropped events."""
        both = [*self.pieces, *self.work]
        return _joined(both, "start_ns"), _joined(both, "end_ns")

    def first_of_threads(self) -> tuple[npt.NDArray[np.int32], Rows]:
        """Return threads, possibly repeated, with the first start of dropped events on each."""
        return _joined(self.pieces, "thread", np.int32), _joined(self.pieces, "start_ns")

    def skipped_work(self) -> tuple[Rows, bool]:
        """Return correlation ids of device work after the range, and whether any was dropped."""
        correlation, start = (_joined(self.work, name) for name in ("correlation", "start_ns"))
        launched = correlation < NOT_LAUNCHED
        late = launched & (start >= self.selection.high)
        return correlation[late], bool(launched.any())

    def _frames(self, batch: Batch) -> Rows:
        rows = np.flatnonzero(batch.roles == kinds.PYTHON)
        if len(rows) == 0:
            return rows
        module = integers(values_of_rows(batch.args, rows), "module_id")
        return rows[module < 0]

    def _skip_outside(self, batch: Batch, rows: Rows) -> None:
        """Drop rows, except those that reach into the range or show a property of the recording."""
        if len(rows) == 0:
            return
        early = rows[batch.start[rows] < self.selection.low]
        inside = np.zeros(len(batch), bool)
        inside[early] = batch.start[early] + _durations(batch, early) > self.selection.low
        rows = rows[~inside[rows]]
        self._skip(batch, rows[~self.features.first_rows(batch, rows)])

    def _skip(self, batch: Batch, rows: Rows) -> None:
        if len(rows):
            self._count(batch, rows)
            batch.roles[rows] = categories.IGNORED

    def _count(self, batch: Batch, rows: Rows) -> None:
        on_device = batch.roles[rows] >= categories.DEVICE
        if on_device.any():
            self._count_work(batch, rows[on_device])
            rows = rows[~on_device]
        if len(rows) == 0:
            return
        start = batch.start[rows]
        end = start + _durations(batch, rows)
        pairs = map(_get_thread, values_of_rows(batch.events, rows))
        threads = map(self._context.threads.__getitem__, pairs)
        thread = np.fromiter(threads, np.int64, len(rows))
        place = thread * 2 + np.isin(batch.roles[rows], (kinds.OPERATOR, kinds.ANNOTATION))
        first, last = np.full(place.max() + 1, FAR), np.full(place.max() + 1, -FAR)
        np.minimum.at(first, place, start)
        np.maximum.at(last, place, end)
        used = np.flatnonzero(first < FAR)
        self._add(used, first[used], last[used])

    def _add(self, place: Rows, first: Rows, last: Rows) -> None:
        """Record the extents of dropped events; the key is twice the thread, plus 1 for ranges."""
        self._zero = min(self._zero, int(first.min()))
        for thread, since in zip((place // 2).tolist(), first.tolist(), strict=True):
            self._since[thread] = min(self._since.get(thread, FAR), since)
        self.pieces.append(
            {
                "order": np.zeros(len(place), np.int64),
                "thread": (place // 2).astype(np.int32),
                "ranges": (place % 2).astype(np.int8),
                "start_ns": first,
                "end_ns": last,
            }
        )

    def _count_work(self, batch: Batch, rows: Rows) -> None:
        correlation = integers(values_of_rows(batch.args, rows), "correlation")
        correlation[batch.roles[rows] == _DEVICE_RANGE] = NOT_LAUNCHED
        start = batch.start[rows]
        self._add_work(correlation, start, start + _durations(batch, rows))

    def _add_work(self, correlation: Rows, start: Rows, end: Rows) -> None:
        self._zero = min(self._zero, int(start.min(initial=FAR)))
        order = np.zeros(len(start), np.int64)
        self.work.append(
            {"order": order, "correlation": correlation, "start_ns": start, "end_ns": end}
        )


def _joined(pieces: Sequence[Pieces], name: str, dtype: Any = np.int64) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *(piece[name] for piece in pieces)])


def _durations(batch: Batch, rows: Rows) -> Rows:
    """Return durations; their defects are counted when they become rows."""
    values = list(map(_get_duration, values_of_rows(batch.events, rows)))
    durations = nanoseconds(values) if values else np.empty(0, np.int64)
    duration = one_by_one(values) if durations is None else durations
    return np.where((duration < 0) | (duration > _LONGEST), 0, duration)
