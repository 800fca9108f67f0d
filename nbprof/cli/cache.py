"""``nbprof cache``: lists or removes the traces cached on disk, and shows their size."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from nbprof.cli.output import is_terminal, message, write_text
from nbprof.defaults import options
from nbprof.export.text.table import facts_text, text_table
from nbprof.model.building import arrow_array, table_of
from nbprof.model.errors import NbprofError
from nbprof.model.units import format_bytes, format_count
from nbprof.sources import discover
from nbprof.sources.cache import cache as cache_files
from nbprof.sources.cache import folder as cache_folder
from nbprof.sources.discovery.file_version import size_and_version

if TYPE_CHECKING:
    import argparse

#: States of cache entries.
CURRENT, CHANGED, GONE, OTHER = "current", "file changed", "file gone", "other version"

#: Arguments of `nbprof.load` that select a part of a file.
_PARTS: Final = ("steps", "time_us", "kinds", "without")


def cache(args: argparse.Namespace) -> int:
    """Run ``nbprof cache`` and return its exit status."""
    {"list": _list, "size": _size, "clear": _clear}[args.action]()
    return 0


def _list() -> None:
    entries = cache_folder.entries(with_keys=True)
    if not entries:
        why = cache_folder.problem()
        message(f"nothing is cached in {cache_folder.folder()}{why and f': {why}'}")
        return
    rows = [
        {
            "size": format_bytes(entry.bytes),
            "last used": datetime.fromtimestamp(entry.used).astimezone().strftime("%Y-%m-%d %H:%M"),
            "state": state_of(entry.key),
            "part": _part(entry.key.get("options") or {}),
            "file": str(entry.key.get("path", "?")),
        }
        for entry in entries
    ]
    columns = {name: arrow_array([row[name] for row in rows], pa.utf8()) for name in rows[0]}
    width = shutil.get_terminal_size().columns if is_terminal() else None
    write_text(text_table(table_of(columns), width=width))


def _size() -> None:
    entries = cache_folder.entries()
    taken = sum(entry.bytes for entry in entries)
    facts = [
        ("folder", str(cache_folder.folder())),
        ("kept", format_count(len(entries), "trace")),
        ("size", format_bytes(taken)),
        ("at most", format_bytes(options.cache_bytes)),
    ]
    write_text(facts_text(facts))


def _clear() -> None:
    gone = cache_folder.clear()
    freed = format_bytes(sum(entry.bytes for entry in gone))
    message(f"removed {format_count(len(gone), 'trace')}, {freed}, from {cache_folder.folder()}")


def state_of(key: dict[str, Any]) -> str:
    """Return the state of an entry: whether its file is unchanged since it was read."""
    if key.get("code") != cache_files.code_version():
        return OTHER
    path = str(key.get("path"))
    if "://" in path:
        return CURRENT  # as seen by this process
    try:
        now = _state_now(Path(path))
    except (OSError, ValueError, NbprofError):
        return GONE
    return CURRENT if key.get("state") == list(now) else CHANGED


def _state_now(path: Path) -> tuple[int, int]:
    """Return size and version of a file, or of a trace made of several files in a directory."""
    if path.is_dir():
        return size_and_version(discover(path).files[0])
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _part(taken: dict[str, Any]) -> str:
    parts = [f"{name}={taken[name]}" for name in _PARTS if taken.get(name)]
    return " ".join(parts) or "whole"
