"""Numbers of memory snapshots that cannot be computed with cost themselves, and are counted."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, Final

import pytest

import nbprof
from nbprof.sources.defects import TOO_LARGE
from nbprof.sources.memory_snapshots.pickle_reader import PlainPickleError, read_plain
from tests.sources.memory_snapshots.test_memory_snapshot import START, history
from tests.support.tables import TRACE_TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BAD: Final = {
    "million digits": (10**1_000_000, TOO_LARGE),
    "million digits, negative": (-(10**1_000_000), TOO_LARGE),
    "71 bits": (1 << 70, TOO_LARGE),
    "infinite": (float("inf"), TOO_LARGE),
    "infinite, negative": (float("-inf"), TOO_LARGE),
    "not a number": (float("nan"), "not a number"),
    "text": ("many", "not a number"),
    "list": ([1], "not a number"),
}


def _content() -> dict[str, Any]:
    content = history()
    ranges = [("START", 0), ("END", 60)]
    content["external_annotations"] = [
        {"name": "a", "stage": stage, "device": 0, "time_us": START + at} for stage, at in ranges
    ]
    content["allocator_settings"] = {
        "trace_alloc_max_entries": 99,
        "max_split_size": 1 << 20,
        "roundup_power2_divisions": {"1048576": 4},
    }
    return content


def _numbers(content: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the place of every number, one for each kind of dictionary and key."""
    if isinstance(content, dict):
        for key, value in content.items():
            if key in {"line", "allocated_size", "active_size"}:  # which are not computed with
                continue
            if isinstance(value, int):
                yield (*at, key)
            else:
                yield from _numbers(value, (*at, key))
    elif isinstance(content, list) and content:
        yield from _numbers(content[-1], (*at, len(content) - 1))


PLACES: Final = list(_numbers(_content()))


def _read(folder: Path, content: Any, protocol: int = 4) -> nbprof.Trace:
    (folder / "bad.pickle").write_bytes(pickle.dumps(content, protocol))
    return nbprof.load(folder / "bad.pickle", cache=False, progress=False).trace()


def test_all_kinds_of_numbers_are_tried() -> None:
    kinds = {".".join(one for one in place if isinstance(one, str)) for place in PLACES}
    assert {"segments.blocks.size", "segments.total_size", "device_traces.addr"} < kinds
    assert len(PLACES) > 12


@pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))
def test_a_bad_number_is_left_out_and_counted(
    tmp_path: Path, place: tuple[Any, ...], bad: str
) -> None:
    content = _content()
    whole = _read(tmp_path, content)
    holder: Any = content
    for one in place[:-1]:
        holder = holder[one]
    holder[place[-1]], kind = BAD[bad]
    trace = _read(tmp_path, content)
    found = {one["kind"]: one["count"] for one in trace.warnings().to_pylist()}
    assert found[kind] == 1
    for name in ("memory", "allocator_events", "allocator_segments", "allocator_blocks"):
        assert trace.model.tables[name].num_rows == whole.model.tables[name].num_rows
    for name in TRACE_TABLES:
        trace.table(name).validate(full=True)


@pytest.mark.parametrize("form", [b"I%sNUMBER\n", b"L%sNUMBERL\n"])
@pytest.mark.parametrize("sign", [b"", b"-"])
@pytest.mark.parametrize("digits", [4_000, 4_301, 1_000_000])
def test_a_number_in_decimal_digits(tmp_path: Path, form: bytes, sign: bytes, digits: int) -> None:
    """Every protocol may write numbers so, and Python converts at most 4,300 digits."""
    content = _content()
    content["segments"][-1]["total_size"] = 0x1234567
    whole = _read(tmp_path, content, 2)
    data, recorded = pickle.dumps(content, 2), b"J\x67\x45\x23\x01"
    assert data.count(recorded) == 1
    number = (form % sign).replace(b"NUMBER", b"7" * digits)
    (tmp_path / "bad.pickle").write_bytes(data.replace(recorded, number))
    trace = nbprof.load(tmp_path / "bad.pickle", cache=False, progress=False).trace()
    assert {one["kind"]: one["count"] for one in trace.warnings().to_pylist()}[TOO_LARGE] == 1
    for name in ("memory", "allocator_events", "allocator_segments", "allocator_blocks"):
        assert trace.model.tables[name].num_rows == whole.model.tables[name].num_rows


@pytest.mark.parametrize("digits", [4_000, 1_000_000])
def test_digits_in_a_text_stay(digits: int) -> None:
    text = "9" * digits
    assert read_plain(pickle.dumps([text, {"a": text}], 0)) == [text, {"a": text}]


def test_a_long_line_that_is_no_number_is_damage() -> None:
    with pytest.raises(PlainPickleError, match="damaged"):
        read_plain(b"I" + b"x" * 10_000 + b"\n.")
