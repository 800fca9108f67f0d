"""Handlers of ``trace_file`` and ``page_file``: traces and pages that the browser downloads."""

from __future__ import annotations

import math
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nbprof.defaults import options
from nbprof.model.filters.filter import Filter
from nbprof.sources import write_chrome_trace
from nbprof.widgets.requests.arrow import PAGE_BYTES
from nbprof.widgets.requests.protocol import Reply, RequestError
from nbprof.widgets.session.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.trace import Trace
    from nbprof.widgets.session.session import Progress, Session

#: Maximum size of a file sent to the browser; larger ones are written with `to_chrome_trace`.
MOST_BYTES: Final = 256_000_000


class _File(bytes):
    """The content of a file, with its size for caches that count bytes."""

    @property
    def nbytes(self) -> int:
        return len(self)


def trace_file(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return a part of the trace, or all of it, as Chrome JSON compressed with gzip.

    ``range_us`` is the range of time; null for everything.
    """
    state = State.parse(params.get("state"))
    range_us = _range(params.get("range_us"))
    whole = session.trace(state, progress).filter(Filter())
    trace = whole.filter(time_us=range_us) if range_us else whole
    content = session.cached(whole, ("trace file", range_us), lambda: _written(trace))
    return _part(content, _name(trace, "pt.trace.json.gz"), params)


def page_file(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return what the view shows as one page, as `Explorer.to_html` writes it."""
    from nbprof.widgets.saved.page import page_html

    state = State.parse(params.get("state"))
    trace = session.trace(state, progress)
    if session.traits is None:
        message = "There is no view to write a page of."
        raise RequestError(message)
    traits = session.traits()
    most = options.page_bytes
    content = session.cached(
        trace,
        ("page file", state.filter, most, repr(traits)),
        lambda: _File(page_html(session, state, traits, most).encode()),
    )
    return _part(content, _name(trace, "html"), params)


def _written(trace: Trace) -> _File:
    """Return the file of a trace.

    Raises
    ------
    RequestError
        It is too large for a browser.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json.gz"
        write_chrome_trace(trace.model, path, trace.active_filter)
        size = path.stat().st_size
        if size > MOST_BYTES:
            message = (
                f"The file takes {size / 1e6:,.0f} MB, more than a browser is sent at once."
                " Select a shorter range, or write it with view.trace.to_chrome_trace(path)."
            )
            raise RequestError(message)
        return _File(path.read_bytes())


def _part(content: bytes, filename: str, params: Mapping[str, Any]) -> Reply:
    """Return one part of a file; the browser asks for all ``parts``."""
    parts = max(1, -(-len(content) // PAGE_BYTES))
    part = params.get("part") or 0
    if not isinstance(part, int) or isinstance(part, bool) or not 0 <= part < parts:
        message = f"There is no part {part!r} of a file of {parts}."
        raise RequestError(message)
    piece = bytes(content[part * PAGE_BYTES : (part + 1) * PAGE_BYTES])
    return Reply({"filename": filename, "part": part, "parts": parts}, [piece])


def _name(trace: Trace, suffix: str) -> str:
    """Return a file name that any system accepts."""
    words = (trace.run, trace.worker, f"span{trace.span}" if trace.span > 1 else "")
    clean = (re.sub(r"[^\w-]+", "_", word).strip("_") for word in words)
    return ".".join(("-".join(filter(None, clean)) or "profile", suffix))


def _range(plain: object) -> tuple[float, float] | None:
    if plain is None:
        return None
    numbers = list(plain) if isinstance(plain, (list, tuple)) else []
    finite = len(numbers) == 2 and all(
        isinstance(one, (int, float)) and not isinstance(one, bool) and math.isfinite(one)
        for one in numbers
    )
    if not finite or numbers[0] > numbers[1]:
        message = f"A range has two times in ascending order, not {plain!r}."
        raise RequestError(message)
    return float(numbers[0]), float(numbers[1])
