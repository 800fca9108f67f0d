"""Every known kind of damage: what is valid is read, and repairs are counted."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nbprof.model.errors import TraceFormatError
from tests.support.examples import examples
from tests.support.traces import Event, kernel, op, open_trace, read_trace, write

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

NAMES = ["first", "second", "third"]


def three() -> list[Event]:
    return [op(name, ts=10 * i) for i, name in enumerate(NAMES)]


def text_of(events: list[Event], **header: object) -> str:
    return json.dumps({"deviceProperties": [], "traceEvents": events, "host_name": "h", **header})


def kinds(model: TraceModel) -> dict[str, int]:
    return {warning.kind: warning.count for warning in model.warnings}


def names(model: TraceModel) -> list[str]:
    texts = model.values("host", "name")
    return [texts[code] for code in model.column("host", "name")]


DAMAGE = {
    "bad escape": ('"second"', r'"C:\new\project\x"', [NAMES[0], r"C:\new\project\x", NAMES[2]]),
    "control character": ('"second"', '"two\nlines"', [NAMES[0], "two\nlines", NAMES[2]]),
    "not a number": ('"dur": 5, "x": 1', '"dur": 5, "x": NaN', NAMES),
    "quote in a text": ('"second"', '"a "quoted" b"', [NAMES[0], 'a "quoted" b', NAMES[2]]),
    "missing comma": ("}, {", "}\n{", NAMES),
    "spare comma": ("}]", "},\n]", NAMES),
    "unreadable event": ('"second"', '"second', [NAMES[0], NAMES[2]]),
    "unreadable text": ("}, {", "},\nWARNING: the logger was here\n{", NAMES),
}


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("window", [64, 1 << 20])
@pytest.mark.parametrize("bare", [False, True])
def test_damage_is_mended_or_skipped_and_counted(
    tmp_path: Path, kind: str, window: int, bare: bool
) -> None:
    old, new, expected = DAMAGE[kind]
    events = [{**event, "x": 1} for event in three()]
    text = json.dumps(events) if bare else text_of(events)
    assert old in text
    path = write(tmp_path / "a.json", text.replace(old, new, 1))
    model = read_trace(path, window=window)
    assert names(model) == expected
    assert kinds(model) == {kind: 1}
    assert model.warnings[0].example
    if not bare:
        assert model.metadata["host_name"] == "h"
    with pytest.raises(TraceFormatError, match=f"a.json: {kind}"):
        read_trace(path, window=window, strict=True)


@pytest.mark.parametrize(
    "number", ["NaN", "-nan", "Infinity", "-inf", "N/A", "-1.#IND", "None", "nan(ind)"]
)
def test_what_is_no_number_is_missing(tmp_path: Path, number: str) -> None:
    event = kernel(**{"est. achieved occupancy %": 7777, "shared memory": 8888})
    text = text_of([event, op(name="a: NaN, b")])
    text = text.replace("7777", number).replace("8888", number)
    model = read_trace(write(tmp_path / "a.json", text))
    device = model.tables["device"].to_pylist()[0]
    assert device["occupancy_pct"] != device["occupancy_pct"]
    assert device["shared_memory_bytes"] == -1
    assert names(model) == ["a: NaN, b"]
    assert kinds(model) == {"not a number": 2}


def test_bytes_that_are_no_utf8_are_replaced(tmp_path: Path) -> None:
    raw = text_of(three()).encode().replace(b"second", b"se\xff\xfecond")
    model = read_trace(write(tmp_path / "a.json", raw))
    assert names(model) == ["first", "se\ufffd\ufffdcond", "third"]
    assert kinds(model) == {"not UTF-8": 2}


def test_counters_are_read_beside_bytes_that_nobody_looks_at(tmp_path: Path) -> None:
    counter = {"ph": "C", "name": "c", "pid": 1, "tid": 1, "ts": 2, "args": {"v": 1}}
    raw = text_of([op("first", args={"odd": "X"}), counter]).encode().replace(b'"X"}', b'"\x80"}')
    model = read_trace(write(tmp_path / "w.pt.trace.json", raw))
    assert model.tables["counters"].column("value").to_pylist() == [1.0]


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    text = text_of(three()).replace("second", r"a\ud83db\ud83d\ude00")
    model = read_trace(write(tmp_path / "a.json", text))
    assert names(model) == ["first", "a\ufffdb\U0001f600", "third"]
    assert kinds(model) == {"bad escape": 1}


@pytest.mark.parametrize("window", [64, 1 << 20])
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_was_cut_off_gives_its_complete_events(
    tmp_path: Path, window: int, packed: bool
) -> None:
    text = text_of(three())
    end = text.index('"third"') + 3
    content: object = text[:end]
    model = read_trace(write(tmp_path / f"a.json{'.gz' * packed}", content), window=window)
    assert names(model) == ["first", "second"]
    assert kinds(model) == {"cut off": 1}


def test_gzip_that_was_cut_off_gives_its_complete_events(tmp_path: Path) -> None:
    events = [op(f"name {i}", ts=i) for i in range(20000)]
    packed = gzip.compress(text_of(events).encode())
    path = write(tmp_path / "cut.pt.trace.json", packed[: len(packed) // 2])
    model = read_trace(path)
    count = model.tables["host"].num_rows
    assert 5000 < count < 15000
    assert names(model) == [f"name {i}" for i in range(count)]
    assert kinds(model) == {"damaged gzip": 1, "cut off": 1}
    with pytest.raises(TraceFormatError, match=r"too early|damaged gzip"):
        read_trace(path, strict=True)


def test_a_wrong_checksum_is_counted(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(text_of(three()).encode()))
    packed[-8] ^= 1
    model = read_trace(write(tmp_path / "a.json", bytes(packed)))
    assert "damaged gzip" in kinds(model)


@pytest.mark.parametrize(
    ("ending", "kind"),
    [("", "cut off"), ("]", "cut off"), ("]} and more", "text after the end"), ("]}", None)],
)
def test_endings(tmp_path: Path, ending: str, kind: str | None) -> None:
    text = json.dumps({"traceEvents": three()}).removesuffix("]}") + ending
    model = read_trace(write(tmp_path / "a.json", text))
    assert names(model) == NAMES
    assert kinds(model) == ({kind: 1} if kind else {})


def test_a_windows_path_in_the_header_is_mended(tmp_path: Path) -> None:
    text = text_of(three(), traceName="PATH").replace("PATH", r"C:\Users\me\trace.json")
    model = read_trace(write(tmp_path / "a.json", text))
    assert kinds(model) == {"bad escape": 1}
    assert model.metadata["host_name"] == "h"


def test_a_header_beyond_repair_still_gives_known_keys(tmp_path: Path) -> None:
    text = text_of(three(), baseTimeNanoseconds=5000, note="x").replace('"note": "x"', '"no"te": "')
    model = read_trace(write(tmp_path / "a.json", text))
    assert kinds(model) == {"unreadable header": 1}
    assert model.metadata["epoch_ns"] == 5000
    assert model.metadata["host_name"] == "h"


@pytest.mark.parametrize("window", [64, 1 << 20])
def test_a_header_after_broken_events_is_read(tmp_path: Path, window: int) -> None:
    after = {"deviceProperties": [{"id": 0}, {"id": 1, "name": "b"}], "host_name": "h"}
    text = json.dumps({"traceEvents": three(), **after}).replace('"second"', '"sec"ond"')
    model = read_trace(write(tmp_path / "a.json", text), window=window)
    assert names(model) == ["first", 'sec"ond', "third"]
    assert kinds(model) == {"quote in a text": 1}
    assert model.metadata["host_name"] == "h"
    assert model.column("devices", "device").tolist() == [0, 1]


def test_quotes_in_any_of_several_texts_are_found(tmp_path: Path) -> None:
    texts = {"ph": "X", "name": "NAME", "cat": "cpu_op"}
    for keys in (("ph", "name", "cat"), ("name", "ph", "cat"), ("ph", "cat", "name")):
        event = {key: texts[key] for key in keys} | {"ts": 1, "dur": 2, "pid": 1, "tid": 1}
        text = json.dumps({"traceEvents": [event]}).replace("NAME", 'a "b" c')
        model = read_trace(write(tmp_path / "a.json", text))
        assert names(model) == ['a "b" c']
        assert kinds(model) == {"quote in a text": 1}


def test_many_faults_are_counted_over_windows(tmp_path: Path) -> None:
    events = [op(f"bad {i}" if i % 7 == 0 else f"good {i}", ts=i) for i in range(700)]
    text = text_of(events).replace('"bad', '"b"ad" \\q')
    model = read_trace(write(tmp_path / "a.json", text), window=4096)
    assert model.tables["host"].num_rows == 700
    assert kinds(model)["quote in a text"] == 100


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_damage_gives_a_model_or_a_reason(tmp_path: Path, data: st.DataObject) -> None:
    """Bytes taken out, put in or changed anywhere: never another error than ours."""
    raw = bytearray(text_of([op(f"n{i}", ts=i, args={"a": [1, {"b": "c"}]}) for i in range(8)]),
                    "utf-8")  # fmt: skip
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(raw) - 1))
        new = data.draw(st.binary(max_size=3) | st.sampled_from([b'"', b"\\", b"}", b"]", b"{"]))
        raw[at : at + data.draw(st.integers(0, 40))] = new
    path = write(tmp_path / "a.json", bytes(raw))
    window = data.draw(st.sampled_from([50, 1 << 20]))
    try:
        model = read_trace(path, window=window)
    except TraceFormatError:
        return
    lost = 8 - model.tables["host"].num_rows
    assert lost <= 0 or model.warnings or is_json(raw)


def is_json(raw: bytes) -> bool:
    """Tell whether there is nothing to be seen: two events may have become a valid one.

    Texts that nobody asks for are not looked into, whatever escapes and bytes they hold.
    """
    try:
        msgspec.json.decode(bytes(raw), type=msgspec.Raw)
    except msgspec.DecodeError:
        return False
    return True


def test_a_file_without_events_says_so(tmp_path: Path) -> None:
    file = open_trace(write(tmp_path / "a.json", '{"traceEvents": []}'))
    with pytest.raises(TraceFormatError, match=r"a\.json.*no operators"):
        read_trace(file.path)


def test_a_file_that_goes_away_says_so(tmp_path: Path) -> None:
    from nbprof.sources import read

    file = open_trace(write(tmp_path / "a.json", three()))
    file.path.unlink()
    with pytest.raises(TraceFormatError, match=r"could not be read.*profile\.refresh") as caught:
        read(file)
    assert isinstance(caught.value.__cause__, OSError)


def test_a_file_that_grows_while_it_is_read_says_so(tmp_path: Path) -> None:
    from nbprof.sources import read

    path = write(tmp_path / "a.json", [op(ts=i) for i in range(200)])

    def grow(done: int, total: int, text: str) -> None:
        with path.open("a") as file:
            file.write(" ")

    with pytest.raises(TraceFormatError, match="changed while"):
        read(open_trace(path), progress=grow, window=4096)
