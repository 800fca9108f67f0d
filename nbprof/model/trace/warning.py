"""`TraceWarning`: one kind of repair or inconsistency in a trace; imports no Arrow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TraceWarning:
    """One kind of repair or inconsistency: the number of occurrences, and an example.

    Parameters
    ----------
    kind : str
        Short identifier, such as ``"overlapping slices"``.
    count : int
        Number of occurrences.
    example : str
        A description of the first one.
    """

    kind: str
    count: int
    example: str
