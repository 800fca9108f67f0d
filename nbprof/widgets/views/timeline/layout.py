"""Describes a timeline independently of the window: workers, lanes, curves, steps, minimap."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.analysis.devices.device_rows import work_rows
from nbprof.model.filters import selection
from nbprof.model.units import format_count
from nbprof.timeline.curves.tracks import curves_left_out
from nbprof.timeline.details.flows import KINDS, flow_kinds
from nbprof.timeline.run_alignment import StepPairs
from nbprof.widgets.hints.hints import hint
from nbprof.widgets.session.align import Align
from nbprof.widgets.views.timeline.groups import groups_of
from nbprof.widgets.views.timeline.joined import joined_minimap
from nbprof.widgets.views.timeline.workers import extent_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from nbprof.model.trace.model import TraceModel
    from nbprof.ranks.clocks import MethodChoice
    from nbprof.timeline.curves.tracks import Track
    from nbprof.widgets.views.timeline.workers import WorkerPart

#: Fields of a curve in the layout; its points are requested by window.
_TRACK_FIELDS: Final = (
    "key",
    "group",
    "label",
    "detail",
    "unit",
    "low",
    "high",
    "device",
    "stream",
)


#: With more steps than this, none is marked; the browser gets and draws them one by one.
MOST_STEPS: Final = 10_000

#: The same for each of several workers.
_MOST_STEPS_OF_EACH: Final = MOST_STEPS // 10


def layout(
    parts: Sequence[WorkerPart],
    clock: MethodChoice = "auto",
    failed: Mapping[str, str] | None = None,
    align: Align = Align(),  # noqa: B008 - a tuple
) -> dict[str, Any]:
    """Return the ``Layout`` of `js/src/views/timeline/data/messages.ts`, as plain values.

    Parameters
    ----------
    parts : sequence of WorkerPart
        The workers, that on screen first.
    clock : {"auto", "collectives", "time", "step"}
        The requested method of aligning clocks.
    failed : mapping of str to str, optional
        Workers that cannot be shown, with the reason.
    align : Align, optional
        What the baseline was to be aligned at.
    """
    first = parts[0].timeline
    several = len(parts) > 1 or bool(failed)
    start, end = extent_of(parts)
    plain: dict[str, Any] = {
        "group_by": first.group_by,
        "start_ns": start,
        "end_ns": end,
        "host_rows": first.slices.host_rows,
        "groups": groups_of(parts, several=several),
        "lanes": [asdict(part.lane(lane)) for part in parts for lane in part.timeline.lanes.lanes],
        "tracks": [_track(part.track(one)) for part in parts for one in part.timeline.tracks],
        "steps": _steps(first.model),
        "slices": sum(lane.slices for part in parts for lane in part.timeline.lanes.lanes),
        "moved": sum(part.timeline.lanes.moved for part in parts),
        "flows": _flow_kinds(parts),
        "minimap": _bands(parts),
    }
    nothing = not plain["lanes"] and not plain["tracks"]
    left_out = _limit(plain, parts)
    plain["empty"] = hint(first.model, "slices") if nothing else ""
    if several:
        plain["workers"] = [_worker(part) for part in parts]
        plain["workers"][0]["steps"] = plain["steps"]  # limited already
        plain["failed"] = dict(failed or {})
        plain["clock"] = clock
        plain |= _compared(parts, align)
        left_out += _limit_workers(plain["workers"])
    if left_out:
        plain["left_out"] = left_out
    return plain


def _limit(plain: dict[str, Any], parts: Sequence[WorkerPart]) -> list[str]:
    """Leave out the steps if there are too many; return sentences about data that is left out."""
    words = []
    missing = sum(curves_left_out(part.timeline.model) for part in parts)
    if missing:
        words.append(f"{format_count(missing, 'more curve')} left out")
    if len(plain["steps"]) > MOST_STEPS:
        words.append(f"{format_count(len(plain['steps']), 'step')} not marked")
        plain["steps"] = []
    return words


def _limit_workers(workers: list[dict[str, Any]]) -> list[str]:
    """Leave out the steps of workers that have too many; return sentences about them."""
    many = [one for one in workers if len(one["steps"]) > _MOST_STEPS_OF_EACH]
    if not many:
        return []
    count = sum(len(one["steps"]) for one in many)
    for one in many:
        one["steps"] = []
    of = many[0]["worker"] if len(many) == 1 else format_count(len(many), "worker")
    return [f"{format_count(count, 'step')} of {of} not marked"]


def _worker(part: WorkerPart) -> dict[str, Any]:
    """Return the offsets of the rows, slices and times of a worker, and its steps."""
    steps = _steps(part.timeline.model)
    for step in steps:
        for times in (step, step["device"] or {}):
            for end in times.keys() & {"start_ns", "end_ns"}:
                times[end] += part.shift_ns
    return {
        "worker": part.worker,
        "suffix": part.suffix,
        "first_row": part.first_row,
        "first_slice": part.first_slice,
        "host_rows": part.timeline.slices.host_rows,
        "shift_ns": part.shift_ns,
        "steps": steps,
        "aligned": part.alignment.words,
        **({} if part.baseline is None else {"baseline": part.baseline.plain()}),
    }


def _compared(parts: Sequence[WorkerPart], align: Align) -> dict[str, Any]:
    """Return what a comparison with a baseline adds to the layout; nothing without one."""
    for part in parts:
        if part.baseline is not None and part.aligned is not None:
            sides = parts[0].timeline.model, part.timeline.model
            pairs = StepPairs.of(*sides)
            many = slice(MOST_STEPS)
            first = sides[0].steps.number[pairs.first[many]]
            second = sides[1].steps.number[pairs.second[many]]
            return {
                "compared": {
                    "baseline": part.baseline.plain(),
                    "align": align.plain(),
                    "at_ns": part.aligned.at_ns,
                    "end_ns": part.aligned.end_ns,
                    "nth": part.aligned.nth,
                    "count": part.aligned.count,
                    "place": part.aligned.place,
                    "words": part.aligned.words,
                    "steps": np.stack([first, second], axis=1).tolist(),
                }
            }
    return {}


def _flow_kinds(parts: Sequence[WorkerPart]) -> list[str]:
    """Return the kinds of arrows that any worker has."""
    kinds = {kind for part in parts for kind in flow_kinds(part.timeline.model)}
    return [kind for kind in KINDS if kind in kinds]


def _bands(parts: Sequence[WorkerPart]) -> dict[str, Any]:
    """Return the bands of the minimap."""
    minimap = joined_minimap(parts)
    bands = [{"group": band.group, "label": band.label} for band in minimap.bands]
    return {"columns": minimap.columns, "bands": bands}


def _track(track: Track) -> dict[str, Any]:
    return {field: getattr(track, field) for field in _TRACK_FIELDS}


def _steps(model: TraceModel) -> list[dict[str, Any]]:
    """Return the steps as recorded on the host, each with the extent of its device work.

    The device lags behind the host, so each lane shows the steps of its side. A step in the table
    ``steps`` lasts from its start on the host to the later of both ends.
    """
    steps = model.steps
    if not steps.recorded:
        return []
    start, end = _device_extents(model)
    columns = (steps.number, steps.host_start_ns, steps.host_end_ns, start, end)
    return [
        {
            "step": number,
            "start_ns": host_start,
            "end_ns": host_end,
            "device": {"start_ns": first, "end_ns": last} if first < last else None,
        }
        for number, host_start, host_end, first, last in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]


def _device_extents(model: TraceModel) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return start and end of the device work of each step; start > end if there is none."""
    count = len(model.steps.number)
    first = np.full(count, np.iinfo(np.int64).max)
    last = np.full(count, np.iinfo(np.int64).min)
    step = selection.step_of_device_rows(model)
    rows = np.flatnonzero((step >= 0) & work_rows(model))
    start = model.column("device", "start_ns")[rows]
    np.minimum.at(first, step[rows], start)
    np.maximum.at(last, step[rows], start + model.column("device", "duration_ns")[rows])
    return first, last
