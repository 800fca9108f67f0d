"""Loads the browser scripts that ``js/build.mjs`` built, plain or compressed."""

from __future__ import annotations

import zlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nbprof.model.errors import NbprofError

if TYPE_CHECKING:
    from collections.abc import Iterable

STATIC: Final = Path(__file__).parents[1] / "static"

#: The scripts that answer requests and match regular expressions without Python.
OFFLINE: Final = "offline"
PATTERNS: Final = "patterns"
#: The script of the Export menu.
EXPORT: Final = "export"
#: The script that selects the items of charts.
PICKING: Final = "picking"
#: The script that draws the call stacks that open under rows.
STACKS: Final = "stacks"
#: The script that draws how values are spread, in the headers of tables.
SPREADS: Final = "spreads"
#: The script for parts of the bars that are shown on demand: suggested names, the list of keys.
TOOLS: Final = "tools"
#: All scripts but those of views.
OTHERS: Final = (OFFLINE, PATTERNS, EXPORT, PICKING, STACKS, SPREADS, TOOLS)

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


def scripts_of_views(views: Iterable[str]) -> tuple[str, ...]:
    """Return `OTHERS` and the scripts of views, each once."""
    names = (*OTHERS, *(name for view in views for name in scripts_of_view(view)))
    return tuple(dict.fromkeys(names))


def core(file: str) -> str:
    """Return the text of a file that every view contains, with a line break at its start.

    Without the line break, a text of one line could be mistaken for the path of a file.
    """
    return "\n" + (STATIC / file).read_text("utf-8")


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
