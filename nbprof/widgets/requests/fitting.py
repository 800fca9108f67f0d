"""Cuts the texts of a reply that does not fit into one message; a name may have 65,536 letters.

The page asks for the slice or the row of a name that it shows cut, and that reply has it whole.
"""

from __future__ import annotations

import json
from typing import Any, Final

from nbprof.model.names.short_names import middle_cut
from nbprof.widgets.requests.protocol import MAX_REPLY_BYTES, Json, ReplyTooLargeError

#: To how many characters texts are cut, in turn, until the reply fits.
LENGTHS: Final = (1 << 14, 1 << 12, 1 << 10, 256, 100)


def fitted(message: Json, buffers: list[bytes]) -> Json:
    """Return a reply that fits into one message, with its longest texts cut in the middle if not.

    Parameters
    ----------
    message : dict
        Plain values. Keys are never cut.
    buffers : list of bytes
        What is sent with it.

    Raises
    ------
    ReplyTooLargeError
        It does not fit, however short its texts are.
    ValueError
        It is not valid JSON.
    """
    binary = sum(map(len, buffers))
    found = message
    for length in LENGTHS:
        if _size(found) + binary <= MAX_REPLY_BYTES:
            return found
        found = {**message, "result": _cut(message["result"], length)}
    if _size(found) + binary <= MAX_REPLY_BYTES:
        return found
    text = (
        f"The answer to {message['op']} takes {(_size(message) + binary) / 2**20:.1f} MiB, "
        f"more than the {MAX_REPLY_BYTES / 2**20:.0f} MiB of one message."
    )
    raise ReplyTooLargeError(text)


def is_shown_as(text: str, shown: str) -> bool:
    """Return whether a text is shown as another: as it is, or cut in the middle."""
    start, cut, end = shown.partition("…")
    is_cut = bool(cut) and len(shown) < len(text)
    return text == shown or (is_cut and text.startswith(start) and text.endswith(end))


def _size(message: Json) -> int:
    return len(json.dumps(message, allow_nan=False))


def _cut(value: Any, length: int) -> Any:
    """Return plain values with texts of at most a length."""
    if isinstance(value, str):
        return middle_cut(value, length)
    if isinstance(value, dict):
        return {key: _cut(one, length) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cut(one, length) for one in value]
    return value
