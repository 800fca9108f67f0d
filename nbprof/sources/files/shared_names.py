"""`SharedNames`: shortens paths for other readers, hiding the folders above the user's path.

Saved notebooks and pages are shared. In them, ``/data/ann/secret/logs/run1/a.json`` is called
``logs/run1/a.json`` if ``/data/ann/secret/logs`` was passed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbprof.sources.files.urls import is_url, local_path, shown
from nbprof.sources.live.live_source import LiveSource

_ROOTED = re.compile(r"[\\/]|[A-Za-z]:[\\/]|\.\.")
_GLOB = re.compile(r"[*?\[]")
_SEPARATORS = "/" + os.sep + (os.altsep or "")
#: Ends of paths that are no names.
_NAMELESS = (".", "..")


class SharedNames:
    """Shortens paths, and texts that quote them, to the path that the user passed and below.

    Parameters
    ----------
    source : path, glob, URL, list of these, or dict of rank to path
        The argument of `nbprof.load`.
    also : the same, optional
        Another source whose paths occur in texts.
    """

    def __init__(self, source: Any, also: Any = None) -> None:
        self._name = source.name if isinstance(source, LiveSource) else ""
        self._given = _paths(source)
        known = (*self._given, *_paths(also))
        prefixes = {prefix for path in known for prefix in _prefixes(path)}
        self._prefixes = sorted(prefixes, key=len, reverse=True)

    @property
    def source(self) -> str:
        """The source that the user passed, shortened; several paths are joined by commas.

        For a profiler in memory, the name of its class.
        """
        if self._name:
            return self._name
        return ", ".join(dict.fromkeys(self.path(p.rstrip(_SEPARATORS)) for p in self._given))

    def path(self, path: object) -> str:
        """Return the shortened path of a file; only its last part if it is not below the source."""
        text = str(path)
        for prefix in self._prefixes:
            if text.startswith(prefix):
                return text[len(prefix) :]
        text = shown(text)
        if not Path(text).is_absolute() and not is_url(text):
            return text
        return re.split(r"[\\/]", text.rstrip("\\/"))[-1]

    def text(self, text: str) -> str:
        """Return a text with the paths in it shortened."""
        for prefix in self._prefixes:
            # A bare root identifies nothing, and the start of a relative path may occur in others.
            if prefix.strip(_SEPARATORS) and (_ROOTED.match(prefix) or is_url(prefix)):
                text = text.replace(prefix, "")
        return text.replace(str(Path.cwd()), "…") if len(Path.cwd().parts) > 1 else text


def _paths(source: Any) -> list[str]:
    if isinstance(source, Mapping):
        source = list(source.values())
    if isinstance(source, (list, tuple)):
        return [path for one in source for path in _paths(one)]
    if source is None or isinstance(source, LiveSource):
        return []
    text = os.fspath(source) if isinstance(source, os.PathLike) else str(source)
    local = local_path(text) if is_url(text) else None
    if is_url(text) and local is None:
        return [shown(text)]
    return [str(local) if local else os.path.expanduser(text)]  # noqa: PTH111 - keeps a last "/."


def _prefixes(path: str) -> set[str]:
    """Return the part of a path before its last component, in all forms that texts may quote."""
    if is_url(path):
        scheme, root, below = path.partition("://")
        pattern = _GLOB.search(below)
        start = below[: pattern.start()] if pattern else below.rstrip("/")
        return {scheme + root + "".join(start.rpartition("/")[:2])}
    whole = Path(path)
    folder = _before_pattern(whole)
    forms = {folder, Path.cwd() / folder, folder.resolve()}
    if folder == whole and not path.rstrip(_SEPARATORS).endswith(_NAMELESS):
        forms = {form.parent for form in forms}  # the last part was passed, and is shown
    return {str(form).rstrip(os.sep) + os.sep for form in forms}


def _before_pattern(path: Path) -> Path:
    """Return the folders of a glob before its first pattern; other paths as they are."""
    at = next((i for i, part in enumerate(path.parts) if _GLOB.search(part)), None)
    return path if at is None or path.exists() else Path(*path.parts[:at])
