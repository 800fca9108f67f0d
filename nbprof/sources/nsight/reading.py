"""Reads an export of Nsight Systems into a `TraceModel`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.sources.cuda.reading import Form, read_database
from nbprof.sources.nsight import ranges, target, work
from nbprof.sources.nsight.calls import RUNTIME, add_cuda_calls
from nbprof.sources.nsight.dialect import DIALECT, FORMAT
from nbprof.sources.nsight.libraries import add_library_calls, library_tables
from nbprof.sources.nsight.metrics import MEMORY, add_gpu_metrics, add_memory
from nbprof.sources.nsight.unified_memory import FAULTS, add_unified_memory
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
    work.add_device_work(events, database, process)
    ranges.add_nvtx(events, database, process)
    add_library_calls(events, database, process)
    add_gpu_metrics(events, database)
    add_memory(events, database, process)
    add_unified_memory(events, database, process)
    target.add_diagnostics(events, database)
    if process is not None:
        _note_lost(events, database)


def _note_lost(events: Events, database: Database) -> None:
    """Count the rows that name no process: of several workers they belong to none."""
    libraries = (table for table, _ in library_tables(database))
    for table in (RUNTIME, *work.TABLES, ranges.TABLE, MEMORY, *FAULTS, *libraries):
        for column in ("globalTid", "globalPid"):
            count = database.count_bad(table, column)
            example = f"in {table}: {column} is no whole number; left out of every worker"
            events.defects.note("rows without a process", count, example)


_FORM: Final = Form(FORMAT, "an export of Nsight Systems", "StringIds", DIALECT, _add)
