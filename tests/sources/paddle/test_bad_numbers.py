"""Any number of a protobuf file may be anything: it costs a row at most, which is counted."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import pytest

import nbprof
from tests.fuzz.contents import Field, Protobuf
from tests.fuzz.seeds import seed

if TYPE_CHECKING:
    from pathlib import Path

#: Numbers of ten bytes and of nine, and those of four.
WHOLE: Final = (2**64 - 1, 2**63, 2**63 - 1, 2**62)
FLOATS: Final = tuple(struct.pack("<f", one) for one in (float("nan"), float("inf"), -3e38))
#: Tables whose rows are events.
EVENTS: Final = ("host", "device", "memory")


def _numbers(fields: list[Field], at: tuple[int, ...] = ()) -> dict[tuple[int, ...], Field]:
    """Return the numbers of a message and of those in it, one of each kind, by its place."""
    found: dict[tuple[int, ...], Field] = {}
    for one in fields:
        if isinstance(one.value, list):
            found |= _numbers(one.value, (*at, one.key))
        elif one.wire in (0, 5):
            found[(*at, one.key)] = one
    return found


def _read(content: Protobuf, path: Path) -> nbprof.Trace:
    path.write_bytes(content.encode())
    return nbprof.load(path, cache=False, progress=False).trace()


def _count(trace: nbprof.Trace) -> int:
    return sum(trace.model.tables[name].num_rows for name in EVENTS)


@pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")
def test_a_number_costs_no_more_than_its_row(tmp_path: Path) -> None:
    ((name, content),) = seed("paddle_protobuf").items()
    assert isinstance(content, Protobuf)
    path = tmp_path / name.rpartition("/")[2]
    whole = _count(_read(content, path))
    numbers = _numbers(content.fields)
    assert len(numbers) > 50
    for place, field in numbers.items():
        before = field.value
        for number in WHOLE if field.wire == 0 else FLOATS:
            field.value = number
            trace = _read(content, path)
            lost = whole - _count(trace)
            assert 0 <= lost <= len(trace.model.warnings), place
            assert lost <= 1, place
            assert trace.metadata["end_ns"] < 10**9, place
            for table in ("operators", "kernels", "device_summary", "slices", "memory_curve"):
                trace.table(table)
        field.value = before
