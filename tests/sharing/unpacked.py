"""Unpacks whatever a shared form is made of, so that a search finds what is packed inside."""

from __future__ import annotations

import base64
import re
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

#: How streams of zlib and of gzip begin, and what `zlib.decompressobj` calls their formats.
_STREAMS = ((rb"\x78[\x01\x5e\x9c\xda]", zlib.MAX_WBITS), (rb"\x1f\x8b\x08", zlib.MAX_WBITS | 16))


def unpacked(content: bytes) -> Iterator[bytes]:
    """Yield content and everything packed inside it: zlib and gzip streams, and base64."""
    yield content
    for start, format_ in _STREAMS:
        for found in re.finditer(start, content):
            with suppress(zlib.error):  # not every such pair of bytes begins a stream
                yield from unpacked(
                    zlib.decompressobj(format_).decompress(content[found.start() :])
                )
    for found in re.finditer(rb"[A-Za-z0-9+/]{64,}={0,2}", content):
        yield from unpacked(base64.b64decode(found[0][: len(found[0]) // 4 * 4]))


def contents(value: Any) -> Iterator[bytes]:
    """Yield every text and byte string inside a plain value, unpacked."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        yield from unpacked(bytes(value))
    elif isinstance(value, str):
        yield from unpacked(value.encode("utf-8", "surrogatepass"))
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from contents(key)
            yield from contents(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from contents(one)


def found_in(value: Any, secret: str) -> bytes:
    """Return where a plain value holds a secret, with what is around it; empty if nowhere."""
    wanted = secret.encode()
    for piece in contents(value):
        at = piece.find(wanted)
        if at >= 0:
            return piece[max(0, at - 200) : at + 80]
    return b""
