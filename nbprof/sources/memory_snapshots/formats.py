"""The names of the two formats, and how the first bytes of their files are recognized."""

from __future__ import annotations

import re
from typing import Final

SNAPSHOT: Final = "PyTorch memory snapshot"
TIMELINE: Final = "PyTorch memory timeline"

#: The first byte of all pickles except those of very old protocols.
PICKLE_START: Final = b"\x80"

#: Keys of a snapshot; the file begins with one of them.
KEYS: Final = frozenset({"segments", "device_traces"})
#: Keys of a segment; a list of segments begins with them.
SEGMENT_KEYS: Final = frozenset({"total_size", "blocks"})
_NEAR_START: Final = 256

#: The beginning of each form of a timeline. Times count from 1970: microseconds have 16 digits.
_MOMENTS: Final = re.compile(rb"\s*\[\s*\[\s*\d{15,17}\s*[,\]]")
_CHANGES: Final = re.compile(rb"\s*\[\s*\[\s*-?\d+\s*,\s*[1-4]\s*,\s*-?\d+\s*,\s*[0-7]\s*\]")


def looks_like_snapshot(text: bytes) -> bool:
    """Whether the first bytes of a pickle may be those of a snapshot."""
    start = text[:_NEAR_START]
    return any(key.encode() in start for key in KEYS) or b"total_size" in start


def looks_like_timeline(text: bytes) -> bool:
    """Whether the first bytes of a JSON array may be those of a memory timeline."""
    return bool(_MOMENTS.match(text) or _CHANGES.match(text))
