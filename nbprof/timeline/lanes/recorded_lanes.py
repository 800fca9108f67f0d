"""`RecordedLanes`: names and groups of lanes that the recorder wrote into the trace."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: Names of lanes for single transfers between devices, in the communication group.
_PLANE: Final = re.compile(r"Plane \d+")
#: Suffix of the name of their group. It is collapsed at first, as each operator has eight of them.
PLANES: Final = " planes"

#: Prefix of keys of counter groups.
COUNTERS: Final = "counters"

#: Stream numbers below this are lanes that are not streams.
_LEAST_STREAM: Final = -1


@dataclass(frozen=True)
class RecordedLane:
    """A lane named by the recorder: its position, group, name and detail."""

    rank: int
    group: str
    name: str
    detail: str = ""


@dataclass(frozen=True)
class RecordedLanes:
    """The lanes of a trace that a recorder named; empty without such lanes.

    Attributes
    ----------
    threads : dict of int to RecordedLane
        By row in the table of threads.
    streams : dict of (int, int) to RecordedLane
        By device and stream. Streams of -2 and below are lanes that are not streams.
    counters : dict of int to RecordedLane
        By the process of the counters.
    """

    threads: dict[int, RecordedLane]
    streams: dict[tuple[int, int], RecordedLane]
    counters: dict[int, RecordedLane]

    @classmethod
    def of(cls, model: TraceModel) -> RecordedLanes:
        """Return the named lanes of a trace; cached."""
        return model.cached("recorded lanes", lambda: cls._make(model))

    @classmethod
    def _make(cls, model: TraceModel) -> RecordedLanes:
        lanes = cls({}, {}, {})
        rows = model.tables["lanes"].to_pylist()
        communication = model.vocabulary.communication_lanes or None
        around = [row["name"] for row in rows if row["group"] == communication]
        several = sum(not _PLANE.fullmatch(name) for name in around) > 1
        communicator = ""
        for rank, row in enumerate(rows):
            group, name, detail = row["group"], row["name"], ""
            if group == communication and _PLANE.fullmatch(name):
                group, detail = f"{group}{PLANES}", communicator if several else ""
            elif group == communication:
                communicator = name
            lane = RecordedLane(rank, group, name, detail)
            if row["side"] == "host":
                lanes.threads[row["place"]] = lane
            elif row["side"] == "device":
                lanes.streams[row["place"], row["stream"]] = lane
            else:
                lanes.counters[row["place"]] = lane
        return lanes


def are_streams(stream: Any) -> Any:
    """Return whether stream numbers stand for streams, or for work on an unknown stream."""
    return stream >= _LEAST_STREAM
