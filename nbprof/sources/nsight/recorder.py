"""The recorder of Nsight Systems: its file names, and how an export is probed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from nbprof.model.errors import TraceFormatError
from nbprof.sources.discovery.head import Head
from nbprof.sources.nsight.dialect import DIALECT, FORMAT
from nbprof.sources.other_files import OtherFile
from nbprof.sources.recorder import Recorder
from nbprof.sources.sqlite.state import is_database, problem_of

if TYPE_CHECKING:
    from nbprof.sources.discovery.head import FileStart

#: Every export has this table of strings, and no other profiler's database has.
_TABLE: Final = "StringIds"

_EXPORT: Final = "nsys export --type sqlite"


def look(start: FileStart) -> Head | None:
    """Return the head of an export; None for other files."""
    if not is_database(start.text):
        return None
    path = start.path
    if not isinstance(path, Path) or start.source.packed:  # it is copied when it is read
        return Head(size=start.size) if _TABLE.encode() in start.text else None
    if reason := problem_of(path, start.text, start.size):
        return Head(reason=reason)
    from nbprof.sources.nsight.probing import facts_of
    from nbprof.sources.sqlite.tables import has_table

    try:
        if not has_table(path, _TABLE):
            return None
        return Head(size=start.size, **facts_of(path))
    except TraceFormatError as error:
        return Head(reason=str(error).partition(" cannot be read as a trace: ")[2].rstrip("."))


RECORDER: Final = Recorder(
    name=FORMAT,
    read="nbprof.sources.nsight.reading:read",
    patterns=("*.sqlite",),
    written_by=((f"{_EXPORT} report.nsys-rep", ""),),
    look=look,
    dialect=DIALECT,
    is_whole="nbprof.sources.sqlite.state:is_whole",
    others=(
        OtherFile(
            pattern="*.nsys-rep",
            what="a report of Nsight Systems, in a format of its own",
            advice=f"Export it: {_EXPORT} {{name}}",
        ),
        OtherFile(
            pattern="*.qdrep",
            what="a report of an older Nsight Systems, in a format of its own",
            advice=f"Export it with any newer version: {_EXPORT} {{name}}",
        ),
        OtherFile(
            pattern="*.qdstrm",
            what="a recording that Nsight Systems has not made into a report yet",
            advice=f"Import it with QdstrmImporter -i {{name}}, then export the report: {_EXPORT}",
        ),
        OtherFile(
            pattern="*.ncu-rep",
            what="a report of Nsight Compute, which measures single kernels and has no timeline",
            advice=(
                "Open it with ncu-ui, or record the program with nsys profile or torch.profiler"
            ),
        ),
    ),
)
