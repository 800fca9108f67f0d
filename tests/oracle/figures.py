"""A number of nbprof beside the same number of another tool."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

Row = dict[str, Any]

#: How far unrounded figures may be apart, relatively.
RELATIVE = 1e-6
LONGEST_KEY = 60


@dataclass(frozen=True)
class Figure:
    """One figure.

    Attributes
    ----------
    table, key, column : str
        Where it stands: our name of the table, the row, and our name of the column.
    ours, theirs : number, text, bool or None
        None stands for a row or value that is not there.
    digits : int or None
        Decimals that the other tool rounds to, None where it does not round.
    slack : float
        How exact the other tool can be, in the unit of the figure.
    """

    table: str
    key: str
    column: str
    ours: Any
    theirs: Any
    digits: int | None = None
    slack: float = 0.0

    def __post_init__(self) -> None:
        """Keep keys short enough to read: names of kernels run to hundreds of characters."""
        if len(self.key) > LONGEST_KEY:
            digest = hashlib.sha1(self.key.encode(), usedforsecurity=False).hexdigest()
            object.__setattr__(self, "key", f"{self.key[:LONGEST_KEY]}… {digest[:10]}")

    @property
    def equal(self) -> bool:
        """Whether both tools say the same."""
        ours, theirs = self.ours, self.theirs
        if not _is_number(ours) or not _is_number(theirs):
            return bool(ours == theirs)
        if self.digits is not None and theirs in _rounded(ours, self.digits):
            return True
        half = 0.5 * 10.0**-self.digits if self.digits is not None and self.slack else 0.0
        if self.digits is not None and not self.slack:
            return False
        return math.isclose(ours, theirs, rel_tol=RELATIVE, abs_tol=self.slack + half)


def _rounded(value: float, digits: int) -> set[float]:
    """Return what a value may be rounded to: at a tie the last bit and the library decide."""
    near = (value, value * (1 - 1e-12), value * (1 + 1e-12))
    return {round(v, digits) for v in near} | {float(np.round(v, digits)) for v in near}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def get(row: Row | None, column: str) -> Any:
    """Return a value of a row, None without the row."""
    return None if row is None else row[column]
