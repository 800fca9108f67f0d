"""Groups labels that differ only in numbers and bracketed text into families.

An engine names each iteration after its batch, such as ``execute_context_1(5)_generation_3(3)`` or
``step[EXTEND bs=15 toks=812]``. The name of a family omits the varying parts:
``execute_context_…_generation_…``, ``step[EXTEND …]``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Placeholder for the varying part of a name.
CHANGES: Final = "…"

_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
#: Numbers, unless they are inside or at the start of a word, as in `conv2d`.
_NUMBER: Final = r"(?<!\d)(?<!\d\.)\d+(?:\.\d+)?(?![A-Za-z\d]|\.\d)"
_BRACKET: Final = r"(?<=\w)[(\[{]"
#: What may vary in a name, by whether that includes numbers at the end of a word, as in `step12`.
_NEXT: Final = {
    False: re.compile(rf"(?<![A-Za-z]){_NUMBER}|{_BRACKET}"),
    True: re.compile(rf"{_NUMBER}|{_BRACKET}"),
}
_DOUBLE: Final = re.compile(r"…(?:\(…\)|\[…\]|\{…\})")


def family_of(name: str, *, endings: bool = False) -> tuple[str, ...]:
    """Return the parts, in order, that all names of the family of a name share.

    Parameters
    ----------
    name : str
        A label.
    endings : bool, optional
        Whether numbers at the end of a word vary, too. Those that do not count up belong to the
        word, as in `float32`. Numbers before a letter always do.
    """
    return tuple(_pieces(name, endings)[::2])


def family_name(names: Sequence[str], *, endings: bool = False) -> str:
    """Return a readable name for names of one family: their common parts, joined by ``…``."""
    pieces = [_pieces(name, endings) for name in names]
    text = "".join(
        values[0] if len(set(values)) == 1 else f"{_common_words(values)}{CHANGES}"
        for values in zip(*pieces, strict=True)
    )
    return _DOUBLE.sub(CHANGES, text)


def consecutive_numbers(names: Sequence[str]) -> list[int] | None:
    """Return the number in each name that increases by one from name to name.

    Parameters
    ----------
    names : sequence of str
        In time order.

    Returns
    -------
    list of int or None
        None if no number in the names counts them.
    """
    found = [re.findall(r"\d+", name) for name in names]
    width = len(found[0]) if found else 0
    if len(names) < 2 or any(len(numbers) != width for numbers in found):
        return None
    for column in zip(*found, strict=True):
        if any(len(text) > 18 for text in column):  # exceeds int64
            continue
        numbers = [int(text) for text in column]
        if numbers == list(range(numbers[0], numbers[0] + len(numbers))):
            return numbers
    return None


def _pieces(name: str, endings: bool) -> list[str]:
    """Return fixed and varying parts in alternation; the first and the last one are fixed."""
    pieces, kept, at = [], 0, 0
    ends = _ends_of_groups(name)
    while (match := _NEXT[endings].search(name, at)) is not None:
        start = match.start()
        if name[start] in _CLOSING:
            end = ends.get(start, -1)
            if end < 0:  # an unclosed bracket is an ordinary character
                at = start + 1
                continue
            start += 1
        else:
            end = match.end()
        pieces += [name[kept:start], name[start:end]]
        kept = at = end
    return [*pieces, name[kept:]]


def _ends_of_groups(name: str) -> dict[int, int]:
    """Return the position of the bracket that closes each bracket, for those that are closed."""
    ends: dict[int, int] = {}
    for opening, closing in _CLOSING.items():
        if opening not in name:
            continue
        waiting: list[int] = []
        for at, letter in enumerate(name):
            if letter == opening:
                waiting.append(at)
            elif letter == closing and waiting:
                ends[waiting.pop()] = at
    return ends


def _common_words(values: Sequence[str]) -> str:
    """Return the words that all texts begin with, before any number or other character."""
    common = ""
    for words in zip(*(text.split() for text in values), strict=False):
        if len(set(words)) > 1 or not words[0].isidentifier():
            break
        common += f"{words[0]} "
    return common
