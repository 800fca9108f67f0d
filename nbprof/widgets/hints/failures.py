"""What went wrong, kept for `view.errors` and worded for the screen."""

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

#: What to do next, by kind of error; the first that fits.
_HINTS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (
        TraceNotFoundError,
        'Record one with on_trace_ready=tensorboard_trace_handler("logs/"), then read again.',
    ),
    (
        TraceFormatError,
        "Choose another file; where it is still being written, wait, then read it again.",
    ),
    (FilterError, "Correct that part of the filter, or clear it."),
    (UnknownNameError, "Look for new files with Refresh, or choose another."),
    (RequestError, "Reload the page, then run the cell again."),
    (ReplyTooLargeError, "Narrow the filter, or use view.table in Python."),
    (TraitError, "The value before it stays."),
    (MemoryError, "Free memory in this kernel, or load one worker alone."),
    (OSError, "Check that the file is still there and can be read, then read again."),
)
_FAULT: Final = "This is a fault in nbprof; the details help to report it."

#: Characters of a traceback that go to the browser: the last calls matter.
_DETAILS_LENGTH: Final = 4000


@dataclass(frozen=True)
class ViewError:
    """One thing that went wrong in a view.

    Attributes
    ----------
    op : str
        What was being done: an operation of the protocol, ``"show"`` or ``"traits"``.
    error : Exception
        The error, without its traceback, which would keep tables in memory.
    hint : str
        What to do next.
    details : str
        The traceback as text, of errors that are nbprof's own fault; otherwise empty.
    """

    op: str
    error: Exception
    hint: str
    details: str = field(repr=False)

    @classmethod
    def of(cls, op: str, error: Exception) -> ViewError:
        """Keep an error that was just caught."""
        hint = next((text for kind, text in _HINTS if isinstance(error, kind)), _FAULT)
        expected = isinstance(error, (NbprofError, TraitError))
        details = "" if expected else "".join(traceback.format_exception(error))[-_DETAILS_LENGTH:]
        _strip(error)
        return cls(op, error, hint, details)

    def plain(self) -> dict[str, Any]:
        """Return it as the ``error`` of a reply."""
        kind = type(self.error).__name__
        message = str(self.error) or kind
        if not isinstance(self.error, (NbprofError, TraitError, OSError)):
            message = f"{kind}: {message}"
        return {"type": kind, "message": message, "hint": self.hint, "details": self.details}

    def __str__(self) -> str:
        """Say what failed, why, and what to do."""
        return f"{self.op}: {self.plain()['message']} {self.hint}"


def _strip(error: BaseException | None) -> None:
    while error is not None:
        error.__traceback__ = None
        error = error.__cause__ or error.__context__
