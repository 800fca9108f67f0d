"""What is odd about a file: counted by kind with the first example, or raised in strict mode."""

from __future__ import annotations

from nbprof.model.errors import TraceFormatError
from nbprof.model.trace.model import TraceWarning

#: An example is for reading: no longer than this.
EXAMPLE_LENGTH = 200


class Faults:
    """Counts repairs and losses while one file is read.

    Parameters
    ----------
    path : str
        The file, for messages.
    strict : bool
        Raise `TraceFormatError` at the first fault.
    """

    def __init__(self, path: str, *, strict: bool = False) -> None:
        self._path = path
        self.strict = strict
        self._found: dict[str, tuple[int, str]] = {}

    def note(self, kind: str, count: int, example: str, *, fatal: bool = True) -> None:
        """Count a fault.

        Parameters
        ----------
        kind : str
            Short identifier, a row of the warnings table.
        count : int
            How often; nothing happens at 0.
        example : str
            The first one, in words.
        fatal : bool
            Whether strict mode takes offence. Events of a kind that nbprof has no use for, and
            what is odd and kept as it is, do not make a file faulty.
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
        """Return the error that says why nothing of the file can be used."""
        return TraceFormatError(f"{self._path} cannot be read as a trace: {reason}.")

    def changed(self) -> TraceFormatError:
        """Return the error that says that the file was written to while it was read."""
        message = (
            f"{self._path} was written to while it was read. "
            "Wait until that is done and call profile.refresh()."
        )
        return TraceFormatError(message)

    def found(self) -> list[tuple[str, int, str]]:
        """Return kind, count and first example, in the order in which the kinds were first met."""
        return [(kind, *rest) for kind, rest in self._found.items()]

    def add(self, found: list[tuple[str, int, str]]) -> None:
        """Count what was found in the same file after all that has been counted so far."""
        for kind, count, example in found:
            before, first = self._found.get(kind, (0, example))
            self._found[kind] = (before + count, first)

    def warnings(self) -> list[TraceWarning]:
        """Return what was counted, in the order in which the kinds were first met."""
        return [TraceWarning(*one) for one in self.found()]
