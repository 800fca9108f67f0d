"""Validates the parameters of timeline requests."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.reprs import did_you_mean
from nbprof.timeline.details.flows import KINDS
from nbprof.widgets.requests.protocol import RequestError
from nbprof.widgets.session.align import Align
from nbprof.widgets.session.state import State
from nbprof.widgets.views import groupings
from nbprof.widgets.views.timeline.choice import GROUPINGS, METHODS, Choice
from nbprof.widgets.views.timeline.workers import parts_of

if TYPE_CHECKING:
    from nbprof.ranks.clocks import MethodChoice
    from nbprof.timeline.curves.tracks import Track
    from nbprof.timeline.details.flows import FlowKind
    from nbprof.widgets.session.session import Progress, Session
    from nbprof.widgets.views.timeline.workers import WorkerPart

#: Maximum time, chosen so that times can be added. A single wrong timestamp can make a trace
#: decades long; the browser then shows times with the precision of its numbers.
FAR_NS: Final = 2**62
#: Maximum pixel columns: twice those of the widest screens, because a window has margins.
MAX_WIDTH: Final = 16_384
#: Maximum ranges of rows per request: those of the lanes on a screen, and one screen around.
_MAX_RANGES: Final = 10_000


class Asked:
    """The timeline that a request refers to.

    Attributes
    ----------
    state : State
        Trace and filter.
    trace : Trace
        Narrowed to the filter.
    group_by : str
        Grouping of its lanes.
    workers : list of str
        The other workers shown.
    clock : {"auto", "collectives", "time", "step"}
        The method of aligning their clocks.
    align : Align
        What the baseline of the state is aligned at.
    """

    def __init__(self, session: Session, params: Mapping[str, Any], progress: Progress) -> None:
        self.state = State.parse(params.get("state"))
        self.group_by = groupings.check_known_grouping(
            "timeline", GROUPINGS, params.get("group_by")
        )
        self.workers = _worker_names(params.get("workers"))
        self.clock = wished_clock(params.get("clock"))
        self.align = Align.parse(params.get("align"))
        self._session, self._progress = session, progress

    @cached_property
    def _read(self) -> tuple[list[WorkerPart], dict[str, str]]:
        choice = Choice(self.group_by, tuple(self.workers), self.clock, self.align)
        return parts_of(self._session, self.state, choice, self._progress)

    @property
    def parts(self) -> list[WorkerPart]:
        """The workers shown, that of the state first; read on first use."""
        return self._read[0]

    @property
    def failed(self) -> dict[str, str]:
        """Why workers cannot be shown."""
        return self._read[1]

    @cached_property
    def tracks(self) -> list[Track]:
        """The curves of all workers, on the clock of the screen."""
        return [part.track(track) for part in self.parts for track in part.timeline.tracks]

    def part_of(self, slice_id: int) -> WorkerPart:
        """Return the worker of a slice."""
        return next(part for part in self.parts if slice_id < part.end_slice)

    def slice_id(self, field: str, value: object) -> int:
        """Return a slice id from a field of the request.

        Raises
        ------
        RequestError
            There is no such slice.
        """
        return whole(field, value, 0, self.parts[-1].end_slice - 1)

    def rows(self, value: object) -> list[tuple[int, int]]:
        """Return ranges of rows, last exclusive.

        Raises
        ------
        RequestError
            They are not pairs of row numbers, or the rows do not exist.
        """
        last = self.parts[-1].end_row
        pairs = _list("rows", value)
        if len(pairs) > _MAX_RANGES:
            message = f"rows: {len(pairs):,} ranges exceed the limit of {_MAX_RANGES:,}."
            raise RequestError(message)
        ranges = []
        for pair in pairs:
            if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
                message = f"rows: a range is a first row and the row after the last, not {pair!r}."
                raise RequestError(message)
            low = whole("rows", pair[0], 0, last)
            ranges.append((low, whole("rows", pair[1], low, last)))
        return ranges

    def track_keys(self, value: object) -> list[str]:
        """Return the keys of curves, each once.

        Raises
        ------
        RequestError
            There is no such curve.
        """
        return _keys("tracks", value, [track.key for track in self.tracks], "curve")

    def flow_kinds(self, value: object) -> list[FlowKind]:
        """Return kinds of arrows, each once.

        Raises
        ------
        RequestError
            There is no such kind.
        """
        names = _keys("kinds", value, KINDS, "kind of arrow")
        return [kind for kind in KINDS if kind in names]

    def lane_keys(self, value: object) -> list[str] | None:
        """Return the keys of lanes, each once; None for all lanes.

        Raises
        ------
        RequestError
            There is no such lane.
        """
        known = [part.key(lane.key) for part in self.parts for lane in part.timeline.lanes.lanes]
        return _keys("lanes", value, known, "lane") or None


def _worker_names(value: object) -> list[str]:
    """Return the names of other workers of a request.

    Raises
    ------
    RequestError
        It is not a list of texts.
    """
    names = _list("workers", value)
    for name in names:
        if not isinstance(name, str):
            message = f"workers: a name is a text, not {name!r}."
            raise RequestError(message)
    return names


def wished_clock(value: object) -> MethodChoice:
    """Return the requested method of aligning the clocks of workers.

    Raises
    ------
    RequestError
        There is no such method.
    """
    for method in METHODS:
        if method == (value or "auto"):
            return method
    message = f"clock: there is no {value!r}; there is {', '.join(METHODS)}."
    raise RequestError(message)


def time_range(params: Mapping[str, Any]) -> tuple[int, int]:
    """Return ``start_ns`` and ``end_ns`` of a request, widened to whole nanoseconds.

    Raises
    ------
    RequestError
        They are not times, or the range is empty.
    """
    start = whole("start_ns", _rounded(params.get("start_ns"), math.floor), -FAR_NS, FAR_NS)
    end = whole("end_ns", _rounded(params.get("end_ns"), math.ceil), -FAR_NS, FAR_NS)
    if start >= end:
        message = f"The time range from {start} to {end} ns is empty."
        raise RequestError(message)
    return start, end


def _rounded(value: object, to_whole: Callable[[float], int]) -> object:
    """Return a time rounded to whole nanoseconds; zooming gives fractions."""
    return to_whole(value) if isinstance(value, float) and math.isfinite(value) else value


def whole(field: str, value: object, low: int, high: int) -> int:
    """Return an integer of a request, which JSON may write as 7.0.

    Raises
    ------
    RequestError
        It is not an integer, or it is out of range.
    """
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if not isinstance(number, int) or isinstance(number, bool):
        message = f"{field}: an integer is required, not {value!r}."
        raise RequestError(message)
    if not low <= number <= high:
        there = f"from {low} to {high}" if low <= high else "none, since there is nothing"
        message = f"{field}: {number} is out of range; there is {there}."
        raise RequestError(message)
    return number


def search_text(params: Mapping[str, Any]) -> str:
    """Return ``search`` of a request, stripped.

    Raises
    ------
    RequestError
        It is not a text.
    """
    text = params.get("search")
    if text is not None and not isinstance(text, str):
        message = f"search: a string is required, not {text!r}."
        raise RequestError(message)
    return (text or "").strip()


def _keys(field: str, value: object, known: Sequence[str], what: str) -> list[str]:
    keys = _list(field, value)
    there = set(known)
    for key in keys:
        if not isinstance(key, str) or key not in there:
            message = f"{field}: there is no {what} {key!r}.{did_you_mean(key, known)}"
            raise RequestError(message)
    return list(dict.fromkeys(keys))


def _list(field: str, value: object) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, Sequence) or isinstance(value, str):
        message = f"{field}: a list is required, not {value!r}."
        raise RequestError(message)
    return list(value)
