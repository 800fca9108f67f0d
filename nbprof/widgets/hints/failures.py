"""`ViewError`: one error of a view, for `view.errors` and for the message on screen."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from typing import Any, Final

from traitlets import TraitError

from nbprof.model.errors import (
    FilterError,
    NbprofError,
    TraceFormatError,
    TraceNotFoundError,
    UnknownNameError,
)
from nbprof.widgets.requests.protocol import ReplyTooLargeError, RequestError

#: What the user can do next, by class of error; the first match counts.
_HINTS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (
        TraceNotFoundError,
        'Record a trace with on_trace_ready=tensorboard_trace_handler("logs/"), then Refresh.',
    ),
    (
        TraceFormatError,
        "Choose another file. If this one is still being written, wait, then click Refresh.",
    ),
    (FilterError, "Correct this part of the filter, or clear it."),
    (UnknownNameError, "Click Refresh to look for new files, or choose another trace."),
    (RequestError, "Reload the page, then run the cell again."),
    (ReplyTooLargeError, "Narrow the filter, or use view.table in Python."),
    (TraitError, "The previous value is kept."),
    (MemoryError, "Free memory in this kernel, or load one worker alone."),
    (NbprofError, "The message says why; view.errors has it in Python."),
    (OSError, "Check that the file still exists and is readable, then click Refresh."),
)
_FAULT: Final = "This is a bug in nbprof. Please include the details when you report it."

#: Maximum length of a traceback sent to the browser; its end, with the last calls, is kept.
_DETAILS_LENGTH: Final = 4000


@dataclass(frozen=True)
class ViewError:
    """An error that occurred in a view.

    Attributes
    ----------
    op : str
        What failed: the name of a request, ``"show"`` or ``"traits"``.
    error : Exception
        The exception, without its traceback, which would keep tables alive.
    hint : str
        What to do next.
    details : str
        The traceback as text for bugs in nbprof; otherwise empty.
    """

    op: str
    error: Exception
    hint: str
    details: str = field(repr=False)

    @classmethod
    def of(cls, op: str, error: Exception) -> ViewError:
        """Build a `ViewError` from an exception that was just caught."""
        hint = next((text for kind, text in _HINTS if isinstance(error, kind)), _FAULT)
        expected = isinstance(error, (NbprofError, TraitError))
        details = "" if expected else "".join(traceback.format_exception(error))[-_DETAILS_LENGTH:]
        _strip(error)
        return cls(op, error, hint, details)

    def plain(self) -> dict[str, Any]:
        """Return the ``error`` field of a reply."""
        kind = type(self.error).__name__
        message = str(self.error) or kind
        if not isinstance(self.error, (NbprofError, TraitError, OSError)):
            message = f"{kind}: {message}"
        return {"type": kind, "message": message, "hint": self.hint, "details": self.details}

    def __str__(self) -> str:
        """Return what failed, why, and what to do."""
        return f"{self.op}: {self.plain()['message']} {self.hint}"


def _strip(error: BaseException | None) -> None:
    while error is not None:
        error.__traceback__ = None
        error = error.__cause__ or error.__context__
