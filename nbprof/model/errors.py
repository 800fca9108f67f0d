"""The errors and warnings of nbprof; all errors derive from `NbprofError`.

Every message says what was looked for, what was found and what to do about it.
"""

from __future__ import annotations


class NbprofError(Exception):
    """Base of all errors that nbprof raises on purpose."""


class SourceError(NbprofError, TypeError):
    """What was passed as a source is no path and nothing that holds paths."""


class TraceNotFoundError(NbprofError, FileNotFoundError):
    """Nothing under the given source looks like a profile."""


class TraceFormatError(NbprofError, ValueError):
    """Files matched, but none of them could be read; the text names each file and reason."""


class FilterError(NbprofError, ValueError):
    """A filter field holds something that cannot be applied, such as a reversed range."""


class FilterWarning(UserWarning):
    """A filter keeps nothing of what there is; the text names the filter."""


class ExtensionWarning(UserWarning):
    """A table, view or recorder of another package cannot be used; the text names both."""


class UnknownNameError(NbprofError, KeyError):
    """No run, worker, span, table, column or view has that name; the text lists those there are."""

    def __str__(self) -> str:
        """Return the message itself; `KeyError` would show its repr."""
        return str(self.args[0]) if self.args else ""
