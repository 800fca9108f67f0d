"""Damaged NPU traces: what is valid is read, and repairs are counted."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nbprof.model.errors import TraceFormatError
from nbprof.sources.ascend.tables import timeline
from nbprof.sources.ascend.trace import view as trace_view
from nbprof.sources.defects import DefectLog
from nbprof.sources.options import READ_ALL
from tests.sources.ascend.reference import reference
from tests.support.examples import examples
from tests.support.recordings.ascend import (
    LAYERS,
    NPU,
    Event,
    arrow,
    column,
    kernel_row,
    kernel_table,
    operator,
    read_directory,
    task,
    warning_kinds,
    write,
)
from tests.support.same_models import assert_same, plain

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

NAMES = ["first", "second", "third"]


def three() -> list[Event]:
    return [operator(name, f"{10 * n}.001") for n, name in enumerate(NAMES, 1)]


def read_text(folder: Path, text: str | bytes, **options: Any) -> TraceModel:
    return read_directory(write(folder, text), **options)


DAMAGE = {
    "bad escape": ('"second"', r'"C:\new\project\x"', [NAMES[0], r"C:\new\project\x", NAMES[2]]),
    "control character": ('"second"', '"two\nlines"', [NAMES[0], "two\nlines", NAMES[2]]),
    "not a number": ('"dur": 1.0', '"dur": NaN', NAMES),
    "quote in a text": ('"second"', '"a "quoted" b"', [NAMES[0], 'a "quoted" b', NAMES[2]]),
    "missing comma": ("}, {", "}\n{", NAMES),
    "spare comma": ("}]", "},\n]", NAMES),
    "unreadable event": ('"dur": 1.0', '"dur": 1.0 1', NAMES[1:]),
    "missing time stamp": ('"ts": "20.001"', '"ts": "soon"', [NAMES[0], NAMES[2]]),
    "missing or impossible duration": ('"dur": 1.0', '"dur": "long"', NAMES),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_mended_or_skipped_and_counted(tmp_path: Path, kind: str) -> None:
    old, new, expected = DAMAGE[kind]
    text = json.dumps([*LAYERS, *three()])
    assert old in text
    place = text.rindex(old) if "}" in old else text.index(old)
    broken = text[:place] + new + text[place + len(old) :]
    model = read_text(tmp_path, broken)
    assert column(model, "host", "name") == expected
    assert warning_kinds(model).get(kind) == 1
    with pytest.raises(TraceFormatError):
        read_text(tmp_path, broken, strict=True)


def test_a_file_cut_off_names_its_processes_by_what_they_did(tmp_path: Path) -> None:
    events = [*three(), task("mm", "15.5"), task("add", "16.5"), *LAYERS]
    text = json.dumps(events)
    place = text.index('"add"')
    model = read_text(tmp_path, text[:place])
    assert column(model, "host", "name") == NAMES
    assert column(model, "device", "name") == ["mm"]
    assert warning_kinds(model) == {"cut off": 1, "missing process name": 2}


def test_a_longer_part_of_a_reference_trace_gives_more_rows(
    shared_data: Path, tmp_path: Path
) -> None:
    rank = reference(shared_data, 0)
    raw = (rank.output / "trace_view.json").read_bytes()
    found = []
    for share in (0.1, 0.4, 0.7, 0.99):
        model = read_text(tmp_path, raw[: int(len(raw) * share)])
        found.append(model.tables["host"].num_rows + model.tables["device"].num_rows)
        assert set(warning_kinds(model)) <= {"cut off", "missing process name"}
    whole = rank.model.tables["host"].num_rows + rank.model.tables["device"].num_rows
    assert 0 < found[0] < found[1] < found[2] < found[3] <= whole


def tables_of(path: Path, **how: int) -> dict[str, Any]:
    """Read a trace alone, without warnings."""
    defects = DefectLog("trace")
    rows = trace_view.read_trace(path, READ_ALL, defects, lambda _: None, **how)
    assert rows is not None
    assert defects.warnings() == []
    return timeline.build(rows, None, None, rows.first_ns, defects)


@pytest.mark.parametrize(
    "how",
    [
        {"window": 1 << 10},
        {"window": 1 << 14},
        {"window": 1 << 18, "processes": 2},
        {"window": 1 << 16, "processes": 3},
    ],
)
def test_windows_and_processes_give_the_same_tables(shared_data: Path, how: dict[str, int]) -> None:
    path = reference(shared_data, 1).output / "trace_view.json"
    found, expected = tables_of(path, **how), tables_of(path, window=1 << 30, processes=1)
    for name, table in expected.items():
        for one in table.column_names:
            assert plain(table[one]) == plain(found[name][one]), f"{one} of {name}"


def test_odd_arguments_are_counted_and_the_events_kept(tmp_path: Path) -> None:
    odd: list[Any] = [
        {**operator("list", "1"), "args": [1, 2]},
        {**operator("null", "2"), "args": None},
        operator("types", "3", **{"Input Dims": [[1]], "Input type": 7, "Call stack": ["a"]}),
        operator("numbers", "4", **{"Sequence number": "5", "Fwd thread id": None}),
        {**task("mm", "5"), "tid": None},
        {**task("add", "6"), "args": {"Task Type": 5, "connection_id": "12"}},
        *arrow("async_npu", {"a": 1}, (NPU, 2, "5")),
        "no event",
    ]
    model = read_directory(write(tmp_path, [*odd, *LAYERS]))
    names = ["list", "null", "types", "numbers"]
    assert column(model, "host", "name") == names
    assert column(model, "host", "sequence") == [-1, -1, -1, 5]
    assert sorted(column(model, "device", "name")) == ["add", "mm"]
    assert sorted(column(model, "device", "correlation")) == [-1, 12]
    counted = warning_kinds(model)
    assert counted["odd types"] >= 2
    assert counted["not an event"] == 1
    assert counted["missing thread id"] == 1


def test_what_is_no_trace_is_lost_and_the_rest_is_read(tmp_path: Path) -> None:
    table = kernel_table(kernel_row("mm", "10.5", "2.0"))
    output = write(tmp_path, "<html>not found</html>", kernel_details=table)
    model = read_directory(output)
    assert column(model, "device", "name") == ["mm"]
    assert warning_kinds(model) == {"file not read": 1}
    with pytest.raises(TraceFormatError, match="no array of events"):
        read_directory(output, strict=True)


@pytest.mark.parametrize("text", ["[]", "", "[", "{}", '{"traceEvents": []}'])
def test_nothing_is_said_in_words(tmp_path: Path, text: str) -> None:
    with pytest.raises(TraceFormatError, match="nothing is recorded"):
        read_text(tmp_path, text)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_damage_is_an_error_in_words_or_a_model(tmp_path: Path, data: st.DataObject) -> None:
    raw = bytearray(json.dumps([*three(), task("mm", "15.5"), *LAYERS]).encode())
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place : place + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    try:
        model = read_text(tmp_path, bytes(raw))
    except TraceFormatError:
        return
    assert model.tables["host"].num_rows + model.tables["device"].num_rows >= 0
    _ = model.links, model.steps, model.nesting


def test_a_packed_trace_is_the_same(tmp_path: Path) -> None:
    text = json.dumps([*three(), task("mm", "15.5"), *LAYERS])
    assert_same(
        read_text(tmp_path / "a", text), read_text(tmp_path / "b", gzip.compress(text.encode()))
    )
