"""Matching of names: a part of the name, or a regular expression between slashes.

Regular expressions have the syntax of RE2 and are matched by Arrow, in time linear in the length
of a name whatever the expression. Where there is no Python, `js/src/offline/tables/match.ts` does
the same with a port of RE2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.arrays import numpy_of
from nbprof.model.building import arrow_array, filled
from nbprof.model.errors import FilterError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: RE2's messages for syntax that cannot be matched in linear time, and names of that syntax.
_NOT_LINEAR: Final = {
    "perl operator: (?=": "look-ahead",
    "perl operator: (?!": "look-ahead",
    "perl operator: (?<": "look-behind",
    "perl operator: (?>": "atomic groups",
    "repetition operator: ++": "possessive repetition",
    "repetition operator: *+": "possessive repetition",
    "repetition operator: ?+": "possessive repetition",
    **{f"escape sequence: \\{digit}": "references to groups" for digit in range(1, 10)},
}


def is_pattern(text: str) -> bool:
    """Whether a text is written as a regular expression, ``/…/``."""
    return len(text) > 2 and text.startswith("/") and text.endswith("/")


def check_pattern(text: str, field: str = "name") -> None:
    """Check a text that is about to be searched for; a part of a name is always valid.

    Raises
    ------
    FilterError
        It is written as a regular expression, and RE2 does not accept it.
    """
    match_names([""], text, field)  # Arrow compiles nothing for no names


def match_names(
    texts: Sequence[str | None], text: str, field: str = "name"
) -> npt.NDArray[np.bool_]:
    """Return which names contain a text in any case, or match a regular expression.

    Parameters
    ----------
    texts : sequence of str or None
        Names; None matches nothing. Of a column, pass the distinct values.
    text : str
        A part of a name, or ``/regular expression/``, which may match anywhere in a name and
        ignores case unless it says ``(?-i)``.
    field : str, optional
        Prefix of error messages.

    Returns
    -------
    ndarray of bool, shape (len(texts),)

    Raises
    ------
    FilterError
        RE2 does not accept the regular expression.
    """
    if not is_pattern(text):
        needle = text.casefold()
        return np.array([one is not None and needle in one.casefold() for one in texts], bool)
    try:
        hits = pc.match_substring_regex(arrow_array(texts, pa.utf8()), text[1:-1], ignore_case=True)
    except (pa.ArrowInvalid, UnicodeEncodeError) as error:
        message = f"{text} is not a valid regular expression ({_reason(error)})."
        raise FilterError(f"{field}: {message}" if field else message) from error
    found: npt.NDArray[np.bool_] = numpy_of(filled(hits, value=False))
    return found


def match_typed(texts: Sequence[str | None], text: str) -> npt.NDArray[np.bool_]:
    """Match names as `match_names`, while somebody is still typing.

    Nothing yet, and an expression that is not valid yet, match no name.
    """
    try:
        if text:
            return match_names(texts, text)
    except FilterError:
        pass
    return np.zeros(len(texts), bool)


def _reason(error: Exception) -> str:
    said = str(error).removeprefix("Invalid regular expression: ")
    for words, name in _NOT_LINEAR.items():
        if words in said:
            return f"RE2 has no {name}: {said}"
    return said
