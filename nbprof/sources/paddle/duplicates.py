"""Finds recordings that Paddle wrote as JSON and as protobuf, and chooses the file to read."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def second_forms(files: Sequence[tuple[object, int, Mapping[str, Any]]]) -> dict[int, int]:
    """Find files that contain the same span as another file.

    Paddle can write a span as JSON and as protobuf. The protobuf is read, since its times are
    always exact, unless it is truncated and the JSON is not.

    Parameters
    ----------
    files : sequence of (key, stamp, metadata)
        Run, worker and span of a file; a number that orders files by time; and metadata from its
        head: `form`, `complete`, and optionally `first_stamp_us`.

    Returns
    -------
    dict of int to int
        Position of the file to read, by the position of its duplicate.
    """
    groups: dict[object, dict[str, list[int]]] = defaultdict(lambda: {"json": [], "protobuf": []})
    for at, (key, _, metadata) in enumerate(files):
        groups[key][metadata["form"]].append(at)
    found = {}
    for forms in groups.values():
        for text, binary in _pairs(files, forms["json"], forms["protobuf"]):
            reads_text = files[text][2]["complete"] and not files[binary][2]["complete"]
            read, left = (text, binary) if reads_text else (binary, text)
            found[left] = read
    return found


def _pairs(
    files: Sequence[tuple[object, int, Mapping[str, Any]]], texts: list[int], binaries: list[int]
) -> list[tuple[int, int]]:
    """Pair files that begin with the same event, or, if that is unknown, by their order."""

    def first(at: int) -> int | None:
        stamp: int | None = files[at][2].get("first_stamp_us")
        return stamp

    left = sorted(binaries, key=lambda at: files[at][1])
    pairs = []
    for text in sorted(texts, key=lambda at: files[at][1]):
        stamp = first(text)
        same = [at for at in left if stamp is not None and first(at) == stamp]
        unsure = [at for at in left if stamp is None or first(at) is None]
        binary = next(iter(same + unsure), None)
        if binary is not None:
            left.remove(binary)
            pairs.append((text, binary))
    return pairs
