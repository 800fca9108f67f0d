"""Matches backward operators to forward ones, by arrows and sequence numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nbprof.model.links.backward import are_backward, forward_rows, linked_forward_rows
from nbprof.sources import discover, read
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


def _names(model: TraceModel, rows: np.ndarray) -> dict[str, str | None]:
    names = model.tables["host"].column("name").to_pylist()
    return {
        name: names[row] if row >= 0 else None
        for name, row in zip(names, rows.tolist(), strict=True)
    }


FORWARD = [
    {"name": "linear", "start": 0, "end": 50, "sequence": 5, "forward_thread": 0},
    {"name": "t", "start": 5, "end": 10, "sequence": 5, "forward_thread": 0},
    {"name": "addmm", "start": 12, "end": 40, "sequence": 6, "forward_thread": 0},
    {"name": "loss", "start": 60, "end": 70, "sequence": 7, "forward_thread": 0},
]
BACKWARD: list[dict[str, Any]] = [
    {"name": "eval addmm", "start": 100, "end": 140, "sequence": 6},
    {"name": "AddmmBackward", "start": 102, "end": 138, "sequence": 6},
    {"name": "mm", "start": 104, "end": 120},
    {"name": "launch", "start": 106, "end": 110, "kind": "runtime"},
    {"name": "TBackward", "start": 150, "end": 160, "sequence": 5},
    {"name": "accumulate", "start": 170, "end": 180},
]
BACKWARD = [{**row, "tid": 2, "forward_thread": 1 if "sequence" in row else 0} for row in BACKWARD]
EXPECTED = {
    "linear": None,
    "t": None,
    "addmm": None,
    "loss": None,
    "eval addmm": "addmm",
    "AddmmBackward": "addmm",
    "mm": "addmm",
    "launch": "addmm",
    "TBackward": "t",
    "accumulate": None,
}


def test_sequence_numbers_name_the_operator_that_made_the_node() -> None:
    model = make_model(FORWARD + BACKWARD)
    assert _names(model, forward_rows(model)) == EXPECTED
    rows = np.arange(model.tables["host"].num_rows)[::-1]
    assert are_backward(model, rows).tolist() == (forward_rows(model)[rows] >= 0).tolist()
    own = {**EXPECTED, "mm": None, "launch": None}
    assert _names(model, linked_forward_rows(model)) == own


def test_an_operator_after_the_backward_pass_is_not_its_forward_operator() -> None:
    later = [{"name": "next", "start": 300, "end": 310, "sequence": 6, "forward_thread": 0}]
    model = make_model(FORWARD + BACKWARD + later)
    assert _names(model, forward_rows(model)) == {**EXPECTED, "next": None}


def test_arrows_come_before_sequence_numbers() -> None:
    def arrow(number: int, start: int, end: int) -> list[dict[str, Any]]:
        ends = {"id": number, "category": "fwdbwd", "pid": 1}
        return [
            {**ends, "phase": "s", "time_ns": start, "tid": 1},
            {**ends, "phase": "f", "time_ns": end, "tid": 2},
        ]

    flows = [*arrow(0, 0, 150), *arrow(1, 12, 102)]
    model = make_model(FORWARD + BACKWARD, flows=flows)
    assert _names(model, forward_rows(model)) == {**EXPECTED, "TBackward": "linear"}
    unnumbered = [{**row, "sequence": None, "forward_thread": None} for row in FORWARD + BACKWARD]
    model = make_model(unnumbered, flows=flows)
    expected = {**EXPECTED, "TBackward": "linear", "eval addmm": None}
    assert _names(model, forward_rows(model)) == expected


def test_without_numbers_there_is_nothing_to_link() -> None:
    assert forward_rows(make_model()).tolist() == []
    assert forward_rows(make_model([{"name": "a", "start": 0, "end": 1}])).tolist() == [-1]


@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(-1, 4), st.booleans(), st.integers(1, 2)),
        max_size=25,
    )
)
def test_by_sequence_equals_a_walk(rows: list[tuple[int, int, bool, int]]) -> None:
    model = make_model(
        [
            {
                "name": "x",
                "start": start,
                "end": start + 1,
                "sequence": sequence,
                "forward_thread": int(backward),
                "tid": tid,
            }
            for start, sequence, backward, tid in rows
        ]
    )
    host = model.tables["host"].to_pylist()
    for row, found in zip(host, linked_forward_rows(model).tolist(), strict=True):
        fitting = [
            other["start_ns"]
            for other in host
            if other["forward_thread"] == 0
            and other["sequence"] == row["sequence"] >= 0
            and other["start_ns"] < row["start_ns"]
        ]
        if row["forward_thread"] > 0 and fitting:
            assert host[found]["start_ns"] == max(fitting)
            assert host[found]["sequence"] == row["sequence"]
            assert host[found]["forward_thread"] == 0
        else:
            assert found == -1


def test_numbers_find_what_the_arrows_say(shared_data: Path) -> None:
    (file,) = discover(shared_data / "kineto" / "a100_nccl").files
    model = read(file, progress=False)
    arrows = linked_forward_rows(model)
    model._cache.clear()
    model.tables = {**model.tables, "flows": model.tables["flows"].slice(0, 0)}
    assert (arrows >= 0).sum() > 1000
    np.testing.assert_array_equal(linked_forward_rows(model), arrows)
