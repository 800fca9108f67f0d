"""Damaged and hostile Paddle files: repairs are counted, work is bounded, errors are nbprof's."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbprof
from nbprof.model.errors import TraceFormatError
from nbprof.sources import TraceFile, read
from tests.support.examples import examples
from tests.support.recordings.paddle.json import to_json
from tests.support.recordings.paddle.protobuf import message, number, to_protobuf
from tests.support.recordings.paddle.runs import generate
from tests.support.traces import read_trace, table_rows, warning_counts
from tests.support.work import calls, peak

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

RECORDING = generate(7)
TEXT, BINARY = to_json(RECORDING), to_protobuf(RECORDING)


def attempt(path: Path, content: bytes, **options: Any) -> TraceModel | None:
    """Read content; None where nothing of it can be read."""
    path.write_bytes(content)
    file = TraceFile("r", "w", 1, path, "Paddle", len(content), 0, None, "", "", "")
    try:
        return read(file, progress=False, **options)
    except TraceFormatError:
        return None


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """Where a JSON file goes."""
    return tmp_path / "w_time_1.paddle_trace.json"


@pytest.fixture
def binary(tmp_path: Path) -> Path:
    """Where a protobuf file goes."""
    return tmp_path / "w_time_1.paddle_trace.pb"


def names(model: TraceModel | None) -> list[str]:
    """Return the names of host rows."""
    return [] if model is None else [row["name"] for row in table_rows(model)]


def test_protobuf_that_is_cut_off_is_read_up_to_there(binary: Path) -> None:
    whole = len(names(attempt(binary, BINARY)))
    kept = []
    for size in range(64, len(BINARY) - 1, 211):
        model = attempt(binary, BINARY[:size])
        if model is not None:
            assert warning_counts(model)["cut off"] == 1
            kept.append(len(names(model)))
    assert kept == sorted(kept)
    assert whole * 0.9 < kept[-1] <= whole


def test_json_that_is_cut_off_is_read_up_to_there(text: Path) -> None:
    whole = len(names(attempt(text, TEXT.encode())))
    kept = []
    for size in range(1000, len(TEXT) - 9000, 2111):
        model = attempt(text, TEXT[:size].encode())
        assert model is not None
        assert warning_counts(model)["cut off"] == 1
        kept.append(len(names(model)))
    assert kept == sorted(kept)
    assert whole * 0.8 < kept[-1] <= whole


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ('"dur": ', '"dur": nan, "was": ', "not a number"),
        ('gemm<float>[a\\"b]', 'gemm<float>[a"b]', "quote in a text"),
        ('"name": "relu dygraph', '"name": "C:\\relu\\qdygraph', "bad escape"),
        ('"name": "relu dygraph', '"name": "relu\ndygraph', "control character"),
        ('"ph": "X"', '"ph": "X",', "spare comma"),
        ('"cat": "Forward"', '"cat": 9', "odd types"),
        ('"cat": "Forward"', '"cat": "Sideways"', "unknown kind of event"),
        ('"tid": "4000(Python)"', '"tid": null', "missing thread id"),
        ('"start_time"', '"started"', "missing exact times"),
        ('"ph": "i"', '"ph": "?"', None),
    ],
)
def test_odd_json_is_mended_and_counted(text: Path, old: str, new: str, kind: str | None) -> None:
    assert TEXT.count(old) >= 2
    broken = TEXT.replace(old, new, 2)
    model = attempt(text, broken.encode())
    assert model is not None
    counted = warning_counts(model)
    if kind is None:
        assert counted == {}
    else:
        assert counted[kind] >= 1, counted
        strict = attempt(text, broken.encode(), strict=True)
        assert (strict is None) == (kind != "unknown kind of event")
    assert len(names(model)) == len(names(attempt(text, TEXT.encode())))
    assert counted.keys() <= {kind, "unknown kind of event"}


def test_a_list_of_devices_that_was_not_closed_costs_nothing_else(text: Path) -> None:
    # What builds for GPUs write where they find none.
    broken = re.sub(r'"deviceProperties": \[.*?\],', '"deviceProperties": [', TEXT, flags=re.DOTALL)
    model = attempt(text, broken.encode())
    assert model is not None
    assert len(names(model)) == len(names(attempt(text, TEXT.encode())))
    assert model.metadata["span_index"] == 0
    assert nbprof.load(text, progress=False).runs().num_rows == 1


@pytest.mark.parametrize("first", ["0", "x", '"', "["])
def test_a_damaged_first_brace_costs_nothing_else(text: Path, first: str) -> None:
    model = attempt(text, (first + TEXT[1:]).encode())
    if first == "[":  # then it is an array of other things
        return
    assert model is not None
    assert len(names(model)) == len(names(attempt(text, TEXT.encode())))
    assert model.metadata["process_cpu_pct"] == 125.0
    assert "unreadable header" in warning_counts(model)


def test_one_bad_event_costs_one_event(text: Path) -> None:
    at = TEXT.index('"ph": "X"', 4000)
    broken = TEXT[:at] + '"ph": }{[' + TEXT[at + 9 :]
    model = attempt(text, broken.encode())
    assert model is not None
    assert warning_counts(model).get("unreadable event") == 1
    assert len(names(model)) == len(names(attempt(text, TEXT.encode()))) - 1
    assert model.metadata["process_cpu_pct"] == 125.0


def test_packed_files_are_read_whole_or_broken(tmp_path: Path) -> None:
    for ending, content in ((".json", TEXT.encode()), (".pb", BINARY)):
        path = tmp_path / f"w_time_1.paddle_trace{ending}.gz"
        packed = gzip.compress(content)
        path.write_bytes(packed)
        model = read_trace(path)
        assert model.tables["host"].num_rows > 50
        assert model.warnings == []
        broken = attempt(path, packed[: len(packed) // 2])
        assert broken is not None
        assert "damaged gzip" in warning_counts(broken)


def node(*event: tuple[int, Any]) -> bytes:
    """Return a whole file of one node with an event, behind a good one."""
    good = message((1, "good"), (2, 0), (3, 10**18), (4, 10**18 + 5), (5, 1), (6, 1))
    nodes = [message((1, 1), (2, 0), (3, one)) for one in (good, message(*event))]
    return message((1, "1.0.2"), (2, 0), (3, message((1, 1), *((2, one) for one in nodes))))


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (((1, "x"), (2, "Operator"), (3, 10**18), (4, 10**18)), "field of the wrong kind"),
        (((1, 5), (2, 0), (3, 10**18), (4, 10**18)), "field of the wrong kind"),
        (((1, "x"), (2, 0), (4, 10**18)), "missing time stamp"),
        (((1, "x"), (2, 0), (3, 10**18)), "missing or impossible duration"),
        (((1, "x"), (2, 0), (3, 10**18), (4, 10**17)), "missing or impossible duration"),
        (((1, "x"), (2, 99), (3, 10**18), (4, 10**18)), "unknown kind of event"),
        (((1, "x"), (2, 0), (3, 2**63 + 5), (4, 2**63 + 6)), "missing time stamp"),
    ],
)
def test_odd_protobuf_is_counted(binary: Path, event: tuple[Any, ...], kind: str) -> None:
    model = attempt(binary, node(*event, (5, 1), (6, 1)))
    assert model is not None
    assert "good" in names(model)
    assert kind in warning_counts(model)
    strict = attempt(binary, node(*event, (5, 1), (6, 1)), strict=True)
    assert (strict is None) == (kind != "unknown kind of event")


#: Messages inside of messages, far deeper than there is anything to look for.
DEEP = b""
for _ in range(2000):
    DEEP = message((4, DEEP), (15, 0))
DEEP = DEEP[:-1]


@pytest.mark.parametrize(
    "rubbish",
    [
        b"\xff" * 40,  # a number that does not end
        b"\x0a" + b"\xff" * 9 + b"\x01",  # a length of 2**64 - 1
        b"\x0a\xff\xff\xff\xff\x07hello",  # a length of 2 GB
        b"\x0a" + number(-11),  # a length that leads back to where it stands
        b"\x0b\x0b\x0b",  # groups that do not end
        b"\x00\x00\x00",  # fields without a number
        b"\x0d\x01",  # a fixed number that is cut off
        DEEP,
    ],
)
@pytest.mark.parametrize("copies", [1, 60])
def test_rubbish_in_a_message_ends_that_message_only(
    binary: Path, rubbish: bytes, copies: int
) -> None:
    good = message((1, "good"), (2, 0), (3, 10**18), (4, 10**18 + 5), (5, 1), (6, 1))
    bad = message((1, 1), (2, 0), (3, good)) + rubbish
    nodes = [bad] * copies + [message((1, 1), (2, 0), (3, good))]
    content = message((1, "1.0.2"), (2, 0), (3, message((1, 1), *((2, one) for one in nodes))))
    model = attempt(binary, content)
    assert names(model) == ["good"] * (copies + 1)
    assert model is not None
    assert sum(warning_counts(model).values()) >= copies


def test_a_length_beyond_the_end_allocates_nothing(binary: Path) -> None:
    content = BINARY + number(3 << 3 | 2) + number(1 << 62) + b"\x08\x01"
    model = attempt(binary, content)
    assert model is not None
    assert warning_counts(model) == {"cut off": 1}
    assert peak(lambda: attempt(binary, content)) < 8 << 20


def test_empty_nodes_cost_calls_in_proportion(binary: Path) -> None:
    def work(count: int) -> int:
        nodes = (number(3 << 3 | 2) + b"\x00") * count
        return calls(lambda: attempt(binary, message((1, "1.0.2"), (2, 0)) + nodes))

    assert work(20_000) < 12 * work(2000)


@settings(max_examples=examples(60))
@given(st.data())
def test_no_change_of_bytes_gives_any_other_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("changed")
    for content, ending in ((BINARY, "pb"), (TEXT.encode()[:20_000], "json")):
        changed = bytearray(content)
        for _ in range(data.draw(st.integers(1, 12))):
            at = data.draw(st.integers(0, len(changed) - 1))
            changed[at] = data.draw(st.integers(0, 255))
        path = folder / f"w_time_1.paddle_trace.{ending}"
        model = attempt(path, bytes(changed))
        if model is not None:
            assert len(model.nesting.parent) == model.tables["host"].num_rows
            assert model.tables["host_types"].num_rows == model.tables["host"].num_rows


@pytest.mark.parametrize("away", [-(10**15), 10**15])
def test_an_event_of_another_time_does_not_move_the_others(binary: Path, away: int) -> None:
    recording = generate(7)
    stray = recording.threads[4001].children[-1]
    stray.start, stray.end = stray.start + away, stray.end + away
    strange, whole = attempt(binary, to_protobuf(recording)), attempt(binary, BINARY)
    assert strange is not None
    assert whole is not None
    for key in ("epoch_ns", "end_ns"):
        assert strange.metadata[key] == whole.metadata[key]
    lost = names(whole)
    lost.remove(stray.name)
    assert sorted(names(strange)) == sorted(lost)
    assert strange.tables["host_types"].num_rows == len(lost)
    assert warning_counts(strange) == {"times of another clock": 1}


@pytest.mark.parametrize("start", ["-1000000000000.000 us", "1000000000000.000 us"])
def test_a_start_of_another_time_does_not_move_the_others(text: Path, start: str) -> None:
    whole = attempt(text, TEXT.encode())
    content = json.loads(TEXT)
    stray = [one for one in content["traceEvents"] if one.get("cat") == "OperatorInner"][-1]
    stray["args"] |= {"start_time": start, "end_time": start}
    strange = attempt(text, json.dumps(content).encode())
    assert strange is not None
    assert whole is not None
    for key in ("epoch_ns", "end_ns"):
        assert strange.metadata[key] == whole.metadata[key]
    assert len(names(strange)) == len(names(whole)) - 1
    assert warning_counts(strange) == {"times of another clock": 1}


def test_a_broken_file_loses_no_other(tmp_path: Path) -> None:
    (tmp_path / "a_time_1.paddle_trace.json").write_text(TEXT)
    (tmp_path / "b_time_1.paddle_trace.pb").write_bytes(b"\x0a\x051.0.2\x10\x00")
    (tmp_path / "c_time_1.paddle_trace.json").write_text('{"span_indx": "0"}')
    (tmp_path / "d_time_1.paddle_trace.pb").write_bytes(b"rubbish")
    (tmp_path / "e_time_1.paddle_trace.json").write_text(json.dumps({"traceEvents": [{}]}))
    profile = nbprof.load(tmp_path, progress=False)
    assert len(profile) == 3
    good, *bad = profile
    assert good.operators().num_rows > 0
    for trace in bad:
        with pytest.raises(TraceFormatError, match="no events"):
            trace.operators()
    assert profile.skipped().num_rows == 4
