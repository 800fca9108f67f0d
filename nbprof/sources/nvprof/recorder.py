"""The recorder of nvprof: its file names, and how a database is probed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from nbprof.model.errors import TraceFormatError
from nbprof.sources.discovery.head import Head
from nbprof.sources.nvprof.dialect import DIALECT, FORMAT
from nbprof.sources.recorder import Recorder
from nbprof.sources.sqlite.state import is_database, problem_of

if TYPE_CHECKING:
    from nbprof.sources.discovery.head import FileStart

#: Every profile has this table of strings.
_TABLE: Final = "StringTable"


def look(start: FileStart) -> Head | None:
    """Return the head of a profile; None for files that are no databases."""
    if not is_database(start.text):
        return None
    path = start.path
    if not isinstance(path, Path) or start.source.packed:  # it is copied when it is read
        return Head(size=start.size) if _TABLE.encode() in start.text else None
    if reason := problem_of(path, start.text, start.size):
        return Head(reason=reason)
    from nbprof.sources.nvprof.target import devices_of
    from nbprof.sources.sqlite.tables import has_table

    try:
        if not has_table(path, _TABLE):
            return Head(reason="not a trace: a SQLite database of another program")
        devices = tuple(devices_of(path))
    except TraceFormatError as error:
        return Head(reason=str(error).partition(" cannot be read as a trace: ")[2].rstrip("."))
    return Head(size=start.size, device_type="gpu", devices=devices)


RECORDER: Final = Recorder(
    name=FORMAT,
    read="nbprof.sources.nvprof.reading:read",
    patterns=("*.nvvp", "*.nvprof", "*.sql"),
    written_by=(("nvprof -o net.sql", ""),),
    look=look,
    dialect=DIALECT,
    is_whole="nbprof.sources.sqlite.state:is_whole",
)
