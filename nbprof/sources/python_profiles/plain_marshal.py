"""Reads plain values in the format of Python's module `marshal`, of any version of Python.

`marshal.loads` is not made for files of others: it may crash or take any amount of memory, and it
builds code objects. This reader knows the types that profiles consist of and refuses all others. It
reads no further than the data, and what it builds takes memory in proportion to them.

The format is described only by its implementation, ``Python/marshal.c`` of CPython: a byte with the
type of a value, whose highest bit says that later values refer to this one by number, then its
content. Sizes and numbers are little-endian.
"""

from __future__ import annotations

import math
import struct
from typing import Any, Final

#: Bit of a type: the value is numbered, for references.
_SHARED: Final = 0x80
#: Number of tuples and lists inside each other, at most; those of profiles have two.
_DEEPEST: Final = 8
#: 15-bit digits of an integer, at most; a profile counts calls.
_MOST_DIGITS: Final = 8

_INT: Final = struct.Struct("<i").unpack_from
_INT64: Final = struct.Struct("<q").unpack_from
_FLOAT: Final = struct.Struct("<d").unpack_from
_DIGIT: Final = struct.Struct("<H").unpack_from
#: A tuple of two integers, or references to some, and two floating-point numbers.
_ROW: Final = struct.Struct("<HBiBiBdBd")
_ROW_START: Final = int.from_bytes(b")\x04", "little")
#: An integer, a shared one, and a reference: all have five bytes.
_WHOLE: Final = frozenset({ord("i"), ord("i") | _SHARED, ord("r")})

#: The characters of the types.
_REF, _INT32, _BINARY_FLOAT, _SMALL_TUPLE, _TUPLE, _LIST = b"rig)(["
_SHORT_TEXTS: Final = frozenset(b"zZ")
_LONG_TEXTS: Final = frozenset(b"aAuts")
_OLD_INTERNED, _OLD_REF = b"tR"  # of Python 2, which numbers interned strings
_LONG, _LONGER, _TEXT_FLOAT = b"lIf"
_CONSTANTS: Final = {ord("N"): None, ord("T"): True, ord("F"): False}
DICT: Final = ord("{")
_END: Final = ord("0")


class PlainMarshalError(ValueError):
    """The data are damaged, end too early, or contain more than plain values."""


class PlainMarshal:
    """Reads one value after the other.

    All methods raise `PlainMarshalError` where the data do not contain what they read.

    Parameters
    ----------
    data : bytes-like
        The whole content of a file.

    Attributes
    ----------
    position : int
        Number of bytes read so far.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0
        self._shared: list[Any] = []
        self._interned: list[str] = []

    def opens(self, kind: int) -> bool:
        """Take the beginning of a dictionary, if it comes next, and return whether it does.

        Later references to it are None.

        Parameters
        ----------
        kind : int
            `DICT`.
        """
        code = self._byte()
        if code & ~_SHARED != kind:
            return False
        self.position += 1
        if code & _SHARED:
            self._shared.append(None)
        return True

    def ends(self) -> bool:
        """Take the end of a dictionary, if it comes next, and return whether it does."""
        ended = self._byte() == _END
        self.position += ended
        return ended

    def items(self) -> int | None:
        """Take the beginning of a tuple and return its length; None if something else is next.

        Later references to it are None.
        """
        kind = self._byte() & ~_SHARED
        if kind not in (_SMALL_TUPLE, _TUPLE):
            return None
        if self._byte() & _SHARED:
            self._shared.append(None)
        self.position += 1
        return self._count(kind)

    def row(self) -> Any:
        """Return the next value, of the usual form of a million values in a profile in one step.

        That is a tuple of two integers and two floating-point numbers.
        """
        at = self.position
        if len(self._data) - at < _ROW.size:
            return self.value()
        start, kind, first, kind_2, second, kind_3, third, kind_4, fourth = _ROW.unpack_from(
            self._data, at
        )
        if not (
            start == _ROW_START
            and kind in _WHOLE
            and kind_2 in _WHOLE
            and kind_3 & ~_SHARED == _BINARY_FLOAT
            and kind_4 & ~_SHARED == _BINARY_FLOAT
        ):
            return self.value()
        self.position = at + _ROW.size
        if kind == kind_2 == _INT32 and kind_3 == kind_4 == _BINARY_FLOAT:
            return first, second, third, fourth
        found = []
        parts = ((kind, first), (kind_2, second), (kind_3, third), (kind_4, fourth))
        for code, number in parts:
            if code == _REF:
                found.append(self._referred(number))
                continue
            found.append(number)
            if code & _SHARED:
                self._shared.append(number)
        return tuple(found)

    def value(self, depth: int = 0) -> Any:
        """Return the next value: a text, a number, None, a boolean, a tuple or a list."""
        data, at = self._data, self.position
        try:
            code = data[at]
            kind = code & ~_SHARED
            found: Any
            if kind == _REF:
                self.position = at + 5
                return self._referred(_INT(data, at + 1)[0])
            if kind == _INT32:
                (found,) = _INT(data, at + 1)
                self.position = at + 5
            elif kind == _BINARY_FLOAT:
                (found,) = _FLOAT(data, at + 1)
                self.position = at + 9
            elif kind in (_SMALL_TUPLE, _TUPLE, _LIST):
                self.position = at + 1
                return self._sequence(kind, depth, shared=code & _SHARED)
            else:
                self.position = at + 1
                found = self._other(kind)
        except (IndexError, struct.error):
            message = f"it ends at byte {at:,}"
            raise PlainMarshalError(message) from None
        if code & _SHARED:
            self._shared.append(found)
        return found

    def _referred(self, number: int) -> Any:
        try:
            if number >= 0:
                return self._shared[number]
        except IndexError:
            pass
        message = f"it refers to nothing at byte {self.position:,}"
        raise PlainMarshalError(message)

    def _sequence(self, kind: int, depth: int, *, shared: int) -> Any:
        count = self._count(kind)
        if depth >= _DEEPEST:
            message = f"it has values in more than {_DEEPEST} others at byte {self.position:,}"
            raise PlainMarshalError(message)
        place = len(self._shared)
        if shared:
            self._shared.append(None)  # numbered before what it contains
        found: Any = [self.value(depth + 1) for _ in range(count)]
        if kind != _LIST:
            found = tuple(found)
        if shared:
            self._shared[place] = found
        return found

    def _other(self, kind: int) -> Any:
        if kind in _SHORT_TEXTS:
            return self._text(self._count(_SMALL_TUPLE))
        if kind in _LONG_TEXTS:
            text = self._text(self._count(_TUPLE))
            if kind == _OLD_INTERNED:
                self._interned.append(text)
            return text
        if kind in _CONSTANTS:
            return _CONSTANTS[kind]
        if kind == _OLD_REF:
            return self._interned[self._int()]
        if kind in (_LONG, _LONGER, _TEXT_FLOAT):
            return self._rare_number(kind)
        message = f"it has a value of the type {chr(kind)!r} at byte {self.position - 1:,}"
        raise PlainMarshalError(message)

    def _rare_number(self, kind: int) -> float:
        """Return a number in a form of early versions of Python, or a large one."""
        if kind == _LONG:
            return self._long()
        if kind == _TEXT_FLOAT:
            return self._float_of_text()
        number: int
        (number,) = _INT64(self._data, self.position)
        self.position += 8
        return number

    def _byte(self) -> int:
        try:
            return self._data[self.position]
        except IndexError:
            message = f"it ends at byte {self.position:,}"
            raise PlainMarshalError(message) from None

    def _count(self, kind: int) -> int:
        """Return the length of what follows, which is never more than the bytes that are left."""
        if kind == _SMALL_TUPLE:
            count = self._byte()
            self.position += 1
        else:
            count = self._int()
        if not 0 <= count <= len(self._data) - self.position:
            message = f"it ends inside the value at byte {self.position:,}"
            raise PlainMarshalError(message)
        return count

    def _int(self) -> int:
        number: int
        try:
            (number,) = _INT(self._data, self.position)
        except struct.error:
            message = f"it ends at byte {self.position:,}"
            raise PlainMarshalError(message) from None
        self.position += 4
        return number

    def _text(self, length: int) -> str:
        start = self.position
        self.position += length
        # Names of files may contain bytes that are no text, which Python keeps as lone surrogates.
        return bytes(self._data[start : self.position]).decode("utf-8", "replace")

    def _long(self) -> float:
        """Return an integer of 15-bit digits, the lowest first; a negative count negates it.

        One of very many digits is skipped, and infinite.
        """
        count = self._int()
        if abs(count) > _MOST_DIGITS:
            if 2 * abs(count) > len(self._data) - self.position:
                message = f"it ends inside a number of {abs(count):,} digits"
                raise PlainMarshalError(message)
            self.position += 2 * abs(count)
            return math.inf
        number = 0
        for place in range(abs(count)):
            number |= _DIGIT(self._data, self.position)[0] << (15 * place)
            self.position += 2
        return -number if count < 0 else number

    def _float_of_text(self) -> float:
        text = self._text(self._count(_SMALL_TUPLE))
        try:
            return float(text)
        except ValueError:
            message = f"it has the number {text[:20]!r} at byte {self.position:,}"
            raise PlainMarshalError(message) from None
