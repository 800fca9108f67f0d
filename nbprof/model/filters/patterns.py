"""Matches names against a part of the name, or a regular expression between slashes.

Regular expressions have the syntax of RE2. Arrow matches them in time linear in the length of the
name. Without Python, `js/src/offline/tables/match.ts` does the same with a port of RE2.
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
    """Return whether a text has the form of a regular expression, ``/…/``."""
    return len(text) > 2 and text.startswith("/") and text.endswith("/")


def check_pattern(text: str, field: str = "name") -> None:
    """Check a search text; only regular expressions can be invalid.

    Raises
    ------
    FilterError
        The text is a regular expression that RE2 does not accept.
    """
    match_names([""], text, field)  # Arrow compiles nothing for no names


def match_names(
    texts: Sequence[str | None], text: str, field: str = "name"
) -> npt.NDArray[np.bool_]:
    """Return which names contain a text in any case, or match a regular expression.

    Parameters
    ----------
    texts : sequence of str or None
        Names; None matches nothing. For a column, pass its distinct values.
    text : str
        A part of a name, or ``/regular expression/``, which may match anywhere in a name and
        ignores case unless it contains ``(?-i)``.
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
    is_match: npt.NDArray[np.bool_] = numpy_of(filled(hits, value=False))
    return is_match


def match_typed(texts: Sequence[str | None], text: str) -> npt.NDArray[np.bool_]:
    """Match names as `match_names` does, against a text that is still being typed.

    An empty text and an incomplete expression match no name.
    """
    try:
        if text:
            return match_names(texts, text)
    except FilterError:
        pass
    return np.zeros(len(texts), bool)


def _reason(error: Exception) -> str:
    reason = str(error).removeprefix("Invalid regular expression: ")
    for words, name in _NOT_LINEAR.items():
        if words in reason:
            return f"RE2 has no {name}: {reason}"
    return reason
