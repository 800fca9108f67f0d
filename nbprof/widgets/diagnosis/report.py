"""Writes the text that `nbprof.diagnose` prints: facts, answers of the page, advice."""

from __future__ import annotations

import sys
import textwrap
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from nbprof.defaults import options
from nbprof.model.units import format_bytes
from nbprof.sources.cache import folder as cache_folder
from nbprof.widgets.diagnosis import environment
from nbprof.widgets.requests import protocol

if TYPE_CHECKING:
    from nbprof.widgets.diagnosis.probe import Handshake
    from nbprof.widgets.explorer import Explorer

#: Width of the column of names, in characters.
_MARGIN: Final = 12
_WIDTH: Final = 100

#: The strictest sufficient policy; README.md and docs/hosts/hub.md quote it.
_POLICY: Final = (
    "script-src 'self' blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:"
)


def facts() -> str:
    """Return the lines that need no page: versions, server, cache."""
    found = environment.versions()
    packages = ", ".join(f"{name} {number}" for name, number in found.items())
    return "".join(
        [
            _line("Versions", packages),
            _line("Kernel", f"{environment.python_text()}, in {sys.prefix}"),
            _server(),
            _line("Cache", _cache()),
        ]
    )


def of_view(view: Explorer) -> str:
    """Return what the page of a view has requested so far, and the last errors."""
    heard = view._router.heard  # noqa: SLF001 - of this package
    asked = f"its page has sent {heard} requests" if heard else "its page has sent no request"
    lines = [f"{view!r}; {asked}, protocol {protocol.VERSION}"]
    lines += [str(error) for error in view.errors[-3:]]
    return _line("View", "\n".join(lines))


def no_page() -> str:
    """Return the line shown instead of a page outside a notebook."""
    return _line("Page", "none: this runs outside a notebook")


def page(handshake: Handshake, *, late: bool) -> str:
    """Return what the page answered, and advice that follows from it.

    Parameters
    ----------
    handshake : Handshake
        The answers so far.
    late : bool
        Whether an answer should have arrived by now.
    """
    if handshake.modules:
        trip = handshake.round_trip_ms
        speed = "" if trip is None else f", round trip {trip:.0f} ms"
        lines = _line("Page", f"draws views{speed}; {handshake.agent}")
        return lines if handshake.styles else lines + _advice(_STYLES)
    if not late:
        return _line("Page", "asked; this line changes when it answers")
    if handshake.anywidget:
        return _line("Page", "has anywidget but does not run its scripts") + _advice(_BLOB)
    if handshake.widgets:
        return _line("Page", "has ipywidgets but no compatible anywidget") + _advice(_anywidget())
    return _line("Page", "no answer so far") + _advice(*_NOBODY)


_STYLES: Final = (
    "The page blocks style sheets created by scripts, so charts are not styled: its "
    "Content-Security-Policy lacks style-src 'unsafe-inline'. All that nbprof needs is " + _POLICY
)
_BLOB: Final = (
    "The page blocks scripts from blob: URLs, which every anywidget uses. Its "
    "Content-Security-Policy must allow them; all that nbprof needs is " + _POLICY
)
_NOBODY: Final = """
No page is connected (nbclient, papermill, a terminal): nothing to fix, the outputs contain text.
The Jupyter server lacks the widget front end. Install it in the environment of the server, not of \
the kernel: pip install ipywidgets anywidget there, restart the server, reload the page.
The kernel has been busy since then: older kernels answer only between cells.
The page lost its connection to the kernel: reload it.
""".strip().split("\n")


def _anywidget() -> str:
    wanted = ".".join(version("anywidget").split(".")[:2])
    return (
        "Install anywidget in the environment of the Jupyter server, with the same minor version "
        f"as in the kernel: pip install 'anywidget=={wanted}.*' there, restart the server, "
        "reload the page."
    )


def _server() -> str:
    known = environment.server()
    if known is None:
        return ""
    where = "the kernel's" if environment.same_environment(known.prefix) else str(known.prefix)
    held = (
        ", ".join(f"{name} {number}" for name, number in known.extensions.items()) or "no widgets"
    )
    lines = _line("Server", f"environment: {where}; {held}")
    if known.missing:
        names = " ".join(known.missing)
        lines += _advice(
            "The server's environment lacks packages that pages need for widgets: pip install "
            f"{names} "
            f"in {known.prefix}, restart the server, reload the page."
        )
    return lines


def _cache() -> str:
    folder = cache_folder.folder()
    if not options.cache:
        return f"switched off by nbprof.options; {folder}"
    problem = cache_folder.problem()
    if problem:
        return f"not usable: {problem}"
    entries = cache_folder.entries()
    if not entries:
        return f"empty; {folder}"
    held = format_bytes(sum(entry.bytes for entry in entries))
    return f"{len(entries)} files, {held} of {format_bytes(options.cache_bytes)}; {folder}"


def _line(name: str, value: str) -> str:
    """Return a name and its value, wrapped beside it."""
    lines = [
        part
        for line in value.split("\n")
        for part in textwrap.wrap(
            line, _WIDTH - _MARGIN, break_long_words=False, break_on_hyphens=False
        )
    ]
    indented = textwrap.indent("\n".join(lines), " " * _MARGIN)
    return name.ljust(_MARGIN) + indented[_MARGIN:] + "\n"


def _advice(*causes: str) -> str:
    """Return possible causes: one as a sentence, several as a list."""
    if len(causes) == 1:
        return _line("  → do", causes[0])
    return "".join(
        _line("  → either" if at == 0 else "  → or", cause) for at, cause in enumerate(causes)
    )
