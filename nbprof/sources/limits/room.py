"""Decodes JSON only where there is memory for the result.

msgspec copies every string that it decodes without asking whether Python found memory for the copy,
so the whole process ends if it did not. An error beforehand can be shown, and the file read later.
"""

from __future__ import annotations

import mmap
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import msgspec

#: Bytes that decoded events take for each byte of their text: 2.5 to 5.2 in recorded traces.
_GROWTH: Final = 8
#: Size of the blocks that Python allocates when its own pools are used up.
_ARENA: Final = 1 << 20
#: The largest block from whose size glibc learns, less what it needs itself.
_LARGEST_BLOCK: Final = (32 << 20) - (1 << 13)


def keep_freed_blocks() -> None:
    """Let glibc keep the memory of one window for the next.

    It returns blocks to the system that are larger than all freed before, and the system clears
    them page by page when they are used again, which takes 3 % of the time of reading. So a large
    block is allocated and freed first, untouched. Other allocators are not affected.
    """
    with suppress(MemoryError):
        bytes(_LARGEST_BLOCK)


def decode_in_room(decoder: msgspec.json.Decoder[Any], text: bytes) -> Any:
    """Decode a JSON text.

    Before decoding, the memory that the result may take is allocated and freed without touching it,
    which takes microseconds.

    Parameters
    ----------
    decoder : msgspec.json.Decoder
    text : bytes

    Raises
    ------
    OSError
        The system has no room for the result; `lacks_memory` tells this from other errors.
    msgspec.DecodeError, UnicodeDecodeError, RecursionError
        The text is not what the decoder decodes.
    """
    mmap.mmap(-1, _GROWTH * len(text) + _ARENA).close()
    return decoder.decode(text)
