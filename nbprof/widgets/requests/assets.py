"""Scripts from the installed packages, as nothing is fetched: ``bokehjs``, and those of views."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nbprof.export import scripts
from nbprof.widgets.requests.protocol import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.widgets.session import Progress, Session

#: The figures need no widgets, tables or WebGL, and so no further bundle.
BUNDLES: Final = ("bokeh.min.js",)


def bokehjs(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:  # noqa: ARG001
    """Return BokehJS of the very version that makes the figures."""
    import bokeh

    return Reply({"version": bokeh.__version__}, list(_scripts()))


def script(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:  # noqa: ARG001
    """Return the script of a view, or ``offline``: what answers without Python.

    Raises
    ------
    ScriptError
        There is none of this name.
    """
    name = str(params.get("script"))
    return Reply({"script": name}, [scripts.script(name)])


@lru_cache(maxsize=1)
def _scripts() -> tuple[bytes, ...]:
    import bokeh

    folder = Path(bokeh.__file__).parent / "server" / "static" / "js"
    return tuple((folder / name).read_bytes() for name in BUNDLES)
