"""The summary as text, and whether there is a notebook that makes it unneeded."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from nbprof.export.text import trace_text

if TYPE_CHECKING:
    from nbprof.widgets.session import Session, State

#: Files larger than this are not read for the text alone: the view would wait for it. JSON
#: compressed by gzip counts for what it holds, some ten times its size.
READ_AT_ONCE_BYTES: Final = 64 * 1024 * 1024
_GZIP_FACTOR: Final = 10


def in_kernel() -> bool:
    """Whether this runs in a Jupyter kernel, where widgets are shown."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None


def summary_text(session: Session, state: State, *, at_once: bool = False) -> str:
    """Return the summary of what a view shows; without a profile, the reason.

    Parameters
    ----------
    session : Session
        The profile.
    state : State
        Which trace, and the filter.
    at_once : bool
        Only name a large trace that has not been read yet, rather than read it now.
    """
    if session.failure is not None:
        return str(session.failure)
    trace = session.trace(state)
    if at_once and not trace.is_read and _large(trace.path, trace.file.bytes):
        return f"{trace!r}: {trace.file.bytes / 2**20:,.0f} MiB, not read yet."
    return trace_text(trace)


def _large(path: str, size: int) -> bool:
    return size * (_GZIP_FACTOR if path.endswith(".gz") else 1) > READ_AT_ONCE_BYTES
