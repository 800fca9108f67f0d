"""Frames that were never closed, compared with a plain stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nbprof.analysis.advice.warnings import warnings
from nbprof.model.links.host_nesting import nest
from nbprof.model.links.unclosed_frames import resolution_ns
from tests.analysis.modules.generated import module, op
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: Thread, start, duration, and whether it is a frame (else a range).
Row = tuple[int, int, int, bool]

slices = st.lists(
    st.tuples(
        st.integers(0, 1), st.integers(0, 30), st.integers(0, 30), st.sampled_from([1, 1, 0])
    ),
    max_size=20,
)


def sorted_rows(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (row[0], row[1], -row[2]))


def plain_ends(rows: list[Row], margin: int) -> list[int]:
    """Close every frame that outlasts one inside which it began, unless those are gates.

    It ends with that frame, or with the range in which it began.
    """
    ends: list[int] = []
    found: list[int] = []
    for at, (thread, start, duration, is_frame) in enumerate(rows):
        end = until = start + duration
        around = [
            one
            for one in range(at)
            if rows[one][3] and rows[one][0] == thread and ends[one] > start
        ]
        outlasted = [one for one in around if ends[one] + margin < end]
        if is_frame and any(not is_gate(rows, ends, one, margin) for one in outlasted):
            end = ends[around[-1]]
            ranges = [
                begin + length
                for where, begin, length, is_frame in rows[:at]
                if where == thread and not is_frame and begin + length > start
            ]
            until = min([end, *ranges[-1:]])
        ends.append(end)
        found.append(until)
    return found


def is_gate(rows: list[Row], ends: list[int], frame: int, margin: int) -> bool:
    """Whether the innermost range at its end began in a frame, or that at its start is over."""
    thread, start, duration, _ = rows[frame]
    until = start + duration
    if ends[frame] < until:
        return False
    ranges = [
        (at, begin, begin + length)
        for at, (where, begin, length, is_frame) in enumerate(rows)
        if where == thread and not is_frame
    ]
    opened = [at for at, begin, end in ranges if begin < until and end > until]
    around = [end for at, begin, end in ranges if at < frame and end > start]
    return (bool(opened) and opened[-1] > frame) or (bool(around) and around[-1] + margin < until)


def found_ends(rows: list[Row]) -> list[int]:
    table = np.array(rows, np.int64).reshape(-1, 4)
    thread, start = table[:, 0].astype(np.int32), table[:, 1].copy()
    return nest(thread, start, start + table[:, 2], table[:, 3] == 1).end.tolist()


def margin_of(rows: list[Row]) -> int:
    table = np.array(rows, np.int64).reshape(-1, 4)
    units = [int(np.gcd.reduce(table[:, at], initial=1000)) for at in (1, 2)]
    return 2 * max(units)


@given(slices)
@example([(1, 0, 2, 1), (1, 1, 4, 1), (1, 2, 4, 1), (1, 3, 5, 1)])
@example([(0, 3, 8, 1), (0, 6, 7, 1), (0, 8, 15, 1), (0, 9, 3, 1), (0, 10, 6, 1)])
def test_frames_end_as_on_a_plain_stack(rows: list[Row]) -> None:
    rows = sorted_rows(rows)
    assert found_ends(rows) == plain_ends(rows, margin_of(rows))


@pytest.mark.parametrize(
    ("times", "unit"),
    [([0, 1], 1), ([], 1000), ([0, 5000, 3000], 1000), ([0, 250, 1500], 250), ([0, 10, 40], 10)],
)
def test_the_unit_of_a_file(times: list[int], unit: int) -> None:
    assert resolution_ns(np.array(times, np.int64)) == unit
    many = np.concatenate([np.zeros(10_000, np.int64), np.array(times, np.int64)])
    assert resolution_ns(many) == unit


def frame(name: str, start: int, end: int) -> dict:
    return op(name, start, end, kind="python")


def kinds_of(model: TraceModel) -> dict[str, dict]:
    return {row["kind"]: row for row in warnings(model).to_pylist()}


def test_what_comes_after_an_unclosed_frame_stays_in_its_module() -> None:
    rows = [
        module("Net_0", 0, 100),
        frame("enter", 10, 20),
        frame("next", 12, 500),
        module("Act_0", 30, 90),
        op("aten::relu", 40, 50),
    ]
    model = make_model(rows)
    assert model.nesting.parent.tolist() == [-1, 0, 1, 0, 3]
    assert model.nesting.end.tolist()[2] == 20
    assert model.column("host", "duration_ns").tolist()[2] == 488
    found = kinds_of(model)
    assert list(found) == ["unclosed frames"]
    assert found["unclosed frames"]["count"] == 1
    assert found["unclosed frames"]["example"].startswith("next ")


def test_ranges_may_outlast_the_frames_that_open_them() -> None:
    """As every `with record_function` does, and the frame that closes one outlasts it."""
    rows = [
        frame("main", 0, 100),
        frame("__enter__", 10, 20),
        op("range", 15, 60, kind="annotation"),
        frame("__exit__", 55, 65),
        frame("next", 70, 80),
    ]
    model = make_model(rows)
    assert model.nesting.parent.tolist() == [-1, 0, 0, 0, 0]
    assert kinds_of(model) == {}


def test_ranges_that_overlap_ranges_are_told() -> None:
    rows = [op("a", 0, 20, kind="annotation"), op("b", 10, 30, kind="annotation")]
    found = kinds_of(make_model(rows))["overlapping ranges"]
    assert (found["count"], found["level"]) == (1, "note")
    rows = [op("a", 0, 20), op("b", 10, 30)]
    found = kinds_of(make_model(rows))["overlapping slices"]
    assert (found["count"], found["level"]) == (1, "warning")
    assert found["example"].startswith("b ")


def test_frames_that_outlast_the_gates_of_a_range_are_closed() -> None:
    rows = [
        frame("main", 0, 100),
        frame("__enter__", 10, 20),
        op("range", 15, 60, kind="annotation"),
        frame("inside", 17, 41),
    ]
    model = make_model(rows)
    assert model.nesting.parent.tolist() == [-1, 0, 0, 2]
    assert kinds_of(model) == {}


def test_two_units_are_rounding() -> None:
    rows = [frame("f", 0, 10), frame("g", 6, 12), frame("h", 21, 30), frame("i", 25, 33)]
    model = make_model(rows)
    assert model.nesting.end.tolist() == [10, 12, 30, 30]


def test_coroutines_that_take_turns_take_no_time() -> None:
    """Each ends in the next one, so that each depends on the one before it."""
    count = 200_000
    start = np.arange(count, dtype=np.int64) * 10_000
    found = nest(np.zeros(count, np.int32), start, start + 15_000, np.ones(count, bool))
    assert found.unclosed == count // 2
    assert found.end[:4].tolist() == [15_000, 15_000, 35_000, 35_000]
