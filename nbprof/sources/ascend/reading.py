"""Reads an Ascend directory into a `TraceModel`, as far as it has files that can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.model.errors import TraceFormatError
from nbprof.model.trace_model import TraceModel
from nbprof.sources.ascend import parts, timeline, trace_view
from nbprof.sources.faults import Faults
from nbprof.sources.options import READ_ALL, ReadOptions
from nbprof.sources.progress import Progress, Reporter

if TYPE_CHECKING:
    from nbprof.sources.catalog import TraceFile

FORMAT: Final = "Ascend"


def read(
    file: TraceFile, options: ReadOptions = READ_ALL, *, progress: Progress = "auto"
) -> TraceModel:
    """Read a directory.

    Parameters
    ----------
    file : TraceFile
        One of those that `discover` found.
    options : ReadOptions
        Such a directory is read whole; what `without` names is left out.
    progress : "auto", False or callable
        As for `nbprof.sources.kineto.read`; bytes are those of all files.

    Raises
    ------
    TraceFormatError
        Nothing of it can be read; or, if strict, not all of it.
    """
    faults = Faults(str(file.path), strict=options.strict)
    found = {path.name: path for path in file.parts}
    with Reporter(progress, file.bytes, file.worker) as report:
        trace = None
        if parts.TRACE_VIEW in found:
            try:
                trace = trace_view.read_trace(
                    found[parts.TRACE_VIEW], options, faults, report.update
                )
            except (OSError, TraceFormatError) as error:
                faults.note("file not read", 1, f"{parts.TRACE_VIEW}: {error}")
        zero = 0 if trace is None else trace.first_ns
        tables = timeline.build(trace, None, None, zero, faults)
    metadata: dict[str, Any] = {
        "format": FORMAT,
        "epoch_ns": zero,
        "end_ns": 0 if trace is None else trace.end_ns - zero,
        "events": 0 if trace is None else trace.events,
        "device_type": "npu",
    }
    return TraceModel(tables, metadata, faults.warnings())
