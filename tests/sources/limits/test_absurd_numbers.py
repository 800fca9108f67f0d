"""Numbers of a million digits or with absurd exponents cost one field, whichever file has them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

import nbprof
from nbprof.sources.defects import TOO_LARGE
from tests.cli.conftest import trace_json
from tests.fuzz.contents import Json, Marshal
from tests.fuzz.seeds import seed
from tests.support.traces import op, write

if TYPE_CHECKING:
    from pathlib import Path

#: Larger than any float, or of more digits than are decoded.
TOO_LARGE_TEXTS: Final = {
    "long exponent": "1e999999999999",
    "longer exponent": "-1E+1000000000000000000",
    "exponent of a million digits": "1e" + "9" * 10**6,
    "million digits": "7" * 10**6,
    "million digits, negative": "-" + "7" * 10**6,
    "million digits and a point": "7" * 10**6 + ".5",
    "5000 digits": "1" * 5000,
}

#: Of as many characters, but not large.
ODD_TEXTS: Final = {
    "tiny": "1e-999999999999",
    "tiny, of a million digits": "1e-" + "9" * 10**6,
    "million decimals": "1." + "3" * 10**6,
    "million zeros": "0." + "0" * 10**6 + "1",
    "million digits and as many places": "1" * 10**6 + "e-" + str(10**6),
}

#: Stands for the number in a file.
MARK: Final = "@number@"

#: Where a number stands in an event.
FIELDS: Final = ("pid", "tid", "ts", "dur", "External id", "correlation", "stream", "Bytes")


def counts(trace: nbprof.Trace) -> dict[str, int]:
    return {one["kind"]: one["count"] for one in trace.warnings().to_pylist()}


def text_with(content: Any, number: str) -> str:
    return json.dumps(content).replace(f'"{MARK}"', number)


def with_field(field: str) -> dict[str, Any]:
    """Return a trace of three operators, one of which has a marked field."""
    event = op("odd", 20, 5)
    if field in event:
        event[field] = MARK
    else:
        event["args"] = {field: MARK}
    return {"traceEvents": [op("a", 10, 5), event, op("b", 30, 5)]}


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("number", TOO_LARGE_TEXTS.values(), ids=TOO_LARGE_TEXTS)
def test_a_field_of_an_event_is_left_out_and_counted(
    tmp_path: Path, field: str, number: str
) -> None:
    path = write(tmp_path / "a.json", text_with(with_field(field), number))
    trace = nbprof.load(path, cache=False).trace()
    kept = {"a", "b"} if field == "ts" else {"a", "b", "odd"}
    assert set(trace.operators()["name"].to_pylist()) == kept
    assert field == "Bytes" or counts(trace)[TOO_LARGE] == 1


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("number", ODD_TEXTS.values(), ids=ODD_TEXTS)
def test_other_long_numbers_are_small_ones(tmp_path: Path, field: str, number: str) -> None:
    path = write(tmp_path / "a.json", text_with(with_field(field), number))
    trace = nbprof.load(path, cache=False).trace()
    assert set(trace.operators()["name"].to_pylist()) == {"a", "b", "odd"}
    assert not counts(trace).keys() & {TOO_LARGE, "unreadable event", "texts that are too long"}


@pytest.mark.parametrize("field", ["pid", "tid", "External id", "correlation", "id"])
@pytest.mark.parametrize("number", [*TOO_LARGE_TEXTS.values(), *ODD_TEXTS.values()])
def test_numbers_in_quotes(tmp_path: Path, field: str, number: str) -> None:
    path = write(tmp_path / "a.json", text_with(with_field(field), f'"{number}"'))
    trace = nbprof.load(path, cache=False).trace()
    assert set(trace.operators()["name"].to_pylist()) == {"a", "b", "odd"}


def test_a_process_of_another_program_has_any_number(tmp_path: Path) -> None:
    content = [op("a", 10, 5, cat="x"), op("b", 20, 5, cat="x", pid=MARK)]
    path = write(tmp_path / "a.json", text_with(content, '"' + "7" * 10**6 + '"'))
    trace = nbprof.load(path, cache=False).trace()
    assert trace.model.tables["host"].num_rows == 2


@pytest.mark.parametrize("number", TOO_LARGE_TEXTS.values(), ids=TOO_LARGE_TEXTS)
def test_the_header_keeps_its_other_keys(tmp_path: Path, number: str) -> None:
    content = trace_json()
    content["distributedInfo"]["world_size"] = MARK
    path = write(tmp_path / "a.json", text_with(content, number))
    trace = nbprof.load(path, cache=False).trace()
    assert trace.metadata["rank"] == content["distributedInfo"]["rank"]
    assert "world_size" not in trace.metadata
    assert counts(trace)[TOO_LARGE] == 1


@pytest.mark.parametrize("number", TOO_LARGE_TEXTS.values(), ids=TOO_LARGE_TEXTS)
def test_a_counter_loses_one_sample(tmp_path: Path, number: str) -> None:
    samples = [
        {"ph": "C", "name": "power", "pid": 1, "ts": ts, "args": {"watts": value}}
        for ts, value in ((11, 5), (12, MARK), (13, 7))
    ]
    content = {"traceEvents": [op("a", 10, 5), *samples]}
    trace = nbprof.load(write(tmp_path / "a.json", text_with(content, number)), cache=False).trace()
    values = trace.model.column("counters", "value")
    assert values[~np.isnan(values)].tolist() == [5, 7]
    assert counts(trace)[TOO_LARGE] == 1


def ascend_with(folder: Path, file: str, marked: Any, number: str) -> nbprof.Trace:
    """Return a recording of Ascend, one file of which has marked content."""
    for name, content in seed("ascend").items():
        text = text_with(marked, number).encode() if name.endswith(file) else content.encode()
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    return nbprof.load(folder, cache=False).trace()


def ascend_content(file: str) -> Any:
    found = next(one for name, one in seed("ascend").items() if name.endswith(file))
    assert isinstance(found, Json)
    return found.value


@pytest.mark.parametrize("number", ["1e-" + "9" * 10**6, "1e999999999999", "7" * 10**6])
def test_communication_of_ascend_is_read(tmp_path: Path, number: str) -> None:
    content = ascend_content("communication.json")
    entry = next(iter(next(iter(content.values()))["collective"].values()))
    entry["Communication Time Info"]["Wait Time(ms)"] = MARK
    trace = ascend_with(tmp_path, "communication.json", content, number)
    assert trace.model.tables["communication"].num_rows > 1
    assert ("bad numbers" in counts(trace)) == ("e-" not in number)


def test_arguments_of_ascend_lose_one_number(tmp_path: Path) -> None:
    content = ascend_content("trace_view.json")
    event = next(one for one in content if "Sequence number" in one.get("args", {}))
    event["args"]["Sequence number"] = MARK
    found = counts(ascend_with(tmp_path, "trace_view.json", content, "7" * 10**6))
    assert found[TOO_LARGE] == 1
    assert "odd types" not in found


@pytest.mark.parametrize("bits", [200, 3_400_000])
def test_a_profile_of_python_loses_one_function(tmp_path: Path, bits: int) -> None:
    ((name, content),) = seed("python_profile").items()
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_bytes(content.encode())
    whole = nbprof.load(tmp_path, cache=False).trace().model.tables["functions"].num_rows
    assert isinstance(content, Marshal)
    content.value[0][1] = -(1 << bits)
    path.write_bytes(content.encode())
    trace = nbprof.load(tmp_path, cache=False).trace()
    assert trace.model.tables["functions"].num_rows == whole - 1
    assert counts(trace)["malformed function"] == 1


SHAPES: Final = ("Input Dims", "Input type", "Concrete Inputs")


@pytest.mark.parametrize("field", [*SHAPES, "Input Strides", "grid"])
@pytest.mark.parametrize("shapes", [[[2, MARK], [3]], [MARK], [[[[MARK]]]]], ids=repr)
@pytest.mark.parametrize("in_quotes", [False, True])
@pytest.mark.parametrize("number", TOO_LARGE_TEXTS.values(), ids=TOO_LARGE_TEXTS)
def test_a_number_inside_shapes_is_left_out_and_counted(
    tmp_path: Path, field: str, shapes: Any, in_quotes: bool, number: str
) -> None:
    path = _with_shapes(tmp_path, field, shapes, number, in_quotes=in_quotes)
    trace = nbprof.load(path, cache=False).trace()
    assert trace.model.tables["host"]["name"].to_pylist() == ["a", "odd", "odd", "b"]
    if field != "Input Strides":  # which are not kept
        assert counts(trace)[TOO_LARGE] == 2
        assert _shapes_of(trace, field) == [text_with(shapes, "null")] * 2
    for name in ("operators", "operator_costs", "slices", "key_averages"):
        trace.table(name)
    assert trace.operators(group_by="name+shape").num_rows == 3


@pytest.mark.parametrize("field", SHAPES)
@pytest.mark.parametrize("number", [*ODD_TEXTS.values(), "9" * 299, "1e300"])
def test_other_numbers_inside_shapes_stay(tmp_path: Path, field: str, number: str) -> None:
    path = _with_shapes(tmp_path, field, [[2, MARK], [3, MARK]], number, name="aten::mm")
    trace = nbprof.load(path, cache=False).trace()
    shapes = [json.loads(one) for one in _shapes_of(trace, field)]
    assert shapes == [[[2, pytest.approx(float(number))], [3, pytest.approx(float(number))]]] * 2
    assert TOO_LARGE not in counts(trace)
    for name in ("operators", "operator_costs", "slices", "key_averages"):
        trace.table(name)


def _with_shapes(folder: Path, field: str, shapes: Any, number: str, *, name: str = "odd",
                 in_quotes: bool = False) -> Path:  # fmt: skip
    """Return a trace two of whose operators and kernels have shapes with a marked number."""
    text = text_with(shapes, number)
    common = {"External id": 1, "correlation": 1, "device": 0, "stream": 7, field: "@shapes@"}
    events = [op(name, 20, 5, args=common), op(name, 25, 5, args=common)]
    work = [op("k", 20, 5, cat="kernel", args=common) for _ in events if field == "grid"]
    content = json.dumps({"traceEvents": [op("a", 10, 5), *events, *work, op("b", 30, 5)]})
    return write(
        folder / "a.json", content.replace('"@shapes@"', json.dumps(text) if in_quotes else text)
    )


def _shapes_of(trace: nbprof.Trace, field: str) -> list[str]:
    """Return what is kept of a field, of rows that have it."""
    columns = dict(
        zip((*SHAPES, "grid"), ("input_shapes", "input_types", "input_values", "grid"), strict=True)
    )
    table = trace.model.tables["device" if field == "grid" else "host"]
    return [one for one in table[columns[field]].to_pylist() if one is not None]
