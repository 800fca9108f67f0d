"""Reads what PyProf's own parser wrote: a Python dictionary for each kernel, one a line."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.pyprof.calls import call_of, parse_literal
from nbprof.analysis.pyprof.numbering import link_backward
from nbprof.analysis.pyprof.records import Record
from nbprof.model.errors import TraceFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Longer lines are left out: Python's parser takes memory many times their length.
_LONGEST: Final = 1 << 20
_NEEDED: Final = ("kDuration", "dir", "op")


def read_dictionaries(lines: Iterable[str]) -> tuple[list[Record], list[str]]:
    """Return the kernels that dictionaries describe, and why other lines are left out.

    Parameters
    ----------
    lines : iterable of str
        Lines as ``python -m pyprof.parse`` prints them. They are read as literals, not evaluated.

    Raises
    ------
    TraceFormatError
        No line is such a dictionary.
    """
    records: list[Record] = []
    skipped: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            records.append(_record(_content(line)))
        except ValueError as error:
            skipped.append(f"line {number}: {error}")
    if not records:
        found = skipped[0] if skipped else "no line"
        message = (
            "Standard input has no dictionary of PyProf's parser, one a line with the keys"
            f" {', '.join(_NEEDED)}. Found: {found}. Write them with"
            " `python -m pyprof.parse net.sqlite`, or give the file that the profiler wrote."
        )
        raise TraceFormatError(message)
    link_backward(records)
    return records, skipped


def _content(line: str) -> dict[str, Any]:
    """Return the dictionary of a line.

    Raises
    ------
    ValueError
        It is none, or one without what a kernel needs.
    """
    if len(line) > _LONGEST:
        message = f"{len(line)} characters long"
        raise ValueError(message)
    try:
        content = ast.literal_eval(line.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        message = "no Python dictionary"
        raise ValueError(message) from None
    if not isinstance(content, dict):
        message = "no Python dictionary"
        raise ValueError(message)  # noqa: TRY004 - of the file, not of an argument
    missing = [key for key in _NEEDED if key not in content]
    if missing:
        message = f"no {', '.join(missing)}"
        raise ValueError(message)
    return content


def _record(content: dict[str, Any]) -> Record:
    calls = [parse_literal(str(text)) for text in _items(content.get("marker"))]
    return Record(
        name=str(content.get("kLongName") or content.get("kShortName") or ""),
        duration_ns=_whole(content["kDuration"]) or 0,
        device=_whole(content.get("device")),
        stream=_whole(content.get("stream")),
        thread=_whole(content.get("tid")),
        grid=_size(content.get("grid")),
        block=_size(content.get("block")),
        layers=[str(one) for one in _items(content.get("layer"))],
        trace=[str(one) for one in _items(content.get("trace"))],
        calls=[call for one in calls if one is not None and (call := call_of(one)) is not None],
        is_backward=content["dir"] == "bprop",
        sequences=[n for one in _items(content.get("seqId")) if (n := _whole(one)) is not None],
        other_sequences=[
            n for one in _items(content.get("altSeqId")) if (n := _whole(one)) is not None
        ],
        ordinal=_whole(content.get("subSeqId")) or 0,
        modules=[str(one) for one in _items(content.get("mod"))],
        operators=[str(one) for one in _items(content["op"])],
    )


def _items(value: Any) -> list[Any]:
    if value is None or value == "":
        return []
    return list(value) if isinstance(value, (list, tuple, set)) else [value]


def _whole(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and abs(value) < 2**63 else None


def _size(value: Any) -> str:
    return ",".join(str(one) for one in _items(value)).replace(" ", "").strip("()")
