"""Shortens the names of operators and kernels for the screen, and assigns them colour slots."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

#: Number of colours for names.
SLOTS: Final = 10

_NAMESPACES: Final = re.compile(r"^(?:(?:[\w~]+|\(anonymous namespace\)|\{anonymous\})::)+(?=.)")
_LIBRARY: Final = re.compile(r"^(?:aten|prims|torch::autograd)::")
_BACKWARD: Final = re.compile(r"_?backward", re.IGNORECASE)
_WORD: Final = re.compile(r"\w*")
#: Brackets; ``->`` closes nothing.
_ROUND: Final = re.compile(r"[()]")
_BRACKETS_AND_SPACES: Final = re.compile(r"[<({\[)}\] ]|(?<!-)>")


def display_name(full: str) -> str:
    """Return a name without a leading ``void`` and a trailing argument list.

    Parameters
    ----------
    full : str
        Name as in the trace, often a demangled C++ signature.
    """
    name, _ = _without_arguments(full)
    return name.removeprefix("void ")


def short_name(full: str) -> str:
    """Return a name for a chart: no return type, argument list or leading namespaces.

    Parameters
    ----------
    full : str
        Name as in the trace.
    """
    name, has_arguments = _without_arguments(full)
    name = name.removeprefix("void ")
    if has_arguments:
        name = _without_return_type(name)
    return _NAMESPACES.sub("", name)


def middle_cut(text: str, length: int) -> str:
    """Shorten a text in the middle, keeping both ends: ``cudnn_convo…d_weight``.

    Parameters
    ----------
    text : str
        Any text.
    length : int
        Maximum length of the result, including the ellipsis.
    """
    if len(text) <= length:
        return text
    if length < 4:
        return f"{text[: max(length - 1, 0)]}…"
    # The head is a little longer, as it is more informative than the tail.
    tail = int(length * 0.42)
    return f"{text[: length - tail - 1]}…{text[-tail:]}"


def fnv1a(text: str) -> int:
    """Return the 32-bit FNV-1a hash of a text in UTF-8.

    Parameters
    ----------
    text : str
        Any text; lone surrogates are hashed too.
    """
    value = 2166136261
    for byte in text.encode("utf-8", "surrogatepass"):
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


def stem(name: str) -> str:
    """Return the common stem of an operator, its in-place form and its backward.

    Parameters
    ----------
    name : str
        Such as ``aten::add_`` or ``ConvolutionBackward0``.
    """
    stem = _LIBRARY.sub("", name)
    last_word = _WORD.match(stem[::-1])
    is_backward = _BACKWARD.search(stem, len(stem) - last_word.end()) if last_word else None
    return (stem[: is_backward.start()] if is_backward else stem).rstrip("_").lower()


def color_slots(ranked_names: Iterable[str]) -> Callable[[str], int]:
    """Return the rule that gives every name its colour slot, 0 to 9.

    The first ten names take the slot of their hash or, if it is taken, the next free one, so that
    the ten largest have different colours. All others take the slot of their stem's hash. Rank the
    names of the unfiltered trace: then no filter ever changes a colour.

    Parameters
    ----------
    ranked_names : iterable of str
        Full names, largest first; only the first ten different ones matter.
    """
    slots: dict[str, int] = {}
    taken: set[int] = set()
    for name in ranked_names:
        if len(slots) == SLOTS:
            break
        if name in slots:
            continue
        slot = fnv1a(name) % SLOTS
        while slot in taken:
            slot = (slot + 1) % SLOTS
        taken.add(slot)
        slots[name] = slot

    def slot_of(name: str) -> int:
        known = slots.get(name)
        return fnv1a(stem(name)) % SLOTS if known is None else known

    return slot_of


def _without_arguments(full: str) -> tuple[str, bool]:
    """Drop an argument list, which is a parenthesised end directly after a name."""
    name = full.strip()
    if not name.endswith(")"):
        return name, False
    depth = 0
    for bracket in reversed(list(_ROUND.finditer(name, 1))):
        at = bracket.start()
        depth += 1 if bracket[0] == ")" else -1
        if depth == 0:
            # "Memcpy HtoD (Pageable -> Device)" has a space there, and keeps its end.
            return (name[:at], True) if not name[at - 1].isspace() else (name, False)
    return name, False


def _without_return_type(name: str) -> str:
    """Keep what follows the last space outside all brackets."""
    start = 0
    for at, depth in _depths(name):
        if name[at] == " " and depth == 0 and not name.startswith("const", at + 1):
            start = at + 1
    return name[start:]


def deepest(name: str) -> int:
    """Return how many brackets are open at once in a name at most."""
    return max((depth for _, depth in _depths(name)), default=0)


def _depths(name: str) -> Iterator[tuple[int, int]]:
    """Give the positions of brackets and spaces with the number of brackets open after each."""
    depth = 0
    for mark in _BRACKETS_AND_SPACES.finditer(name):
        if mark[0] in "<({[":
            depth += 1
        elif mark[0] != " ":
            depth = max(depth - 1, 0)
        yield mark.start(), depth
