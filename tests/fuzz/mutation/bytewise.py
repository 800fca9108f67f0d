"""Spoils the bytes of a file: whatever its format is, it is cut, mixed, packed and recoded."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

#: Pieces that mean something to a parser of one of the formats.
PIECES: Final = (
    *(b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", b"\x80", b"\x1b["),
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u", b"\\ud800", b"\\x41", b"/*", b"//"),
    *(b"NaN", b"-Infinity", b"Infinity", b"N/A", b"nan", b"1e999999", b"-", b"+1", b"00", b"0x1"),
    *(b"1" * 400, b"0." + b"9" * 400, b"\n", b"\r", b"\r\n", b"\t", b" " * 2000, b'""', b"null"),
    *(b'"traceEvents":[', b'{"ph":"X"}', b',"ts":1', b'"ts":"', b"]}", b"},{", b"[" * 5000),
    *(b"\x1f\x8b\x08\0", b"PK\x03\x04", b"SQLite format 3\0", b"\x80\x04", b"\x0a\xff\xff\xff\x0f"),
    *(
        b"cos\nsystem\n",
        b"\x8c\x02os\x8c\x06system\x93",
        b"R.",
        b".",
        b"(lp0\n",
        b"\x95" + b"\xff" * 8,
    ),
)


def spoil_bytes(data: bytes, chance: Random) -> bytes:
    """Return data with one spot changed."""
    if not data:
        return chance.choice(PIECES)
    at, other = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return chance.choice(_WAYS)(data, at, other, chance)


def _cut_off(data: bytes, at: int, other: int, chance: Random) -> bytes:
    return data[:at]


def _drop(data: bytes, at: int, other: int, chance: Random) -> bytes:
    return data[:at] + data[other:]


def _double(data: bytes, at: int, other: int, chance: Random) -> bytes:
    return data[:other] + data[at:other] + data[other:]


def _insert(data: bytes, at: int, other: int, chance: Random) -> bytes:
    return data[:at] + chance.choice(PIECES) + data[at:]


def _replace(data: bytes, at: int, other: int, chance: Random) -> bytes:
    piece = chance.choice(PIECES)
    return data[:at] + piece + data[at + len(piece) :]


def _flip(data: bytes, at: int, other: int, chance: Random) -> bytes:
    flipped = bytearray(data)
    for _ in range(chance.choice((1, 4, 30))):
        flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
    return bytes(flipped)


def _noise(data: bytes, at: int, other: int, chance: Random) -> bytes:
    return data[:at] + chance.randbytes(chance.choice((1, 16, 300))) + data[other:]


def _without_a_sign(data: bytes, at: int, other: int, chance: Random) -> bytes:
    spot = data.find(chance.choice((b'"', b",", b":", b"}", b"]", b"\n")), at)
    return data if spot < 0 else data[:spot] + data[spot + 1 :]


def _recoded(data: bytes, at: int, other: int, chance: Random) -> bytes:
    return chance.choice(
        (
            data.decode("latin-1").encode("utf-16"),
            b"\xef\xbb\xbf" + data,
            data.replace(b"\n", chance.choice((b"\r", b"\r\n", b"\n\n", b"\0"))),
            data.replace(b" ", chance.choice((b"\t", b"", b"\n", b"\x0b", b"\xa0"))),
            data.replace(chance.choice((b'"', b",", b":")), chance.choice((b"'", b";", b"=")), 20),
        )
    )


#: What may happen to a part of the data.
_WAYS: Final[tuple[Callable[[bytes, int, int, Random], bytes], ...]] = (
    _cut_off,
    _drop,
    _double,
    _insert,
    _replace,
    _flip,
    _noise,
    _recoded,
    _without_a_sign,
)


def packed(data: bytes, chance: Random) -> tuple[bytes, str]:
    """Return data packed in some way, and the ending that its name gets."""
    middle = len(data) // 2
    plain = gzip.compress(data, 1)
    ways = (
        plain,
        plain[: chance.randrange(len(plain))],
        gzip.compress(data[:middle]) + gzip.compress(data[middle:]),
        plain + chance.randbytes(40),
        spoil_bytes(plain, chance),
        data,
        gzip.compress(plain),
    )
    return chance.choice(ways), chance.choice((".gz", ".gz", ".gz", ""))


def archived(data: bytes, name: str, chance: Random) -> bytes:
    """Return an archive with a file in it, which has the name of the file itself."""
    buffer = io.BytesIO()
    how = chance.randrange(3)
    if how == 0:
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as pack:
            pack.writestr(chance.choice(("trace.json", "../../evil.json", "/tmp/evil.json")), data)  # noqa: S108 - nobody may unpack it
    elif how == 1:
        with tarfile.open(fileobj=buffer, mode=chance.choice(("w", "w:gz"))) as pack:
            about = tarfile.TarInfo(name[:80].encode("ascii", "replace").decode())
            about.size = len(data)
            pack.addfile(about, io.BytesIO(data))
    else:
        return zlib.compress(data)
    return buffer.getvalue()
