"""`add_ranges`: adds NVTX ranges to the host rows, as operators, steps and annotations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds
from nbprof.sources.cuda.distinct import distinct_codes
from nbprof.sources.cuda.labels import parse_label
from nbprof.sources.cuda.overlapping import nested_lanes

if TYPE_CHECKING:
    from nbprof.sources.cuda.events import Events

Integers = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

PUSH_POP = "PushPop"
START_END = "StartEnd"
MARK = "Mark"


@dataclass
class Ranges:
    """NVTX ranges of one style; arrays of shape (ranges,).

    Attributes
    ----------
    style : str
        `PUSH_POP` ranges are nested on their thread, `START_END` ranges may overlap; a `MARK` has
        no duration.
    start, end : ndarray of int64
        Times; an end of -1 is that of the recording.
    thread : ndarray of int32
        Number of the thread that opened the range.
    label : ndarray of int32
        Code of the text, in `texts["label"]` of the events; -1 without one.
    domain : ndarray of int32
        Code of the domain's name, in `texts["domain"]`; -1 for the default domain.
    """

    style: str
    start: Integers
    end: Integers
    thread: Codes
    label: Codes
    domain: Codes


def add_ranges(events: Events, ranges: Ranges, last: int) -> None:
    """Add ranges to the host rows.

    Parameters
    ----------
    events : Events
        What was read so far.
    ranges : Ranges
        Ranges of one style.
    last : int
        The end of the recording, for ranges that were not closed.
    """
    rows = len(ranges.start)
    if rows == 0:
        return
    end = ranges.end
    is_open = end < 0
    if is_open.any():
        events.defects.note(
            "ranges that were not closed",
            int(is_open.sum()),
            "they end with the recording",
            fatal=False,
        )
        end = np.where(is_open, max(last, int(ranges.start.max())), end)
    duration = events.durations(ranges.start, end, "a range")
    thread = ranges.thread
    if ranges.style == START_END:
        thread = _spread(events, ranges, ranges.start + duration)
    events.host.add(
        rows,
        **_said(events, ranges),
        thread=thread,
        start_ns=ranges.start,
        duration_ns=duration,
        label=ranges.label,
        domain=ranges.domain,
        origin=ranges.thread,
        style=events.texts["style"][ranges.style],
    )


def _said(events: Events, ranges: Ranges) -> dict[str, Any]:
    """Return the columns that follow from the texts."""
    labels, domains = events.texts["label"], events.texts["domain"]
    width = len(domains.texts) + 1
    code, distinct = distinct_codes((ranges.label.astype(np.int64) + 1) * width + ranges.domain + 1)
    said = [
        parse_label(
            labels.texts[key // width - 1] if key >= width else "",
            domains.texts[key % width - 1] if key % width else "",
        )
        for key in distinct.tolist()
    ]
    events.says_more |= any(one.kind in (kinds.OPERATOR, kinds.PHASE) for one in said)
    columns: dict[str, Any] = {
        "name": events.names.encode((one.name for one in said), len(said))[code],
        "kind": np.array([one.kind for one in said], np.int8)[code],
    }
    if any(one.sequence >= 0 or one.is_backward for one in said):
        columns["sequence"] = np.array([one.sequence for one in said], np.int64)[code]
        # The model has a number above 0 for rows of the backward pass.
        backward = [1 if one.is_backward else 0 if one.sequence >= 0 else -1 for one in said]
        columns["forward_thread"] = np.array(backward, np.int64)[code]
    for column, field in (
        ("input_shapes", "shapes"),
        ("input_types", "types"),
        ("call_stack", "stack"),
    ):
        values = [getattr(one, field) for one in said]
        if any(value is not None for value in values):
            columns[column] = events.texts[column].encode(values, len(values))[code]
    return columns


def _spread(events: Events, ranges: Ranges, end: Integers) -> Codes:
    """Return the lanes of start/end ranges, which need not be nested on their thread."""
    found = np.empty(len(end), np.int32)
    for thread in np.unique(ranges.thread).tolist():
        rows = np.flatnonzero(ranges.thread == thread)
        rows = rows[np.lexsort((-end[rows], ranges.start[rows]))]
        lane = nested_lanes(ranges.start[rows], end[rows])
        found[rows] = events.threads.lanes(thread, int(lane.max()) + 1)[lane]
    return found
