"""Makes recordings absurd: texts of millions of letters, numbers of as many digits, all threads."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from random import Random

#: What long texts repeat: words that patterns look for, and signs that they give a meaning.
WORDS: Final = (
    *(
        "7",
        "a",
        "_",
        " ",
        "é",
        "(",
        "<",
        "::",
        ";",
        "\\",
        '"',
        "a.b",
        "-",
        "\n",
        "1 ",
        "\U0001f642",
    ),
    *("aten::", "gemm_", "s16816gemm_", "t_all_reduce", "ncclDevKernel_", "xmma_", "triton_fused_"),
    *("nn.Module: A_", "ProfilerStep#", 'File "', "a.py(1): f;", "_backward", "void ", "hcom_a_"),
)

LENGTHS: Final = (10**5, 10**6, 10**7)

THREADS: Final = 10**5

#: What is repeated of an event, so that a file has no more than some megabytes.
_KEPT: Final = frozenset({"ph", "cat", "name", "ts", "dur", "pid", "tid"})

_SHORT: Final = 100

_NUMBER: Final = re.compile(rb"(?<=[:\[,])(\s*)-?\d+(?:\.\d+)?(?=\s*[,}\]\r\n])")


def long_text(chance: Random) -> str:
    """Return a text that repeats a word, with or without an odd end."""
    word, length = chance.choice(WORDS), chance.choice(LENGTHS)
    return word * (length // len(word)) + chance.choice(("", "!", "\x01", " x"))


def long_number(chance: Random) -> str:
    """Return a number of JSON or CSV that no computer computes with."""
    digits = chance.choice("179") * chance.choice((400, 5000, *LENGTHS[:2]))
    exponent = chance.choice(
        ("308", "309", "999999", "999999999999", "1000000000000000000", digits)
    )
    sign = chance.choice(("", "-"))
    return sign + chance.choice(
        (
            digits,
            f"{digits}.5",
            f"1.{digits}",
            f"0.{'0' * len(digits)}1",
            f"{digits}e-{len(digits)}",
            *(f"1{e}{exponent}" for e in ("e", "E+", "e-")),
        )
    )


def with_long_number(data: bytes, chance: Random) -> bytes:
    """Return a text with one of its numbers made absurd, quoted or not; others as they are."""
    places = list(_NUMBER.finditer(data))
    if not places:
        return data
    place, number = chance.choice(places), long_number(chance).encode()
    quoted = b'"%b"' % number if chance.random() < 0.2 else number
    return data[: place.start()] + quoted + data[place.end() :]


def with_many_threads(tree: Any, chance: Random) -> Any:
    """Return a trace in which one event is repeated on very many threads, processes or devices."""
    events = tree.get("traceEvents") if isinstance(tree, dict) else tree
    known = [one for one in events if isinstance(one, dict)] if isinstance(events, list) else []
    if known:
        event, key = chance.choice(known), chance.choice(("tid", "tid", "pid", "device", "stream"))
        event = {
            name: value
            for name, value in event.items()
            if name in _KEPT and (isinstance(value, float) or len(json.dumps(value)) < _SHORT)
        }
        if key in ("tid", "pid"):
            events += [{**event, key: number} for number in range(THREADS)]
        else:
            events += [{**event, "args": {key: number}} for number in range(THREADS)]
    return tree
