"""The name of the format, and how the first bytes of its files are recognised."""

from __future__ import annotations

import re
from typing import Final

FORMAT: Final = "Python profile"

#: A dictionary whose first key is a tuple of three values, file, line and function, or of one, with
#: which sampling profilers mark their files. The highest bit of a type marks shared values.
_START: Final = re.compile(
    rb"[{\xfb](?:[)\xa9][\x03\x01]|[(\xa8][\x03\x01]\0\0\0)[zZaAuts\xfa\xda\xe1\xc1\xf5\xf4\xf3]",
    re.DOTALL,
)
#: A dictionary without entries.
_EMPTY: Final = (b"{0", b"\xfb0")


def looks_like_profile(text: bytes) -> bool:
    """Whether the first bytes of a file may be those of a profile.

    >>> import marshal
    >>> looks_like_profile(marshal.dumps({("a.py", 1, "f"): (1, 1, 0.1, 0.1, {})}))
    True
    >>> looks_like_profile(b'{"traceEvents": []}')
    False
    """
    return bool(_START.match(text)) or text in _EMPTY
