"""The distinct names of a trace, to which tests are put: all at once where they are many."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.arrays import numpy_of
from nbprof.model.building import arrow_array
from nbprof.model.names.name_tests import NameTest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Mask = npt.NDArray[np.bool_]

#: With fewer names, calling the function for each is quicker than compiling a pattern.
FEW: Final = 2000
#: So many names are searched at a time: their copies stay in the cache and below 2 GB.
_BLOCK: Final = 1 << 15


class Names:
    """Distinct names, to which tests are put: as Python texts, and in Arrow once needed.

    Parameters
    ----------
    texts : sequence of str
        The names.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts

    def __len__(self) -> int:
        """Return the number of names."""
        return len(self.texts)

    @cached_property
    def blocks(self) -> list[Block]:
        """The names in blocks of which each fits into the cache."""
        starts = range(0, len(self.texts), _BLOCK)
        return [Block(self.texts[start : start + _BLOCK]) for start in starts]

    def passing(self, test: Callable[[str], bool]) -> Mask:
        """Return which names pass a test of one name, shape (names,)."""
        if isinstance(test, NameTest) and len(self) >= FEW:
            return np.concatenate([block.passing(test) for block in self.blocks])
        return np.fromiter(map(test, self.texts), bool, len(self))


class Block:
    """Some names in Arrow.

    Python and RE2 differ in other letters than ASCII and at the ends of lines. Names with either
    are unusual, and empty in Arrow.

    Parameters
    ----------
    texts : sequence of str
        The names.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        usual = [name if name.isascii() and "\n" not in name else None for name in texts]
        #: Which names are unusual, shape (names,).
        self.unusual: Mask = np.array([name is None for name in usual], bool)
        #: The others.
        self.usual: pa.Array = arrow_array([name or "" for name in usual], pa.utf8())

    def passing(self, test: NameTest) -> Mask:
        """Return which names of the block pass, shape (names,)."""
        texts = self.usual
        for text in test.without:
            texts = pc.replace_substring(texts, text, "")
        passes = has(texts, test.possible, ignore_case=True) | self.unusual
        for at in np.flatnonzero(passes).tolist():
            passes[at] = test(self.texts[at])
        return passes


def has(texts: pa.Array, pattern: str, *, ignore_case: bool = False) -> Mask:
    """Return which texts an RE2 pattern is found in, shape (texts,)."""
    found: Mask = numpy_of(pc.match_substring_regex(texts, pattern, ignore_case=ignore_case))
    return found
