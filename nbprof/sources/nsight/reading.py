"""Reads an export of Nsight Systems into a `TraceModel`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.sources.cuda.reading import Form, read_database
from nbprof.sources.nsight import target
from nbprof.sources.nsight.calls import add_cuda_calls
from nbprof.sources.nsight.dialect import DIALECT, FORMAT
from nbprof.sources.nsight.libraries import add_library_calls
from nbprof.sources.nsight.metrics import add_gpu_metrics, add_memory
from nbprof.sources.nsight.ranges import add_nvtx
from nbprof.sources.nsight.unified_memory import add_unified_memory
from nbprof.sources.nsight.work import add_device_work
from nbprof.sources.options import READ_ALL, ReadOptions

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.cuda.events import Events
    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.progress import Progress
    from nbprof.sources.sqlite.database import Database


def read(
    file: TraceFile, options: ReadOptions = READ_ALL, *, progress: Progress = "auto"
) -> TraceModel:
    """Read an export, or one process of it, as `read_database` does."""
    return read_database(file, options, progress, _FORM)


def _add(events: Events, database: Database, process: int | None) -> None:
    target.add_metadata(events, database)
    target.add_devices(events, database, process)
    target.add_thread_names(events, database)
    add_cuda_calls(events, database, process)
    add_device_work(events, database, process)
    add_nvtx(events, database, process)
    add_library_calls(events, database, process)
    add_gpu_metrics(events, database)
    add_memory(events, database, process)
    add_unified_memory(events, database, process)
    target.add_diagnostics(events, database)


_FORM: Final = Form(FORMAT, "an export of Nsight Systems", "StringIds", DIALECT, _add)
