"""`read_part`: reads only the part of a file that the tables under a filter depend on.

The time range of the part is estimated from the text. A pass over the file drops events outside
of it. The rows that were read then determine which range is needed. If that range exceeds the
estimate, another pass is made. At the end, only the rows that the tables depend on are kept.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.building import arrow_array
from nbprof.model.filters.selection import host_rows_in_range, time_range_ns
from nbprof.model.links.backward import linked_forward_rows
from nbprof.model.links.launches import LAUNCH_FLOW, flow_codes
from nbprof.model.steps.steps import STEP_NAME, STEP_NUMBERS, find_steps
from nbprof.model.trace import schema
from nbprof.model.trace.model import TraceModel
from nbprof.sources.defects import DefectLog
from nbprof.sources.limits.numbers import within_limits
from nbprof.sources.limits.rows import BESIDE
from nbprof.sources.limits.times import LONGEST_NS
from nbprof.sources.parts.event_selection import FAR, EventSelection
from nbprof.sources.parts.prefilter_steps import has_all_work, is_work
from nbprof.sources.parts.range_estimate import estimate_range
from nbprof.sources.writing.part import part_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from nbprof.model.filters.filter import Filter
    from nbprof.model.steps.steps import Steps
    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.options import ReadOptions
    from nbprof.sources.parts.prefilter_steps import Pass

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Span = tuple[int, int]

#: Maximum number of passes that were too short before the whole file is read.
_PASSES: Final = 3

#: Maximum amount to read beyond the range known to be needed.
_MARGIN_NS: Final = 10**8


def read_part(
    file: TraceFile, options: ReadOptions, read_once: Callable[[EventSelection], Pass]
) -> TraceModel:
    """Read the selected part of a file.

    Parameters
    ----------
    file : TraceFile
        The file.
    options : ReadOptions
        Which part is selected.
    read_once : callable
        Makes a pass over the file.
    """
    frames = options.kinds is None or "python" in options.kinds
    everything = EventSelection(frames=frames and "python" not in options.without)
    filter_ = options.filter
    if filter_.steps is None and filter_.time_us is None:
        return read_once(everything).model
    guess = estimate_range(file, options)
    selection = everything
    if guess is not None:
        selection = _limited(everything, guess.span, arrows=False, work=not guess.has_steps)
    for _ in range(_PASSES):
        reading = read_once(selection)
        model = reading.model
        if _exceeds_limits(model):
            defects = DefectLog(str(file.path), strict=options.strict)
            return reduced(within_limits(read_once(everything).model, defects), filter_)
        if STEP_NAME in model.metadata:  # steps that the search in the text does not find
            break
        _store_steps(reading)
        span, is_complete = _needed(model, filter_, selection, reading.first_ns)
        if is_complete and (selection.work or has_all_work(reading, filter_, selection, span)):
            return _reduced(model, filter_)
        low, high = span
        margin = min((high - low) // 64, _MARGIN_NS)
        wanted = (low - margin + reading.first_ns, high + margin + reading.first_ns)
        selection = _limited(
            everything, _extended_span(wanted, selection), arrows=_lacks_launches(model)
        )
    reading = read_once(everything)
    _store_steps(reading)
    return _reduced(reading.model, filter_)


def _exceeds_limits(model: TraceModel) -> bool:
    """Return whether numbers are left out of the whole file, so that other times or slices count.

    Among them are time stamps far from all others, also those of events that were not read.
    """
    if model.metadata["end_ns"] > LONGEST_NS:
        return True
    return within_limits(model, DefectLog("", strict=False)) is not model


def reduced(model: TraceModel, filter_: Filter) -> TraceModel:
    """Cut the model of a whole file to the steps and time range of a filter."""
    if (filter_.steps is None and filter_.time_us is None) or _has_measures(model):
        return model
    _store_extents(model, model.steps)
    return _reduced(model, filter_)


def _limited(
    everything: EventSelection, span: Span, *, arrows: bool, work: bool = True
) -> EventSelection:
    return EventSelection(
        max(span[0], -FAR),
        min(span[1], FAR),
        frames=everything.frames,
        arrows=arrows,
        work=work,
    )


def _extended_span(span: Span, selection: EventSelection) -> Span:
    return min(span[0], selection.low), max(span[1], selection.high)


def _store_steps(reading: Pass) -> None:
    """Store the steps of the whole file in the metadata, since a part does not determine them."""
    model = reading.model
    if "steps" in model.metadata:
        return
    whole = None
    if reading.extent is not None:
        whole = reading.extent[0] - reading.first_ns, reading.extent[1] - reading.first_ns
    _store_extents(model, find_steps(model, left_out=whole))


def _store_extents(model: TraceModel, steps: Steps) -> None:
    columns = (steps.host_start_ns, steps.host_end_ns, steps.start_ns, steps.end_ns, steps.complete)
    model.metadata["steps"] = tuple(zip(*(column.tolist() for column in columns), strict=True))


def _needed(
    model: TraceModel, filter_: Filter, selection: EventSelection, first_ns: int
) -> tuple[Span, bool]:
    """Return the range that the filter's tables depend on, and whether all of it was read."""
    span = _span(model, filter_)
    if not _is_within(span, selection, first_ns):
        return span, False
    begins = host_rows_in_range(model, filter_)
    end = model.column("host", "start_ns") + model.column("host", "duration_ns")
    # Whatever is inside a slice belongs to its figures, also after the range.
    low, high = span[0], int(end[begins].max(initial=span[1]))
    low = min(low, _launched_from(model, span))
    if selection.low > -FAR and _lacks_forward(model, begins, selection.low - first_ns):
        low = -FAR
    if selection.work and not selection.arrows and _lacks_launches(model):
        return (low, high), False
    return (low, high), _is_within((low, high), selection, first_ns)


def _is_within(span: Span, selection: EventSelection, first_ns: int) -> bool:
    return selection.low <= max(span[0] + first_ns, -FAR) and span[1] + first_ns <= selection.high


def _span(model: TraceModel, filter_: Filter) -> Span:
    """Return the span of everything that starts in the filter's range, including its windows."""
    low, high = -FAR // 2, FAR // 2
    if filter_.steps is not None:
        steps = model.steps
        chosen = (steps.number >= filter_.steps[0]) & (steps.number <= filter_.steps[1])
        if not chosen.any():
            return 0, 0
        low = int(min(steps.host_start_ns[chosen].min(), steps.start_ns[chosen].min()))
        high = int(max(steps.host_end_ns[chosen].max(), steps.end_ns[chosen].max()))
    if filter_.time_us is not None:
        first, last = time_range_ns(filter_.time_us)
        low = max(low, first)
        high = max(low, min(high, last))
    return low, high


def _lacks_forward(model: TraceModel, begins: Mask, low: int) -> bool:
    """Return whether the forward operator of a row in the range was not read, or is unknown.

    An operator that ended before the range was kept only to show a property of the recording; the
    slices around it were not read.
    """
    numbered = (model.column("host", "sequence") >= 0) & (model.column("host", "kind") == 0)
    backward = numbered & (model.column("host", "forward_thread") > 0)
    forward = linked_forward_rows(model)[backward & begins]
    end = model.column("host", "start_ns") + model.column("host", "duration_ns")
    return bool((forward < 0).any() or (end[forward] <= low).any())


def _launched_from(model: TraceModel, span: Span) -> int:
    """Return the earliest launch of the work that runs in a span."""
    start, duration = (model.column("device", name) for name in ("start_ns", "duration_ns"))
    runs = (start < span[1]) & ((start >= span[0]) | (start + duration > span[0]))
    runs &= is_work(model)
    launch = model.links.launch[runs]
    first = model.column("host", "start_ns")[launch[launch >= 0]].min(initial=span[0])
    if (launch < 0).any():  # flows may start at operators
        time, ids, category = (
            model.column("flows", name) for name in ("time_ns", "id", "category")
        )
        launches = flow_codes(model, "category", LAUNCH_FLOW)[category]
        ends = launches & (time < span[1]) & (time >= start[runs].min())
        first = time[launches & np.isin(ids, ids[ends])].min(initial=first)
    return int(first)


def _lacks_launches(model: TraceModel) -> bool:
    """Whether some device work has no launch by its correlation id, but may have one by a flow."""
    return bool((is_work(model) & (model.links.launch < 0)).any())


def _reduced(model: TraceModel, filter_: Filter) -> TraceModel:
    """Cut a model to a range; memory records and counters are small and stay complete."""
    part = part_of(model, filter_)
    rows = {"host": part.host, "device": part.device, "flows": part.flows}
    tables = dict(model.tables)
    for name, kept in rows.items():
        tables[name] = tables[name].take(arrow_array(kept))
    for name, other in BESIDE.items():
        if other in rows and tables[name].num_rows:
            tables[name] = tables[name].take(arrow_array(rows[other]))
    tables["collectives"] = _collectives(model, rows)
    # Steps that are not kept must not appear in the metadata.
    stays = np.isin(model.steps.row, part.host) | ~np.bool_(model.steps.recorded)
    metadata = dict(model.metadata)
    metadata["steps"] = tuple(compress(metadata["steps"], stays.tolist()))
    if STEP_NAME in metadata:
        metadata[STEP_NUMBERS] = tuple(model.steps.number[stays].tolist())
    return TraceModel(tables, metadata, model.warnings, dialect=model.dialect)


def _has_measures(model: TraceModel) -> bool:
    """Whether other tables refer to row numbers, as the tables of some recorders do."""
    refer = [name for name, columns in schema.TABLES.items() if "row" in columns.names]
    return any(model.tables[name].num_rows for name in refer if name != "collectives")


def _collectives(model: TraceModel, kept: dict[str, npt.NDArray[np.int64]]) -> pa.Table:
    """Return the collectives of the kept rows, renumbered."""
    table = model.tables["collectives"]
    old = model.column("collectives", "row")
    new = np.full(len(old), -1, np.int64)
    sides = np.array(table.column("side").to_pylist(), object)
    for side in ("host", "device"):
        mine = sides == side
        position = np.searchsorted(kept[side], old[mine])
        hit = np.append(kept[side], -1)[position] == old[mine]
        new[mine] = np.where(hit, position, -1)
    place = schema.COLLECTIVES.get_field_index("row")
    table = table.set_column(place, schema.COLLECTIVES.field(place), arrow_array(new))
    return table.filter(arrow_array(new >= 0))
