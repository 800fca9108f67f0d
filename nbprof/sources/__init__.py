"""Finds trace files, reads each into a `TraceModel`, and writes models back to files.

Modules are imported on first use, since a process that reads a part of a file needs only a few.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbprof.sources.discovery.catalog import Catalog, TraceFile
    from nbprof.sources.discovery.discovery import discover
    from nbprof.sources.options import READ_ALL, ReadOptions
    from nbprof.sources.output.writer import opened
    from nbprof.sources.reading import read
    from nbprof.sources.writing.trace import write_chrome_trace

_HOMES = {
    "READ_ALL": "options",
    "Catalog": "discovery.catalog",
    "ReadOptions": "options",
    "TraceFile": "discovery.catalog",
    "discover": "discovery.discovery",
    "opened": "output.writer",
    "read": "reading",
    "write_chrome_trace": "writing.trace",
}

__all__ = [
    "READ_ALL",
    "Catalog",
    "ReadOptions",
    "TraceFile",
    "discover",
    "opened",
    "read",
    "write_chrome_trace",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = globals()[name] = getattr(import_module(f"nbprof.sources.{_HOMES[name]}"), name)
    return value
