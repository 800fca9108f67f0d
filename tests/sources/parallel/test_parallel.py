"""Parallel reading gives the tables, metadata, warnings and errors of one reader.

Here the parts are read one after the other in this process; `test_parallel_processes` starts some.
"""

from __future__ import annotations

import gzip
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nbprof.model.errors import TraceFormatError
from nbprof.sources import discover, read
from nbprof.sources.parallel import helper_process
from nbprof.sources.parallel import reading as parallel
from nbprof.sources.parallel.part import read_part
from tests.sources.chrome.test_broken import DAMAGE, text_of
from tests.sources.chrome.test_reference import FOLDERS
from tests.sources.chrome.test_windows import INDENTS, SINCE_1970, TRACES
from tests.support.examples import examples
from tests.support.same_models import assert_same
from tests.support.traces import Event, kernel, op, read_trace, write

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

#: Each example writes a file and reads it twice.
FEWER = settings(
    max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)


class InHere:
    """A helper that needs no process; it counts those that were of use."""

    used = 0
    done = 0

    def __init__(self, job: helper_process.Job) -> None:
        self._job = job

    def listen(self) -> bool:
        return True

    def result(self, tick: Any) -> Any:
        tick()
        output = io.BytesIO()
        try:
            if not helper_process.read(self._job, output, lambda _: None):
                return None
        except Exception:  # noqa: BLE001 - any of them ends the process
            return None
        InHere.used += 1
        return read_part(output.getvalue())

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def _read_in_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "Helper", InHere)
    InHere.used = 0


def assert_parts_make_no_difference(path: Path, **options: Any) -> TraceModel | None:
    """Read a file by one and by several; return the model, None if it cannot be read."""
    expected, error = outcome(path, **options, processes=1)
    for processes in (2, 4):
        model, failure = outcome(path, **options, processes=processes)
        assert failure == error
        if expected is not None and model is not None:
            assert_same(model, expected)
    return expected


def outcome(path: Path, **options: Any) -> tuple[TraceModel | None, str]:
    try:
        return read_trace(path, **options), ""
    except TraceFormatError as error:
        return None, str(error)


@FEWER
@given(st.lists(TRACES, min_size=1, max_size=4), st.integers(100, 900), INDENTS, st.booleans())
def test_parts_of_any_trace_make_the_whole(
    tmp_path: Path, tiles: list[list[Event]], window: int, indent: int | None, bare: bool
) -> None:
    events = [event for tile in tiles for event in tile]
    content = events if bare else {"traceEvents": events, "deviceProperties": [{"id": 0}]}
    text = json.dumps(content, indent=indent)
    path = write(tmp_path / "a.json", text.encode("utf-8", "surrogatepass"))
    assert assert_parts_make_no_difference(path, window=window, strict=True)


@FEWER
@given(TRACES, SINCE_1970, st.integers(100, 500), st.booleans())
def test_times_that_need_their_text_may_come_late_or_early(
    tmp_path: Path, small: list[Event], large: list[Event], window: int, late: bool
) -> None:
    large = [{**event, "ts": f"{event['ts'] / 1000:.3f}"} for event in large]
    text = json.dumps({"traceEvents": small + large if late else large + small})
    for event in large:
        text = text.replace(f'"{event["ts"]}"', event["ts"])
    assert assert_parts_make_no_difference(write(tmp_path / "a.json", text), window=window)


def many(count: int = 40) -> list[Event]:
    """Return events of all kinds, with texts that come again and texts that do not."""
    events: list[Event] = [{"ph": "M", "name": "thread_name", "pid": 1, "tid": 1,
                            "args": {"name": "main"}}]  # fmt: skip
    for i in range(count):
        args = {"External id": i, "Input Dims": [[i % 3]], "Call stack": f"f{i % 5};g"}
        events += [
            op(f"op{i % 7}", ts=10 * i, args=args),
            op("old", ts=10 * i, tid=f"worker {i % 4}", args={"Input dims": [[i % 2]]}),
            op("call", ts=10 * i + 1, dur=1, cat="cuda_runtime", args={"correlation": i}),
            op("frame", ts=10 * i, cat="python_function", args={"Python id": i}),
            kernel(f"kernel{i % 6}", ts=10 * i + 2, correlation=i, grid=[i, 1, 1], block=[9, 1, 1]),
            op("nccl", ts=10 * i, args={"Collective name": "allreduce", "In msg nelems": i}),
            {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": i, "pid": 1, "tid": 1, "ts": 10 * i},
            {"ph": "C", "name": "power", "pid": 1, "ts": 10 * i, "args": {f"gpu {i % 3}": i}},
            {"ph": "i", "name": "[memory]", "pid": 1, "tid": 7 + i % 2, "ts": 10 * i,
             "args": {"Bytes": i, "Device Id": -1}},
            {"ph": "b", "cat": f"odd{i % 3}", "name": "?", "ts": 1},
            op("other", ts=10 * i, dur=1, cat=f"other{i % 3}"),
            {"ph": "BE"[i % 2], "name": "half", "pid": 1, "tid": 2, "ts": 10 * i},
            op("endless", ts=10 * i, dur=-1),
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": f"t{i}"}},
        ]  # fmt: skip
    return events


@pytest.mark.parametrize("suffix", ["json", "json.gz"])
def test_every_kind_of_event_comes_through(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"a.{suffix}", many(), host_name="h")
    model = assert_parts_make_no_difference(path, window=700)
    assert InHere.used == 1 + 3
    assert model is not None
    for table in ("host", "device", "memory", "flows", "counters", "threads", "collectives"):
        assert model.tables[table].num_rows >= 7
    assert {one.kind for one in model.warnings} == {
        "unknown kind of event",
        "missing or impossible duration",
        "thread id in words",
    }


MIXED = {
    "no thread, then thread -1": ({"tid": None}, {"tid": -1}),
    "thread -1, then no thread": ({"tid": -1}, {"tid": None}),
    "ids with and without a point": ({"pid": 1, "tid": 2}, {"pid": 1.0, "tid": 2.0}),
    "numbers too large for a float": (
        {"args": {"Collective name": "allreduce", "In msg nelems": 1}},
        {"args": {"Collective name": "allreduce", "In msg nelems": "1e999"}},
    ),
}


@pytest.mark.parametrize("kind", MIXED)
def test_what_is_spelled_in_two_ways_comes_to_the_same(tmp_path: Path, kind: str) -> None:
    first, second = MIXED[kind]
    events = [op("a", ts=i, **first) for i in range(20)]
    events += [op("b", ts=20 + i, **second) for i in range(20)]
    text = text_of(events).replace('"1e999"', "1e999")
    model = assert_parts_make_no_difference(write(tmp_path / "a.json", text), window=500)
    # A window that was mended, as one with a number that is left out, ends where no part begins.
    assert InHere.used == (1 + 2 if "1e999" in text else 1 + 3)
    assert model is not None
    assert model.tables["threads"].num_rows == 1


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("times", [1, -1])
def test_damage_is_found_as_by_one_reader(tmp_path: Path, kind: str, times: int) -> None:
    old, new, _ = DAMAGE[kind]
    events = [op(name, ts=i, x=1) for i, name in enumerate(["first", "second", "third"] * 20)]
    text = text_of(events)
    half = len(text) // 2
    assert old in text[half:]
    for at in (0, half):
        broken = text[:at] + text[at:].replace(old, new, times)
        path = write(tmp_path / "a.json", broken)
        assert_parts_make_no_difference(path, window=300)
        assert_parts_make_no_difference(path, window=300, strict=True)


@settings(FEWER, max_examples=examples(150))
@given(st.data())
def test_any_damage_is_found_as_by_one_reader(tmp_path: Path, data: st.DataObject) -> None:
    packed = data.draw(st.booleans())
    raw = bytearray(text_of(many(5)), "utf-8")
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        new = data.draw(st.binary(max_size=3) | st.sampled_from([b'"', b"\\", b"}", b"]", b"{"]))
        raw[at : at + data.draw(st.integers(0, 40))] = new
    if packed:
        raw = bytearray(gzip.compress(bytes(raw)))
        at = data.draw(st.integers(20, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=2))
    path = tmp_path / "a.json"
    path.write_bytes(raw)
    strict = data.draw(st.booleans())
    assert_parts_make_no_difference(path, window=data.draw(st.integers(200, 900)), strict=strict)


@pytest.mark.parametrize("folder", ["kineto", "torchcpu"])
def test_parts_of_reference_traces_make_the_whole(shared_data: Path, folder: str) -> None:
    assert folder in FOLDERS
    files = [one for one in discover(shared_data / folder).files if one.format == "PyTorch"]
    for file in files:
        expected = read(file, progress=False, window=1 << 14, processes=1)
        model = read(file, progress=False, window=1 << 14, processes=3)
        assert_same(model, expected)
    assert InHere.used > len(files)


def test_parts_are_shared_out_by_size() -> None:
    def starts(size: int, helpers: int, lead: int = 0) -> list[int]:
        return parallel.part_starts(size, helpers, first=110, window=100, lead=lead)

    assert starts(2000, 1) == [1010]
    assert starts(2000, 1, lead=400) == [1210]
    assert starts(4000, 3) == [1010, 2010, 3010]
    assert starts(2000, 0) == []
    assert starts(300, 3) == [210]  # no part begins before what has been read, none twice
