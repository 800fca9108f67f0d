"""Reads a Kineto trace of any PyTorch version into a `TraceModel`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.model.arrays import joined
from nbprof.model.building import table_of_rows
from nbprof.model.steps.steps import STEP_NAME, STEP_NUMBERS
from nbprof.model.trace import kinds, schema, schema_vendors
from nbprof.model.trace.model import TraceModel
from nbprof.model.trace.warning import TraceWarning
from nbprof.sources.chrome.windows import WINDOW, EventWindows
from nbprof.sources.defects import DefectLog
from nbprof.sources.discovery import header as headers
from nbprof.sources.files.trace_source import open_trace
from nbprof.sources.kineto.assembly import build_tables
from nbprof.sources.kineto.dialect import FORMAT
from nbprof.sources.kineto.rows import Rows
from nbprof.sources.options import READ_ALL, ReadOptions
from nbprof.sources.parallel.reading import helpers_for
from nbprof.sources.parts.event_selection import ALL_EVENTS, EventSelection
from nbprof.sources.parts.partial_decoding import decode_partially
from nbprof.sources.parts.prefilter import read_part, reduced
from nbprof.sources.parts.prefilter_steps import Pass
from nbprof.sources.parts.recording import Recording
from nbprof.sources.recorders import dialect_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.progress import Progress

_ADVICE: Final = (
    "If it is being written or moved, wait until it is complete and call profile.refresh()."
)


def read(
    file: TraceFile,
    options: ReadOptions = READ_ALL,
    *,
    progress: Progress = "auto",
    window: int = WINDOW,
    processes: int | None = None,
) -> TraceModel:
    """Read a file.

    Parameters
    ----------
    file : TraceFile
        One of those that `discover` found.
    options : ReadOptions
        Which part of the file is read.
    progress : "auto", False or callable
        ``"auto"`` shows a bar if reading takes over a second; a function is called with (bytes
        done, total bytes, what is being read).
    window : int
        Bytes of JSON decoded at a time.
    processes : int, optional
        Maximum number of processes that read the file; by default depends on its size.

    Raises
    ------
    TraceFormatError
        No part of the file can be read, or, if strict, not all of it.
    """

    def read_once(selection: EventSelection) -> Pass:
        return _read_once(
            file, options, selection, progress=progress, window=window, processes=processes
        )

    if file.merged and file.process is not None:  # a range is cut from what is read of the rank
        model = read_once(EventSelection(pids=file.merged[file.process])).model
        return reduced(_of_rank(model, file.rank, len(file.merged)), options.filter)
    return read_part(file, options, read_once) if options.partial else read_once(ALL_EVENTS).model


def _note_shared_ids(tables: Mapping[str, pa.Table], defects: DefectLog) -> None:
    """Count ids of launches that calls of several processes have: their kernels are not told.

    Processes without operators do not count: runtimes make calls in processes of their own.
    """
    pids = np.unique(tables["threads"]["pid"].to_pylist(), return_inverse=True)[1]
    if not pids.any():
        return
    id_, thread = (joined(tables["host"][name]) for name in ("correlation", "thread"))
    is_operator = joined(tables["host"]["kind"].combine_chunks().indices) == kinds.OPERATOR
    has_operators = np.isin(pids[thread], pids[thread[is_operator]]) & (id_ > 0)
    pairs = np.unique(np.stack([id_[has_operators], pids[thread[has_operators]]]), axis=1)
    ids, count = np.unique(pairs[0], return_counts=True)
    shared = ids[count > 1]
    if len(shared):
        said = (
            f"{count.max()} processes in the file have calls with the same correlation id, such as"
            f" {shared[0]}: which operators its kernels belong to, and what depends on that, is"
            " unknown; open the file of each rank"
        )
        defects.note("ids shared by processes", len(shared), said, fatal=False)


def _of_rank(model: TraceModel, rank: int | None, count: int) -> TraceModel:
    """Add the rank of one of several in a file, and a note."""
    model.metadata = {**model.metadata, "rank": rank}
    said = f"The file holds {count} ranks, told apart by their processes; this is rank {rank}"
    model.warnings = [*model.warnings, TraceWarning("several ranks in the file", count, said)]
    return model


def _read_once(
    file: TraceFile,
    options: ReadOptions,
    selection: EventSelection,
    *,
    progress: Progress,
    window: int,
    processes: int | None,
) -> Pass:
    """Read the file in one pass."""
    with open_trace(file.path, progress, advice=_ADVICE) as (source, report):
        defects = DefectLog(str(file.path), strict=options.strict)
        windows = EventWindows(source, defects, window=window, decoder=Rows.decoder)
        # Other programs need no categories; their files are small enough for one process.
        other = file.format != FORMAT
        rows = Rows(defects, bare=windows.bare or other, selection=selection)
        decode_partially(windows, rows.skipper)
        team = helpers_for(
            source,
            windows,
            path=file.path,
            defects=defects,
            window=window,
            rows=Rows,
            selection=selection,
            processes=1 if other else processes,
        )
        with team as helpers:
            helpers.collect(source, windows, rows, report.update)
        reading = _build(windows.header(), rows, defects, file.format)
        if source.changed:
            raise defects.changed()
        return reading


def _build(header: headers.Header, rows: Rows, defects: DefectLog, format_: str) -> Pass:
    recording = Recording.of_header(header)
    extent, skipped_work = rows.skipper.extent(), rows.skipper.skipped_work()
    rows.finish(other=format_ != FORMAT)
    tables, first, end = build_tables(rows, recording)
    if first != recording.zero_ns:  # events were added, so what the header says no longer applies
        recording = Recording(
            warnings=recording.warnings, step_name=recording.step_name, lanes=recording.lanes
        )
    filled = (tables[name].num_rows for name in ("host", "device", "memory", "counters"))
    if not any(filled) and extent is None:
        losses = "; ".join(f"{one.kind}: {one.example}" for one in defects.warnings())
        reason = f"it contains no operators, kernels or memory records ({rows.events} other events)"
        raise defects.failure(f"{reason}. {losses}" if losses else reason)
    _note_shared_ids(tables, defects)
    used = set(tables["device"]["device"].to_pylist()) if rows.skipper.selection.pids else ()
    # A header describes the devices of all ranks.
    devices = [row for row in headers.devices(header, defects) if not used or row["device"] in used]
    tables["devices"] = table_of_rows(devices, schema.DEVICES)
    names = ("place", "stream", "group", "name")
    known = [{"side": "device", **dict(zip(names, one, strict=True))} for one in recording.lanes]
    tables["lanes"] = table_of_rows(known or rows.lanes, schema_vendors.LANES)
    metadata: dict[str, Any] = {
        "format": format_,
        "epoch_ns": headers.base_ns(header) + first,
        "end_ns": end if recording.end_ns is None else max(end, recording.end_ns),
        "events": rows.events,
        **headers.metadata(header),
        "device_type": recording.device_type or rows.device_type,
    }
    if recording.recorded_ns is not None:
        metadata["recorded_ns"] = recording.recorded_ns
    elif rows.recorded is not None:
        metadata["recorded_ns"] = tuple(time - first for time in rows.recorded)
    for name, counts in (("dropped", rows.dropped), ("other_categories", rows.others)):
        if counts:
            metadata[name] = dict(counts)
    if recording.steps is not None:
        metadata["steps"] = recording.steps
    if recording.step_name is not None:
        metadata[STEP_NAME] = recording.step_name
        if recording.step_numbers is not None:
            metadata[STEP_NUMBERS] = recording.step_numbers
    model = TraceModel(
        tables,
        metadata,
        [*recording.warnings, *defects.warnings()],
        dialect=dialect_of(metadata),
    )
    return Pass(model, first, extent, skipped_work)
