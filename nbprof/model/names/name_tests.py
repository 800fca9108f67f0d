"""Tests of names that are quick for a million distinct names: most are ruled out all at once.

A test is a Python function of one name. One call for each of a million names takes seconds, so a
`NameTest` also has a pattern that every passing name matches. Arrow looks for the pattern in all
names at once, and only the names that have it are given to the function. The results are exactly
those of the function. `distinct_names` does this. Nothing here imports Arrow, which processes that
read a part of a file do without.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final

from nbprof.model.names.long_names import ends_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: A look-around, which RE2 does not have. None in nbprof's patterns contains a parenthesis.
_LOOK_AROUND: Final = re.compile(r"\(\?<?[=!][^()]*\)")


class NameTest:
    """A test of names, for one name (call it) or for many (`distinct_names.Names.passing`).

    Parameters
    ----------
    passes : callable
        The test of one name.
    possible : str
        A regular expression for RE2, ignoring case, that is found in every ASCII name that passes.
    without : tuple of str, optional
        Texts that are removed from names before the pattern is searched.
    """

    def __init__(
        self, passes: Callable[[str], bool], possible: str, without: tuple[str, ...] = ()
    ) -> None:
        functools.update_wrapper(self, passes)
        self._passes, self.possible, self.without = passes, possible, without

    def __call__(self, name: str) -> bool:
        """Return whether a name passes; of a long one, its ends are looked at."""
        return self._passes(ends_of(name))


def name_test(
    possible: str, without: tuple[str, ...] = ()
) -> Callable[[Callable[[str], bool]], NameTest]:
    """Make a function of one name a `NameTest`; as a decorator.

    >>> @name_test(possible="gemm")
    ... def is_product(name):
    ...     return name.endswith("gemm")
    >>> is_product("sgemm"), is_product("gemm_helper")
    (True, False)
    """
    return lambda passes: NameTest(passes, possible, without)


def finds(pattern: re.Pattern[str]) -> NameTest:
    """Return the test whether a pattern is found in a name.

    >>> finds(re.compile("^gloo:"))("gloo:all_reduce")
    True
    """
    search = pattern.search
    return NameTest(lambda name: search(name) is not None, relaxed(pattern.pattern))


def starts(*prefixes: str) -> NameTest:
    """Return the test whether a name begins with one of some texts.

    >>> starts("aten::")("aten::mm")
    True
    """
    return NameTest(lambda name: name.startswith(prefixes), f"^(?:{_any_of(prefixes)})")


def is_one_of(names: Iterable[str]) -> NameTest:
    """Return the test whether a name is one of some names.

    >>> is_one_of(["aten::mm"])("aten::mm_")
    False
    """
    known = frozenset(names)
    return NameTest(known.__contains__, f"^(?:{_any_of(known)})$")


def _any_of(texts: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(texts)))


def relaxed(pattern: str) -> str:
    r"""Return a pattern without look-arounds, which is found wherever the pattern is.

    >>> relaxed(r"(?<![a-z])b?mm(?![a-z])")
    'b?mm'
    """
    return _LOOK_AROUND.sub("", pattern)
