"""Unpickles plain containers, strings and numbers, and refuses everything else.

A pickle is a program: it may name any function of any module and call it. Dictionaries, lists,
tuples, sets, strings, bytes and numbers have their own instructions and need no names. Any name is
therefore refused before it is looked up.
"""

from __future__ import annotations

import copyreg
import pickle
from typing import IO, Any, NoReturn

#: Exceptions that damaged or hostile data cause in the unpickler, besides its own error.
_FAULTS = (
    pickle.UnpicklingError,
    AttributeError,
    EOFError,
    ImportError,
    IndexError,
    KeyError,
    MemoryError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)


class PlainPickleError(ValueError):
    """The data are not a pickle, are damaged, or contain more than plain values."""


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> NoReturn:
        """Refuse every class and function that a pickle names."""
        message = (
            f"it requires {_short(module)}.{_short(name)}, but only plain containers, strings"
            " and numbers are read from a pickle"
        )
        raise PlainPickleError(message)

    def persistent_load(self, pid: Any) -> NoReturn:
        """Refuse every reference to an object outside of the pickle."""
        message = f"it refers to an object outside the file ({_short(repr(pid))})"
        raise PlainPickleError(message)


def load_plain(stream: IO[bytes]) -> Any:
    """Load one value of plain types from a pickle stream.

    Parameters
    ----------
    stream : binary file
        Read up to the end of its first pickle.

    Raises
    ------
    PlainPickleError
        The pickle cannot be read, or contains anything but plain values.
    """
    # Cached extension codes would bypass `find_class`.
    copyreg.clear_extension_cache()
    try:
        return _PlainUnpickler(stream).load()
    except PlainPickleError:
        raise
    except _FAULTS as error:
        detail = str(error) or type(error).__name__
        message = f"it is damaged or not a pickle ({detail})"
        raise PlainPickleError(message) from error


def _short(text: str) -> str:
    """Return a name from a file in a form that is safe to display."""
    plain = text.encode("ascii", "backslashreplace").decode()
    return plain if len(plain) <= 80 else f"{plain[:80]}…"
