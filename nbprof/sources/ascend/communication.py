"""Reads `communication.json`: times, sizes and links of collectives."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.building import table_of_rows
from nbprof.model.errors import TraceFormatError
from nbprof.model.trace.schema_vendors import COMMUNICATION, COMMUNICATION_LINKS
from nbprof.sources.ascend.csv import numbers
from nbprof.sources.chrome.times import NO_TIME, decimal_number, one_by_one

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from nbprof.sources.defects import DefectLog

TOTAL: Final = "Total Op Info"

_STEP: Final = re.compile(r"step\s*(\d{1,18})?", re.IGNORECASE)
_TIMES: Final = {
    "elapse_us": "Elapse Time(ms)",
    "transit_us": "Transit Time(ms)",
    "wait_us": "Wait Time(ms)",
    "synchronization_us": "Synchronization Time(ms)",
    "idle_us": "Idle Time(ms)",
}

#: Sizes are in units of 10⁶ bytes.
_MB: Final = 10**6

#: Replaces all larger sizes; `nbprof.sources.limits` then leaves it out and counts it.
_MOST: Final = 2**62


def communication(data: bytes | bytearray, name: str, defects: DefectLog) -> dict[str, pa.Table]:
    """Return the operators in the order of the file; times are absolute.

    Parameters
    ----------
    data : bytes or bytearray
        The file.
    name : str
        Its name, for messages.
    defects : DefectLog
        Counts invalid operators and invalid numbers.

    Returns
    -------
    dict of str to pyarrow.Table
        communication and communication_links; only links that carried data.

    Raises
    ------
    TraceFormatError
        It is not JSON, or has another structure.
    """
    try:
        # Numbers stay text: a float64 would lose the last digit of a time in µs.
        content = json.loads(data, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        message = f"it is not valid JSON ({error})"
        raise TraceFormatError(message) from error
    if not isinstance(content, dict):
        message = "it contains no steps"
        raise TraceFormatError(message)
    rows: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    invalid = _InvalidEntries(name)
    for step, kind, label, entry in _operators(content, invalid):
        times = entry.get("Communication Time Info")
        times = times if isinstance(times, dict) else {}
        operator, _, group = label.partition("@")
        rows.append(
            {
                "step": step,
                "type": kind,
                "name": operator,
                "group": group or None,
                "start_ns": _start(times, invalid),
                "is_total": label == TOTAL,
                **{column: _scaled(times, key, 1000, invalid) for column, key in _TIMES.items()},
            }
        )
        links += _links(len(rows) - 1, entry.get("Communication Bandwidth Info"), invalid)
    invalid.note(defects)
    return {
        "communication": table_of_rows(rows, COMMUNICATION),
        "communication_links": table_of_rows(links, COMMUNICATION_LINKS),
    }


class _InvalidEntries:
    """Counts invalid entries."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._numbers = 0
        self._others = 0
        self._first = ""

    def number(self, key: str) -> None:
        self._numbers += 1
        self._first = self._first or key

    def other(self, key: str) -> None:
        self._others += 1
        self._first = self._first or key

    def note(self, defects: DefectLog) -> None:
        example = f"{self._name}: {self._first}"
        defects.note("bad numbers", self._numbers, example)
        defects.note("unknown entries", self._others, example)


def _operators(
    content: Any, invalid: _InvalidEntries
) -> Iterator[tuple[int, str, str, dict[str, Any]]]:
    """Iterate over step, type, name and content of all operators."""
    for key, kinds in content.items():
        match = _STEP.fullmatch(key.strip())
        if not match or not isinstance(kinds, dict):
            invalid.other(key)
            continue
        step = int(match.group(1)) if match.group(1) else -1
        for kind, operators in kinds.items():
            if not isinstance(operators, dict):
                invalid.other(f"{key}, {kind}")
                continue
            for label, entry in operators.items():
                if isinstance(entry, dict):
                    yield step, kind, label, entry
                else:
                    invalid.other(f"{key}, {kind}, {label}")


def _links(row: int, entry: Any, invalid: _InvalidEntries) -> Iterator[dict[str, Any]]:
    for link, one in entry.items() if isinstance(entry, dict) else ():
        if not isinstance(one, dict):
            invalid.other(str(link))
            continue
        size = _scaled(one, "Transit Size(MB)", _MB, invalid)
        transit = _scaled(one, "Transit Time(ms)", 1000, invalid)
        packets = one.get("Size Distribution")
        packets = packets if isinstance(packets, dict) else {}
        if size > 0 or transit > 0 or packets:
            yield {
                "row": row,
                "link": link,
                "bytes": round(min(size, _MOST)) if size >= 0 else -1,
                "transit_us": transit,
                "packets": json.dumps(_plain(packets), ensure_ascii=False),
            }


def _start(times: dict[str, Any], invalid: _InvalidEntries) -> int:
    """Return the start time of an operator, -1 if unknown."""
    key = "Start Timestamp(us)"
    text = times.get(key)
    if _is_missing(text):
        return -1
    start = int(one_by_one([text])[0])
    if start == NO_TIME or start < 0:
        invalid.number(key)
        return -1
    return start


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip() in numbers.MISSING)


def _scaled(entry: dict[str, Any], key: str, factor: int, invalid: _InvalidEntries) -> float:
    """Convert a number to smaller units, correctly rounded; NaN if there is none."""
    text = entry.get(key)
    if _is_missing(text):
        return float("nan")
    if not isinstance(text, str) or not numbers.is_number(text.strip()):
        invalid.number(key)
        return float("nan")
    return float(decimal_number(text.strip()) * factor)


def _plain(value: Any) -> Any:
    """Convert the text numbers of JSON data to numbers."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, str) and numbers.is_number(value):
        number = float(value)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    return value
