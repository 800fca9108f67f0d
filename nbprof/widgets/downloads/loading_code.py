"""Writes the Python expression that opens the profile of a view, for code that users paste."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from nbprof.sources.files.urls import shown_source
from nbprof.sources.live.live_source import LiveSource
from nbprof.sources.live.memory_file import MemoryFile
from nbprof.tables import TABLES
from nbprof.tables.profile_methods import ProfileMethods
from nbprof.tables.trace_methods import TraceMethods
from nbprof.widgets.session.profile_source import OneTrace

if TYPE_CHECKING:
    from nbprof.sources.files.shared_names import SharedNames
    from nbprof.sources.options import ReadOptions
    from nbprof.widgets.session.profile_source import Readable


#: Stands for an object that no expression makes again.
_PROFILER: Final = "profiler"


def loading_code(readable: Readable | None, names: SharedNames | None = None) -> dict[str, Any]:
    """Return how Python code opens a profile and reaches its tables.

    Parameters
    ----------
    readable : Profile or OneTrace, optional
        The profile or trace that a view shows.
    names : SharedNames, optional
        Shortens the paths in code that is shared; it does not run before they are completed.

    Returns
    -------
    dict
        ``load``, an expression, whose URLs have no credentials; ``single_trace``, whether it opens
        a profile of only the trace on screen; ``of_profiles``, the tables that are methods of
        profiles. Empty without a profile.
    """
    if readable is None:
        return {}
    source = _PROFILER if _is_live(readable) else _literal(shown_source(readable.source), names)
    arguments = [source, *_arguments(readable._options)]
    return {
        "load": f"nbprof.load({', '.join(arguments)})",
        "single_trace": isinstance(readable, OneTrace),
        "of_profiles": [name for name in TABLES if _is_of_profiles(name)],
    }


def _is_live(readable: Readable) -> bool:
    """Return whether a profiler in memory is behind a profile."""
    files = (file.path for file in readable.files)
    given = isinstance(readable._source, LiveSource)  # noqa: SLF001 - of this package
    return given or any(isinstance(path, MemoryFile) for path in files)


def _is_of_profiles(name: str) -> bool:
    """Return whether only profiles have a method for a table; imports no table of nbprof."""
    if TABLES.is_own(name):
        return hasattr(ProfileMethods, name) and not hasattr(TraceMethods, name)
    spec = TABLES.get(name)
    return spec is not None and spec.scope == "profile"


def _arguments(options: ReadOptions) -> list[str]:
    """Return the keyword arguments of `nbprof.load` that differ from the defaults.

    The annotations used as steps are a part of the state of the view.
    """
    return [
        f"{field.name}={getattr(options, field.name)!r}"
        for field in fields(options)
        if field.name != "step" and getattr(options, field.name) != field.default
    ]


def _literal(source: Any, names: SharedNames | None) -> str:
    if isinstance(source, Mapping):
        items = (f"{rank!r}: {_literal(path, names)}" for rank, path in source.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(source, (list, tuple)):
        return f"[{', '.join(_literal(path, names) for path in source)}]"
    path = os.fspath(source)
    return repr(path if names is None else names.path(path))
