"""Converts texts of Ascend's files to the common forms of all formats."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from nbprof.sources.chrome.dictionaries import TextDictionary

#: Separator of an operator's arguments and of a call stack's frames; preceded by a carriage return
#: and a line feed in a trace, by a line feed in a CSV file.
_SEPARATOR: Final = ";"

_SIZE: Final = re.compile(r"-?[0-9]{1,18}")


def shapes_text(text: str) -> str:
    r"""Return shapes such as ``"32,3;\n;\n"`` as JSON text, ``"[[32, 3], [], []]"``.

    Each argument has a list, which is empty if it is not a tensor.
    """
    return json.dumps([_dimensions(part) for part in text.split(_SEPARATOR)])


def _types_text(text: str) -> str:
    r"""Return types such as ``"float;\nScalar"`` as JSON text, ``'["float", "Scalar"]'``."""
    return json.dumps([part.strip() for part in text.split(_SEPARATOR)], ensure_ascii=False)


def stack_text(text: str) -> str:
    """Return the frames of a call stack joined by ``;``, in their order."""
    frames = (frame.strip() for frame in text.split(_SEPARATOR))
    return _SEPARATOR.join(frame for frame in frames if frame)


def _dimensions(text: str) -> list[int | str]:
    parts = (part.strip() for part in text.split(","))
    return [int(part) if _SIZE.fullmatch(part) else part for part in parts if part]


class Shapes(TextDictionary):
    """Numbers shapes by their JSON text; empty text stands for one argument."""

    def text(self, value: Any) -> str | None:
        """Return the JSON text."""
        return shapes_text(value) if isinstance(value, str) else None


class Types(TextDictionary):
    """Numbers types of arguments by their JSON text."""

    def text(self, value: Any) -> str | None:
        """Return the JSON text."""
        return _types_text(value) if isinstance(value, str) else None


class Stacks(TextDictionary):
    """Numbers call stacks."""

    def text(self, value: Any) -> str | None:
        """Return the frames joined by ``;``."""
        return (stack_text(value) or None) if isinstance(value, str) else None
