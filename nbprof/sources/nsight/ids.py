"""Process and thread in the numbers that Nsight Systems writes for both.

Bits 24 to 47 are the process, 0 to 23 the thread; those above name the machine. Of larger ids only
these bits are in the file.
"""

from __future__ import annotations

from typing import Any, Final

_BITS: Final = 24
_MASK: Final = (1 << _BITS) - 1


def pid_of(number: Any) -> Any:
    """Return the process in a ``globalTid`` or ``globalPid``, or in an array of them.

    Examples
    --------
    >>> pid_of(0x112C69D12C69D), tid_of(0x112C69D12C69D)
    (1230493, 1230493)
    """
    return (number >> _BITS) & _MASK


def tid_of(number: Any) -> Any:
    """Return the thread in a ``globalTid``, or in an array of them."""
    return number & _MASK


def of_process(column: str, process: int | None) -> str:
    """Return the SQL condition for the rows of a process; empty for all.

    A row whose value is no whole number belongs to none, whatever SQL would convert it to.
    """
    if process is None:
        return ""
    same = f'("{column}" >> {_BITS}) & {_MASK} = {int(process)}'
    return f"""(typeof("{column}") = 'integer' AND {same})"""
