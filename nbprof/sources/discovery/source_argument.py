"""Validates the source that is passed to `load` and `show`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Final

from nbprof.model.errors import SourceError
from nbprof.sources.live.live_source import LiveSource, live_source
from nbprof.sources.recorders import live_classes

_WANTED: Final = (
    "Pass a log directory, a trace file, a glob, a URL, a list of these, a dict of rank to path, "
    "or a profiler that has stopped."
)


def checked_source(source: Any) -> Any:
    """Check a source, and return an iterable of paths as a list, an object as a `LiveSource`.

    Parameters
    ----------
    source : path, glob, iterable of paths, mapping of rank to path, or profiler object
        The argument.

    Raises
    ------
    SourceError
        It has another type; the message says which, and what to pass instead.
    """
    if isinstance(source, os.PathLike) or (isinstance(source, str) and source):
        return source
    live = source if isinstance(source, LiveSource) else live_source(source)
    if live is not None:
        return live
    problem = _problem_of(source)
    if problem:
        message = f"{problem} {_WANTED}"
        raise SourceError(message)
    if isinstance(source, Mapping):
        for rank, path in source.items():
            if isinstance(rank, bool) or not isinstance(rank, int):
                message = f"{rank!r} is not a rank: the keys of the dict must be integers >= 0."
                raise SourceError(message)
            _check_item(path, f"rank {rank}")
        return source
    paths = list(source)
    for number, path in enumerate(paths):
        _check_item(path, f"item {number} of the list")
    return paths


def _is_path(value: object) -> bool:
    return isinstance(value, (str, os.PathLike))


def _check_item(value: Any, place: str) -> None:
    if not _is_path(value):
        problem = _problem_of(value) or f"This is {_described(value)}."
        message = f"A path was expected as {place}. {problem}"
        raise SourceError(message)


def _problem_of(value: Any) -> str:
    """Return why a value is not a path; "" for an iterable that may hold paths."""
    kind = _described(value)
    cases = {
        "An empty string is not a path; use '.' for the current directory.": isinstance(value, str),
        "None is not a path; perhaps a variable was never set.": value is None,
        f"This is already loaded ({kind}); pass it to nbprof.show.": _is_nbprof_object(value),
        "Paths must be strings, not bytes; os.fsdecode(path) converts one.": isinstance(
            value, (bytes, bytearray)
        ),
        f"This is an open file ({kind}); pass its path instead{_path_of(value)}.": hasattr(
            value, "read"
        ),
        f"This is a table ({kind}); nbprof reads the files that a profiler wrote.": (
            hasattr(value, "columns") or hasattr(value, "column_names")
        ),
        f"This is a profiler that nbprof does not know ({kind}); write its trace with "
        f"export_chrome_trace(path) and pass the path. It knows {live_classes()}.": hasattr(
            value, "export_chrome_trace"
        ),
        f"This is {kind}, which is not a path.": not isinstance(value, Iterable),
    }
    return next((text for text, holds in cases.items() if holds), "")


def _is_nbprof_object(value: object) -> bool:
    return type(value).__module__.split(".")[0] == "nbprof"


def _path_of(file: Any) -> str:
    name = getattr(file, "name", None)
    return f", {name!r}" if isinstance(name, str) else ""


def _described(value: object) -> str:
    kind = type(value)
    module = kind.__module__.split(".")[0]
    name = kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"
    return f"{value!r}, of type {name}" if isinstance(value, (int, float)) else f"of type {name}"
