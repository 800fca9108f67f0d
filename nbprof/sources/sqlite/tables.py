"""Tells databases apart by their tables, before they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.sources.defects import DefectLog
from nbprof.sources.sqlite.database import Database

if TYPE_CHECKING:
    from pathlib import Path


def has_table(path: Path, table: str) -> bool:
    """Whether a database has a table.

    Raises
    ------
    TraceFormatError
        The database is damaged.
    """
    with Database(path, DefectLog(path.name)) as database:
        return table in database.tables
