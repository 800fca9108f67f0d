"""The scripts of the browser side, as ``js/build.mjs`` built them."""

from __future__ import annotations

import zlib
from functools import lru_cache
from pathlib import Path
from typing import Final

from nbprof.model.errors import NbprofError

STATIC: Final = Path(__file__).parents[1] / "static"

#: What answers where there is no Python; all other scripts are of views.
OFFLINE: Final = "offline"

_VIEWS: Final = "views"


class ScriptError(NbprofError, ValueError):
    """There is no such script, or the package came without it."""


@lru_cache(maxsize=1)
def view_scripts() -> tuple[str, ...]:
    """Return the names of the scripts of views, sorted."""
    return tuple(sorted(path.stem for path in (STATIC / _VIEWS).glob("*.js")))


def script(name: str) -> bytes:
    """Return the text of `OFFLINE`, or of the script of a view.

    Raises
    ------
    ScriptError
        There is none of this name.
    """
    if name != OFFLINE and name not in view_scripts():
        message = f"There is no script {name!r}; there are {', '.join((OFFLINE, *view_scripts()))}."
        raise ScriptError(message)
    folder = STATIC if name == OFFLINE else STATIC / _VIEWS
    return (folder / f"{name}.js").read_bytes()


@lru_cache
def compressed(name: str) -> bytes:
    """Return a script as a saved notebook keeps it (zlib)."""
    return zlib.compress(script(name), 9)
