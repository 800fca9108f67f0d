"""Loads the browser scripts that ``js/build.mjs`` built, plain or compressed."""

from __future__ import annotations

import zlib
from functools import lru_cache
from pathlib import Path
from typing import Final

from nbprof.model.errors import NbprofError

STATIC: Final = Path(__file__).parents[1] / "static"

#: The scripts that answer requests and match regular expressions without Python.
OFFLINE: Final = "offline"
PATTERNS: Final = "patterns"
#: All scripts but those of views.
OTHERS: Final = (OFFLINE, PATTERNS)

_VIEWS: Final = "views"


class ScriptError(NbprofError, ValueError):
    """Raised when a script does not exist or is missing from the installation."""


@lru_cache(maxsize=1)
def view_scripts() -> tuple[str, ...]:
    """Return the names of the views' scripts, sorted."""
    return tuple(sorted(path.stem for path in (STATIC / _VIEWS).glob("*.js")))


def scripts_of_view(view: str) -> tuple[str, ...]:
    """Return the script of a view, and its second one if it has one.

    The second one, such as ``timeline.later``, is loaded after the view's first picture.
    """
    return (view, *(name for name in view_scripts() if name.startswith(f"{view}.")))


def script(name: str) -> bytes:
    """Return the text of one of `OTHERS`, or of a script of a view.

    Raises
    ------
    ScriptError
        No script has this name.
    """
    names = (*OTHERS, *view_scripts())
    if name not in names:
        message = f"There is no script {name!r}; there are {', '.join(names)}."
        raise ScriptError(message)
    folder = STATIC if name in OTHERS else STATIC / _VIEWS
    return (folder / f"{name}.js").read_bytes()


@lru_cache
def compressed(name: str) -> bytes:
    """Return a script compressed with zlib, as saved notebooks contain it."""
    return zlib.compress(script(name), 9)
