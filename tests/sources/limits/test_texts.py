"""Texts far longer than any real one are cut and counted where they enter, in every format."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

import nbprof
from nbprof.model.errors import TraceFormatError
from nbprof.sources.defects import DefectLog
from nbprof.sources.limits.numbers import within_limits
from nbprof.sources.limits.texts import LONGEST_LIST, LONGEST_NAME
from nbprof.tables import TABLES
from tests.fuzz.contents import Csv, Json, Marshal, Pickle, Protobuf, Sqlite
from tests.fuzz.seeds import NAMES, seed
from tests.support.traces import kernel, op, read_trace, table_rows, warning_counts, write

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

TOO_LONG: Final = "texts that are too long"
LONG: Final = "a" * (LONGEST_NAME + 1)


def test_long_names_are_cut_and_stay_different(model_of: Any) -> None:
    longest = "b" * LONGEST_NAME
    model = model_of(op(LONG, ts=1), op(LONG + "x", ts=20), op(LONG, ts=40), op(longest, ts=60))
    first, second, third, fourth = (row["name"] for row in table_rows(model))
    assert first == third != second
    assert fourth == longest
    for name, length in ((first, len(LONG)), (second, len(LONG) + 1)):
        assert LONGEST_NAME - 64 < len(name) <= LONGEST_NAME
        assert name.startswith("a" * (LONGEST_NAME - 64) + f"… [{length:,} characters, ")
    assert warning_counts(model) == {TOO_LONG: 2}
    [warning] = model.warnings
    assert warning.example.startswith("name of host has 65,537 characters; cut: 'aaaa")


def test_lists_of_shapes_are_left_out_and_stacks_cut_between_frames(model_of: Any) -> None:
    fits = {"Input Dims": [[1]] * 40_000, "Call stack": "a.py(1): f;" * 9_000}
    shapes = [[1]] * (LONGEST_LIST // 4)
    stack = ";".join(f"file.py({n}): f" for n in range(LONGEST_LIST // 12))
    model = model_of(
        op("fits", ts=1, args=fits),
        op("not", ts=20, args={"Input Dims": shapes, "Call stack": stack}),
    )
    kept, cut = table_rows(model)
    assert len(json.loads(kept["input_shapes"])) == 40_000
    assert cut["input_shapes"] is None
    assert stack.startswith(cut["call_stack"] + ";file.py(")
    assert len(cut["call_stack"]) > LONGEST_LIST - 30
    assert warning_counts(model) == {TOO_LONG: 2}


def test_a_cut_name_that_another_event_bears_is_the_same_name(model_of: Any) -> None:
    cut = table_rows(model_of(op(LONG)))[0]["name"]
    model = model_of(op(LONG, ts=1), op(cut, ts=20))
    assert [row["name"] for row in table_rows(model)] == [cut, cut]
    [chunk] = model.tables["host"]["name"].chunks
    assert chunk.dictionary.to_pylist() == [cut]


def test_metadata_names_of_threads_and_devices_are_cut(tmp_path: Path) -> None:
    named = {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "ts": 0, "args": {"name": LONG}}
    device = {"id": 0, "name": LONG}
    about = {"backend": LONG, "ranks": [LONG, 1, None], LONG: {"nan": float("nan")}}
    path = write(
        tmp_path / "w.pt.trace.json",
        [named, op(), kernel("k", 1, 5)],
        deviceProperties=[device],
        distributedInfo=about,
    )
    model = read_trace(path)
    assert longest_text(model) <= LONGEST_NAME
    assert warning_counts(model)[TOO_LONG] >= 3
    with pytest.raises(TraceFormatError, match="cut: 'aaaa"):
        read_trace(path, strict=True)


def test_what_is_as_it_should_be_is_the_same_object(tmp_path: Path) -> None:
    model = read_trace(write(tmp_path / "w.pt.trace.json", [op(), kernel("k", 1, 5)]))
    assert within_limits(model, DefectLog("")) is model


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("timeline")])
def test_of_every_format(name: str, tmp_path: Path) -> None:
    """Some texts are long, other ones each time; memory timelines have none."""
    found = 0
    for round_ in range(3):
        folder = tmp_path / str(round_)
        for path, content in seed(name).items():
            lengthen(content, round_)
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content.encode())
        profile = nbprof.load(folder, progress=False, cache=False)
        for trace in profile:
            assert longest_text(trace.model) <= LONGEST_LIST
            found += warning_counts(trace.model).get(TOO_LONG, 0)
    assert found, "no text of this format was cut"


def lengthen(content: Any, round_: int) -> None:
    """Make some texts of a content long: other ones in each round."""
    number = iter(range(10**9))
    many, extra = (2, LONG * 17) if isinstance(content, Pickle) else (7, LONG)

    def longer(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {k: longer(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [longer(v, key) for v in value]
        if isinstance(value, str) and key in ("name", "Name", "operator", "category"):
            return value + extra if next(number) % many == round_ else value
        return value

    if isinstance(content, (Json, Pickle)):
        content.value = longer(content.value)
    elif isinstance(content, Marshal):
        content.value[round_][0][2] += LONG
    elif isinstance(content, Csv):
        _longer_rows(content.rows, number, round_)
    elif isinstance(content, Protobuf):
        _longer_message(content.fields, number, round_)
    elif isinstance(content, Sqlite):
        _longer_strings(content.tables, number, round_)


def _longer_strings(tables: dict[str, list[list[Any]]], number: Any, round_: int) -> None:
    """Make some of the texts long that other tables refer to by number."""
    for name, (_, *rows) in tables.items():
        for row in rows if "String" in name else ():
            row[-1] += LONG if next(number) % 7 == round_ else ""


def _longer_rows(rows: list[list[str]], number: Any, round_: int) -> None:
    at = {n for n, title in enumerate(rows[0]) if "name" in title.lower()}
    for row in rows[1:]:
        for n in at & set(range(len(row))):
            row[n] = row[n] + LONG if next(number) % 7 == round_ else row[n]


def _longer_message(fields: list[Any], number: Any, round_: int, depth: int = 0) -> None:
    for field in fields:
        if isinstance(field.value, list):
            _longer_message(field.value, number, round_, depth + 1)
        elif isinstance(field.value, bytes) and field.wire == 2 and depth:  # the version is above
            is_text = len(field.value) > 3 and field.value.isascii()
            if is_text and next(number) % 7 == round_:
                field.value += LONG.encode()


def longest_text(model: TraceModel) -> int:
    """Return the length of the longest text in the tables and the metadata of a model."""
    found = [len(text) for text in texts_in(model.metadata)]
    for table in model.tables.values():
        for column in table.columns:
            for chunk in column.chunks:
                values = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
                found += [len(text) for text in texts_in(values.to_pylist())]
    return max(found)


def texts_in(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for one in pair for text in texts_in(one)]
    if isinstance(value, (list, tuple)):
        return [text for one in value for text in texts_in(one)]
    return []


def test_names_of_20_mb_cost_what_reading_them_costs(tmp_path: Path) -> None:
    """Tables, state and page of a trace with two such names; measured beside reading it."""
    name = "a<b," * 5_000_000
    path = write(tmp_path / "w.pt.trace.json", [op(name, 1, 9), kernel(name + "k", 2, 5)])
    started = time.process_time()
    trace = nbprof.load(path, progress=False, cache=False).trace()
    warning_counts(trace.model)
    reading = time.process_time() - started
    started = time.process_time()
    for spec in TABLES.specs():
        if spec.scope != "profile":
            trace.table(spec.name)
    view = nbprof.show(trace)
    view.to_html(tmp_path / "page.html")
    view.close()
    assert time.process_time() - started < 5 * reading + 5
    assert (tmp_path / "page.html").stat().st_size < 3_000_000
