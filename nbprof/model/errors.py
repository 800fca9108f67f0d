"""The errors and warnings of nbprof; all errors derive from `NbprofError`.

Every message says what was looked for, what was found and what to do about it. Messages quote files
and their names, so `str` writes out their control characters.
"""

from __future__ import annotations

import errno
from traceback import clear_frames

from nbprof.model.visible_text import visible


class NbprofError(Exception):
    """Base of all errors that nbprof raises on purpose."""

    def __str__(self) -> str:
        """Return the message as a terminal may show it."""
        return visible(super().__str__())


class NbprofWarning(UserWarning):
    """Base of all warnings of nbprof."""

    def __str__(self) -> str:
        """Return the message as a terminal may show it."""
        return visible(super().__str__())


class SourceError(NbprofError, TypeError):
    """The source argument is neither a path nor a collection of paths."""


class RecordingError(NbprofError, RuntimeError):
    """Nothing can be recorded here."""


class TraceNotFoundError(NbprofError, FileNotFoundError):
    """Nothing under the given source looks like a profile."""


class TraceFormatError(NbprofError, ValueError):
    """Files matched, but none of them could be read; the text names each file and reason."""


class FilterError(NbprofError, ValueError):
    """A filter field holds something that cannot be applied, such as a reversed range."""


class LimitError(NbprofError, ValueError):
    """A limit on the differences between two runs is not valid; the text says what is."""


class TableError(NbprofError, RuntimeError):
    """A table could not be computed; the text names the table, the trace and the cause."""


class OutOfMemoryError(NbprofError, MemoryError):
    """There is not enough memory to read a file or to compute a table; the text names it."""

    @classmethod
    def of(cls, what: str, error: Exception) -> OutOfMemoryError | None:
        """Return the error to raise in place of another one; None if that is not about memory.

        The frames of the other error are cleared, since they may hold most of the memory.

        Parameters
        ----------
        what : str
            Description of the failure, as a sentence without its full stop.
        error : Exception
            The other error.
        """
        if not lacks_memory(error):
            return None
        clear_frames(error.__traceback__)
        advice = "Free some, or read less: `steps`, `time_us`, `kinds` and `without` of nbprof.load"
        return cls(f"{what}: there is not enough memory. {advice}.")


def lacks_memory(error: Exception) -> bool:
    """Return whether an error was raised because memory is lacking, by Python or by the system."""
    refused = isinstance(error, OSError) and error.errno == errno.ENOMEM
    return refused or isinstance(error, MemoryError)


class WorkerWarning(NbprofWarning):
    """A table over workers lacks one of them; the text names the worker and the reason."""


class FilterWarning(NbprofWarning):
    """A filter leaves a result empty; the text names the filter."""


class ExtensionWarning(NbprofWarning):
    """A table, view or recorder of another package cannot be used; the text names both."""


class UnknownNameError(NbprofError, KeyError):
    """No run, worker, span, table, column or view has that name; the text lists the valid ones."""

    def __str__(self) -> str:
        """Return the message itself; `KeyError` would show its repr."""
        return visible(str(self.args[0])) if self.args else ""
