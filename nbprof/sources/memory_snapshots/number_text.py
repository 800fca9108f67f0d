"""Decodes JSON arrays of numbers a piece at a time, so that no more than a piece is Python objects.

Memory is bounded by the numbers alone: blanks between them take none, however many they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from nbprof.sources.limits.room import decode_in_room

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Numbers = npt.NDArray[np.int64]

_PIECE: Final = 1 << 20
#: Maximum length of the text of a number or of a row of numbers.
_LONGEST: Final = 4 << 20
_BLANK: Final = b" \t\r\n"

_list = msgspec.json.Decoder(list[int | float])
_rows = msgspec.json.Decoder(list[list[int | float]])


class NumberText:
    """A JSON text of nested arrays of numbers, from its beginning to its end.

    All methods raise a ValueError, or an OverflowError for a number beyond int64, where the text is
    something else.

    Parameters
    ----------
    read : callable
        Returns the next bytes of the text, at most as many as it is passed, none at its end.
    """

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._text = b""

    def takes(self, token: bytes) -> bool:
        """Take a bracket or comma if it comes next, and return whether it did."""
        self._skip_blanks()
        found = self._text.startswith(token)
        self._text = self._text[len(token) * found :]
        return found

    def enters(self) -> bool:
        """Take an opening bracket if two come next, and return whether they did."""
        if not self.takes(b"["):
            return False
        self._skip_blanks()
        nested = self._text.startswith(b"[")
        self._text = self._text if nested else b"[" + self._text
        return nested

    def expect(self, token: bytes) -> None:
        """Take a bracket or comma, which has to come next."""
        if not self.takes(token):
            found = self._text[:20].decode("utf-8", "replace") or "its end"
            message = f"it has {found!r} in place of {token.decode()!r}"
            raise ValueError(message)

    def end(self) -> None:
        """Check that nothing follows."""
        self._skip_blanks()
        if self._text:
            message = "something follows the array"
            raise ValueError(message)

    def numbers(self) -> Iterator[Numbers]:
        """Yield the numbers of an array whose opening bracket was taken, and take its end."""
        after_comma = False
        while (end := self._text.find(b"]")) < 0:
            cut = self._text.rfind(b",")
            if cut >= 0:
                yield self._decoded(_list, self._text[:cut])
                self._text = self._text[cut + 1 :]
                after_comma = True
            if not self._more():
                message = "it ends within an array"
                raise ValueError(message)
        if after_comma and not self._text[:end].strip(_BLANK):
            message = "an array ends with a comma"
            raise ValueError(message)
        yield self._decoded(_list, self._text[:end])
        self._text = self._text[end + 1 :]

    def rows(self, width: int) -> Iterator[Numbers]:
        """Yield the rows of an array of arrays, shape (rows, width), up to its closing bracket."""
        self._skip_blanks()
        while True:
            cut = self._text.rfind(b"[")
            if cut > 0:
                done = self._text[:cut].rstrip(_BLANK)
                if not done.endswith(b","):
                    message = "something else than a comma lies between two rows"
                    raise ValueError(message)
                yield self._matrix(done[:-1], width)
                self._text = self._text[cut:]
            if not self._more():
                break
        end = self._text.find(b"]") + 1
        yield self._matrix(self._text[:end], width)
        self._text = self._text[end:]

    def _skip_blanks(self) -> None:
        self._text = self._text.lstrip(_BLANK)
        while not self._text and self._more():
            self._text = self._text.lstrip(_BLANK)

    def _more(self) -> bool:
        """Read the next piece; return False at the end."""
        if len(self._text) > _LONGEST:
            message = f"a number or row of it is longer than {_LONGEST >> 20} MB"
            raise ValueError(message)
        piece = self._read(_PIECE)
        # Only the first of many blanks can matter, between two digits.
        self._text += piece if piece.strip(_BLANK) else piece[:1]
        return bool(piece)

    def _matrix(self, text: bytes, width: int) -> Numbers:
        found = self._decoded(_rows, text)
        if found.ndim != 2 or found.shape[1] != width:
            message = f"its rows must have {width} numbers, not {found.shape[1:]}"
            raise ValueError(message)
        return found

    @staticmethod
    def _decoded(decoder: msgspec.json.Decoder[Any], text: bytes) -> Numbers:
        return np.array(decode_in_room(decoder, b"[%b]" % text), np.int64)


def gathered(arrays: Iterable[Numbers]) -> Numbers:
    """Return arrays one after the other as a flat one, which grows where it is."""
    content = bytearray()
    for array in arrays:
        content += array.tobytes()
    return np.frombuffer(content, np.int64)
