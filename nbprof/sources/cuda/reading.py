"""Reads a database of one of CUDA's profilers into a `TraceModel`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbprof.sources.cuda.assembly import build
from nbprof.sources.cuda.events import Events
from nbprof.sources.cuda.steps import with_steps
from nbprof.sources.defects import DefectLog
from nbprof.sources.parts.prefilter import reduced
from nbprof.sources.progress import Reporter
from nbprof.sources.sqlite.database import Database
from nbprof.sources.sqlite.local import local_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.model.trace.dialect import Dialect
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.options import ReadOptions
    from nbprof.sources.progress import Progress


@dataclass(frozen=True)
class Form:
    """What a profiler writes.

    Attributes
    ----------
    name : str
        Name of the format.
    file : str
        What one of its files is, such as ``"an export of Nsight Systems"``.
    strings : str
        The table with all texts, which every file has.
    dialect : Dialect
        Words of the recorder.
    add : callable
        ``add(events, database, process)`` adds all rows, of one process if it is a number.
    """

    name: str
    file: str
    strings: str
    dialect: Dialect
    add: Callable[[Events, Database, int | None], None]


def read_database(
    file: TraceFile, options: ReadOptions, progress: Progress, form: Form
) -> TraceModel:
    """Read a file, or one process of it.

    Parameters
    ----------
    file : TraceFile
        The file, as found by `discover`.
    options : ReadOptions
        Which part of it is selected.
    progress : "auto", False or callable
        As for `nbprof.sources.kineto.reading.read`.
    form : Form
        What the profiler writes.

    Raises
    ------
    TraceFormatError
        The file cannot be read, or, if strict, not all of it, or it changes meanwhile.
    """
    defects = DefectLog(str(file.path), strict=options.strict)
    events = Events(defects)
    with (
        local_file(file.path, defects) as path,
        Reporter(progress, file.bytes, file.path.name) as report,
        Database(path, defects, report.update) as database,
    ):
        if form.strings not in database.tables:
            reason = f"it is not {form.file}"
            raise defects.failure(reason)
        before = path.stat()
        form.add(events, database, file.process)
        after = path.stat()
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise defects.changed()
    return reduced(with_steps(build(events, form.dialect, form.name)), options.filter)
