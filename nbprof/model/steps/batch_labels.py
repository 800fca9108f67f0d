"""Reads from labels of inference engines whether a batch is prefill, decode or both.

An engine names each iteration after the requests in its batch. Prefill reads prompts (context,
extend), decode generates one more token of each request; some batches hold requests of both kinds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.names.roles import rows_of_kinds
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Mask = npt.NDArray[np.bool_]

#: Kinds of batches, in the order of rows.
BATCHES: Final = ("Prefill", "Decode", "Mixed")

#: Labels with the number of requests of each kind: vLLM and its forks, TensorRT-LLM.
_COUNTS: Final = (
    re.compile(r"^execute(?:_\w*?)?_context_(?P<prefill>\d+)\(.*\)_generation_(?P<decode>\d+)\("),
    re.compile(
        r"_forward_step\b.{0,200}?\b(?P<prefill>\d+) ctx reqs\b"
        r".{0,200}?\b(?P<decode>\d+) gen reqs\b"
    ),
)
#: The mode of a batch in labels of SGLang.
_MODE: Final = re.compile(r"^step\[(?P<mode>[A-Z_]+)\b")
_MODES: Final = {
    "EXTEND": "Prefill",
    "DECODE": "Decode",
    "MIXED": "Mixed",
    "TARGET_VERIFY": "Decode",
    "DRAFT_EXTEND": "Decode",
}
#: Words in labels of users. They count only if a recording has both, since decoders of images and
#: sound have such names too.
_WORDS: Final = {
    "Prefill": re.compile(r"(?<![a-z])prefill(?![a-z])", re.IGNORECASE),
    "Decode": re.compile(r"(?<![a-z])decode(?![a-z])", re.IGNORECASE),
}


def batch_of(label: str) -> str | None:
    """Return the kind of batch that the label of an engine's iteration gives; None for others."""
    for pattern in _COUNTS:
        match = pattern.search(label)
        if match is not None:
            prefill, decode = (match[side].strip("0") != "" for side in ("prefill", "decode"))
            if prefill and decode:
                return "Mixed"
            return "Prefill" if prefill else "Decode" if decode else None
    match = _MODE.match(label)
    return _MODES.get(match["mode"]) if match is not None else None


def batch_hint(label: str) -> tuple[str, str] | None:
    """Return the kind of batch that a label may name, single or together with others, or None."""
    batch = batch_of(label)
    if batch is not None:
        return "label", batch
    words = _words_of_batch(label)
    return ("word", words[0]) if len(words) == 1 else None


def batch_rows(model: TraceModel) -> dict[str, Mask]:
    """Return the outermost labels of each kind of batch, by `BATCHES`; shape (host rows,)."""
    ranges = rows_of_kinds(model, "host", kinds.ANNOTATION, kinds.STEP)
    codes, texts = model.column("host", "name"), model.values("host", "name")
    used = [code for code in np.unique(codes[ranges]).tolist() if code >= 0]
    batches = {code: batch_of(texts[code]) for code in used}
    if not any(batches.values()):
        batches = _batches_by_words({code: texts[code] for code in used})
    number = np.full(len(texts) + 1, -1, np.int8)  # the last entry is for rows without a name
    for code, batch in batches.items():
        number[code] = -1 if batch is None else BATCHES.index(batch)
    of_row = np.where(ranges, number[codes], -1)
    outermost = (of_row >= 0) & (nearest_ancestor(model.nesting.parent, of_row >= 0) < 0)
    return {name: outermost & (of_row == i) for i, name in enumerate(BATCHES)}


def _batches_by_words(labels: dict[int, str]) -> dict[int, str | None]:
    found = {code: _words_of_batch(label) for code, label in labels.items()}
    single = {code: batches[0] for code, batches in found.items() if len(batches) == 1}
    if set(single.values()) != set(_WORDS):
        return {}
    return dict(single)


def _words_of_batch(label: str) -> list[str]:
    return [batch for batch, word in _WORDS.items() if word.search(label)]
