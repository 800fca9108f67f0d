"""Counts the defects that are repaired or skipped in a file, or raises in strict mode."""

from __future__ import annotations

from nbprof.model.errors import TraceFormatError
from nbprof.model.trace.warning import TraceWarning

#: Maximum length of an example in characters.
EXAMPLE_LENGTH = 200


#: The kind of defect of numbers that cannot be computed with, whichever file or field has them.
TOO_LARGE = "numbers that are too large"


class DefectLog:
    """Counts the repairs and losses of one file while it is read.

    Parameters
    ----------
    path : str
        The file, for messages.
    strict : bool
        Raise `TraceFormatError` at the first defect.
    """

    def __init__(self, path: str, *, strict: bool = False) -> None:
        self._path = path
        self.strict = strict
        self._found: dict[str, tuple[int, str]] = {}

    def note(self, kind: str, count: int, example: str, *, fatal: bool = True) -> None:
        """Count a defect.

        Parameters
        ----------
        kind : str
            Short identifier, a row of the warnings table.
        count : int
            The number of occurrences; 0 has no effect.
        example : str
            A description of the first one.
        fatal : bool
            Whether strict mode raises. Events of kinds that nbprof does not use, and irregular
            values that are kept as they are, do not make a file invalid.
        """
        if count == 0:
            return
        example = " ".join(example.split())[:EXAMPLE_LENGTH]
        if self.strict and fatal:
            message = (
                f"{self._path}: {kind}: {example}. "
                "Reading with strict=False repairs or skips it and counts it as a warning."
            )
            raise TraceFormatError(message)
        before, first = self._found.get(kind, (0, example))
        self._found[kind] = (before + count, first)

    def failure(self, reason: str) -> TraceFormatError:
        """Return the error for an unusable file."""
        return TraceFormatError(f"{self._path} cannot be read as a trace: {reason}.")

    def changed(self) -> TraceFormatError:
        """Return the error for a file that was modified while it was read."""
        message = (
            f"{self._path} changed while it was read. "
            "Wait until it is complete and call profile.refresh()."
        )
        return TraceFormatError(message)

    def found(self) -> list[tuple[str, int, str]]:
        """Return kind, count and first example of all defects, in order of first occurrence."""
        return [(kind, *rest) for kind, rest in self._found.items()]

    def add(self, found: list[tuple[str, int, str]]) -> None:
        """Add the defects of a later part of the same file."""
        for kind, count, example in found:
            before, first = self._found.get(kind, (0, example))
            self._found[kind] = (before + count, first)

    def warnings(self) -> list[TraceWarning]:
        """Return the defects as warnings, in order of first occurrence."""
        return [TraceWarning(*one) for one in self.found()]
