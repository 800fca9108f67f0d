"""Tells pickles that are cheap to unpickle from others, without unpickling them.

Python's unpickler takes a pickle at its word. A dictionary whose key is a tuple of tuples of tuples
is hashed for ever, since tuples forget their hash, or crashes the process, since hashing recurses
without a limit. Ten bytes may ask for a memo of 32 GiB, and numbers as keys can be chosen to fall
into one place of a dictionary.

A pickler writes containers in one way only: a dictionary, then its items; a list, then its items in
batches. `is_plain_form` accepts only what is written so, with small dictionaries and tuples that
hold no containers, as all snapshots are. All that is in such a pickle takes time and memory in
proportion to its size. One match of a regular expression covers many instructions, so checking
takes less time than unpickling.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Final

#: Instructions that put values into a dictionary at once; those of snapshots have about twenty.
_MOST_ITEMS: Final = 1024
#: Values that one match covers, at most, in a dictionary: how many they were is not counted.
_AT_ONCE: Final = 64

#: Matches of one or several instructions, at most.
_MOST_MATCHES: Final = 10_000_000
#: Values on the stack after which a dictionary without items gets none.
_NEAR: Final = 16
#: Bytes of a whole number, at most; those of an address are nine.
_WHOLE: Final = range(17)

#: The instructions that this module treats one by one; see Python's `pickletools`.
_FRAME, _DICT, _LIST, _STOP = b"\x95}]."
_SETITEMS, _SETITEM, _APPENDS, _APPEND = b"usea"
_LONG_MEMO: Final = ord("r")
#: Instructions before a text or a number of any size, and the bytes of that size.
_LONG: Final = {ord("X"): 4, 0x8D: 8, 0x8B: 4}


@dataclass
class _Group:
    """What was put on the stack since a mark, and which instruction takes it away.

    Attributes
    ----------
    end : int
        `_SETITEMS`, `_APPENDS`, or `_STOP` for the whole pickle.
    count : int
        Values, at most.
    new : list of int
        Places of dictionaries that are empty so far.
    """

    end: int
    count: int = 0
    new: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Forms:
    """Regular expressions of instructions, as many as possible in one match."""

    start: re.Pattern[bytes]
    memo: re.Pattern[bytes]
    values: re.Pattern[bytes]
    items: re.Pattern[bytes]
    value: re.Pattern[bytes]


def is_plain_form(data: bytes) -> bool:
    """Return whether a pickle can be loaded in time and memory proportional to its size.

    False says nothing: such a pickle may be a fine one that is written in another way.

    Parameters
    ----------
    data : bytes
        A pickle; whatever comes after its end is ignored.

    Examples
    --------
    >>> import pickle
    >>> from nbprof.sources.memory_snapshots.pickle_form import is_plain_form
    >>> is_plain_form(pickle.dumps({"segments": [{"size": 512, "pool": (0, 1)}]}))
    True
    >>> is_plain_form(pickle.dumps({((1, 2), (3, 4)): 5}))
    False
    """
    forms = _forms()
    begun = forms.start.match(data)
    at, groups = begun.end() if begun else -1, [_Group(_STOP)]
    for _ in range(_MOST_MATCHES):
        if not 0 <= at < len(data):
            return False
        if data[at] == _STOP:
            return groups[-1].end == _STOP
        at = _after(data, at, groups, forms)
    return False


def _after(data: bytes, at: int, groups: list[_Group], forms: _Forms) -> int:
    """Take one instruction or several; return where they end, -1 for those of another form."""
    code, group = data[at], groups[-1]
    if code == _FRAME:
        return at + 9
    if code in (_APPENDS, _SETITEMS):
        return _close(data, at, groups)
    if code == _SETITEM:
        return at + 1 if _set_one(group) else -1
    if code == _APPEND:
        group.count -= 1
        group.new = [place for place in group.new if place <= group.count]
        return at + 1
    return _put(data, at, groups, forms)


def _close(data: bytes, at: int, groups: list[_Group]) -> int:
    """Take the end of a group; the next batch of a list may begin at once."""
    code = data[at]
    if groups.pop().end != code:
        return -1
    if code == _SETITEMS or data[at + 1 : at + 2] != b"(":
        return at + 1
    groups.append(_Group(_APPENDS))
    return at + 2


def _set_one(group: _Group) -> bool:
    """Take a key and a value away; return whether they are the first of a new dictionary."""
    group.count -= 2
    while group.new and group.new[-1] > group.count:
        group.new.pop()
    return bool(group.new) and group.new.pop() == group.count


def _put(data: bytes, at: int, groups: list[_Group], forms: _Forms) -> int:
    """Take instructions that put values on the stack; return where they end, -1 for others."""
    group = groups[-1]
    if group.new and group.new[0] < group.count - _NEAR:
        group.new = [place for place in group.new if place >= group.count - _NEAR]
    if group.new:  # places count
        found, values = forms.value.match(data, at), 1
    elif group.end == _APPENDS:
        found, values = forms.values.match(data, at), 1
    else:
        found, values = forms.items.match(data, at), _AT_ONCE
    if found is not None:
        group.count += values
        return found.end() if group.end != _SETITEMS or group.count <= _MOST_ITEMS else -1
    code = data[at]
    group.count += 1
    if code in (_DICT, _LIST):
        end = _memo(data, at + 1, forms)
        if end >= 0 and data[end : end + 1] == b"(":
            groups.append(_Group(_SETITEMS if code == _DICT else _APPENDS))
            return end + 1
        if code == _DICT:
            group.new.append(group.count)
        return end
    if code in _LONG:
        content = at + 1 + _LONG[code]
        end = content + int.from_bytes(data[at + 1 : content], "little")
        if end > len(data):
            return -1
        return end if code == 0x8B else _memo(data, end, forms)
    return -1


def _memo(data: bytes, at: int, forms: _Forms) -> int:
    """Return the end of the instruction that keeps a value, if there is one; -1 if it is absurd."""
    if data[at : at + 1] == b"r":
        return at + 5 if int.from_bytes(data[at + 1 : at + 5], "little") < at else -1
    found = forms.memo.match(data, at)
    return found.end() if found else at


@cache
def _forms() -> _Forms:
    """Return the expressions, which are compiled when the first pickle is read."""
    memo = rb"(?:\x94|q.|r..[\x00-\x0f]\x00)?+"
    short = b"|".join(re.escape(bytes([size])) + b".{%d}" % size for size in range(256))
    long = b"|".join(re.escape(size.to_bytes(4, "little")) + b".{%d}" % size for size in range(256))
    whole = b"|".join(re.escape(bytes([size])) + b".{%d}" % size for size in _WHOLE)
    number = rb"(?>J.{4}|K.|\x8a(?>" + whole + rb")|M..|[N\x88\x89]|G.{8})"
    text = rb"(?>\x8c(?>" + short + rb")|X(?>" + long + rb"))" + memo
    more = rb"(?:\x85|" + number + rb"(?:\x86|" + number + rb"\x87))" + memo
    one = rb"(?>h.|j.{4}|" + number + rb"(?:" + more + rb")?+|" + text + rb"|\))"
    flat = rb"\}" + memo + rb"(?>\(" + one + rb"{2,%d}+u|" % _AT_ONCE + one * 2 + rb"s)"
    values = rb"(?>" + one + rb"|" + flat + rb")"
    inner = rb"(?>" + one + rb"|\]" + memo + rb"\(" + values + rb"*+e)"
    nested = rb"\}" + memo + rb"\(" + inner + rb"{2,%d}+u" % _AT_ONCE
    return _Forms(
        start=re.compile(rb"\x80[\x02-\x05]"),
        memo=re.compile(memo, re.DOTALL),
        values=re.compile(rb"(?>" + values + rb"|" + nested + rb")++", re.DOTALL),
        items=re.compile(values + rb"{1,%d}+" % _AT_ONCE, re.DOTALL),
        value=re.compile(values, re.DOTALL),
    )
