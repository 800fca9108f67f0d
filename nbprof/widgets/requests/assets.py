"""Handlers of ``bokehjs`` and ``script``: JavaScript from the installed packages."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nbprof.export import scripts
from nbprof.widgets.requests.protocol import Reply, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.widgets.session.session import Progress, Session

#: Figures need no widgets, tables or WebGL, so other bundles are not sent.
BUNDLES: Final = ("bokeh.min.js",)


def bokehjs(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:  # noqa: ARG001
    """Return BokehJS in the version that creates the figures."""
    import bokeh

    return Reply({"version": bokeh.__version__}, list(bokeh_scripts()))


def script(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:  # noqa: ARG001
    """Return the script of a view, or another script of nbprof such as ``offline``.

    Raises
    ------
    RequestError
        The name is not a text.
    ScriptError
        There is none of this name.
    """
    name = text_of("script", params.get("script"))
    return Reply({"script": name}, [scripts.script(name)])


@lru_cache(maxsize=1)
def bokeh_scripts() -> tuple[bytes, ...]:
    """Return the scripts of BokehJS in the order in which they run."""
    import bokeh

    folder = Path(bokeh.__file__).parent / "server" / "static" / "js"
    return tuple((folder / name).read_bytes() for name in BUNDLES)
