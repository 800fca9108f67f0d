"""Unpickling that makes plain containers, strings and numbers, and nothing else.

A pickle is a program: it may name any function of any module and have it called. Dictionaries,
lists, tuples, sets, strings, bytes and numbers have instructions of their own and need no names.
Whatever does name something is refused before it is looked up.
"""

from __future__ import annotations

import copyreg
import pickle
from typing import IO, Any, NoReturn

#: What damaged or hostile data makes the unpickler raise, besides its own error.
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
    """The data are no pickle, are damaged, or hold more than plain values; the text says which."""


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> NoReturn:
        """Refuse: this is how a pickle asks for a class or function."""
        message = (
            f"it asks for {_short(module)}.{_short(name)}, and only plain containers, strings and"
            " numbers are taken from a pickle"
        )
        raise PlainPickleError(message)

    def persistent_load(self, pid: Any) -> NoReturn:
        """Refuse: this is how a pickle asks for an object that lies elsewhere."""
        message = f"it refers to an object outside of the file ({_short(repr(pid))})"
        raise PlainPickleError(message)


def load_plain(stream: IO[bytes]) -> Any:
    """Read one pickled value from a stream.

    Parameters
    ----------
    stream : binary file
        Read up to the end of the first pickle in it.

    Raises
    ------
    PlainPickleError
        It cannot be read, or holds anything but plain values.
    """
    # What extension codes stood for before would be taken from there without asking.
    copyreg.clear_extension_cache()
    try:
        return _PlainUnpickler(stream).load()
    except PlainPickleError:
        raise
    except _FAULTS as error:
        detail = str(error) or type(error).__name__
        message = f"it is damaged or no pickle ({detail})"
        raise PlainPickleError(message) from error


def _short(text: str) -> str:
    """Return a name from a file in a form that is safe to show."""
    plain = text.encode("ascii", "backslashreplace").decode()
    return plain if len(plain) <= 80 else f"{plain[:80]}…"
