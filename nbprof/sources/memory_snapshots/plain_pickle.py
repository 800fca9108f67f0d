"""Unpickles plain containers, strings and numbers, and refuses everything else.

A pickle is a program: it may name any function of any module and call it. Dictionaries, lists,
tuples, sets, strings, bytes and numbers have their own instructions and need no names. Any name is
therefore refused before it is looked up. Plain values can do harm, too: see `pickle_form`.
"""

from __future__ import annotations

import io
import pickle
from typing import Any, Final, NoReturn

from nbprof.model.units import format_bytes
from nbprof.sources.limits.unpacking import unpacking_budget
from nbprof.sources.memory_snapshots.pickle_form import is_plain_form
from nbprof.sources.memory_snapshots.pickle_reader import PlainPickleError, damaged, read_plain

#: Exceptions that damaged data cause in the unpickler.
_FAULTS = (
    pickle.UnpicklingError,
    AttributeError,
    EOFError,
    IndexError,
    KeyError,
    MemoryError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)

#: Bytes that a dictionary, a list, and what takes one byte of a pickle need in memory, at most.
_DICT, _LIST, _BYTE = 240, 96, 8
#: How often the budget of unpacked bytes the values may take.
_GROWTH: Final = 6


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> NoReturn:
        """Refuse every class and function; a pickle in plain form names none."""
        message = f"it requires {module!a}.{name!a}"
        raise PlainPickleError(message)


def load_plain(data: bytes, packed: int) -> Any:
    """Load one value of plain types from a pickle.

    Parameters
    ----------
    data : bytes
        Begins with a pickle.
    packed : int
        Size of the file; the data of a compressed one may take only so much memory.

    Raises
    ------
    PlainPickleError
        The pickle cannot be read, or contains anything but plain values.
    """
    _check_room(data, packed)
    if not is_plain_form(data):
        return read_plain(data)
    try:
        return _PlainUnpickler(io.BytesIO(data)).load()
    except _FAULTS as error:
        raise PlainPickleError(damaged(error)) from error


def _check_room(data: bytes, packed: int) -> None:
    """Raise `PlainPickleError` if a small file would take far more memory than its size."""
    needed = _DICT * data.count(b"}") + _LIST * data.count(b"]") + _BYTE * len(data)
    budget = _GROWTH * unpacking_budget(packed)
    if needed > budget:
        message = (
            f"what {format_bytes(packed)} unpack to would take about {format_bytes(needed)} of"
            f" memory, more than {format_bytes(budget)}, the limit of"
            " nbprof.options.unpacked_bytes and unpacked_ratio"
        )
        raise PlainPickleError(message)
