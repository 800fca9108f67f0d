"""Times in Paddle's JSON: exact where recorded exactly, restored where they were rounded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from nbprof.sources.paddle.chrome.rounding import are_rounded, errors
from tests.support.recordings.paddle.json import to_json, us
from tests.support.recordings.paddle.protobuf import to_protobuf
from tests.support.recordings.paddle.runs import BASE_NS, generate
from tests.support.recordings.paddle.same import assert_same
from tests.support.traces import read_trace, warning_counts

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel
    from tests.support.recordings.paddle.runs import Recording

#: Pauses before each of three steps, and by how much starts may be off, in ns.
LENGTHS = [(0, 0), (40_000_000, 18), (300_000_000, 80)]
#: Where arguments are off by more than events take; in the last by 65 µs.
LONG = [9_000_000_000, 10**12]


def both(folder: Path, recording: Recording) -> tuple[TraceModel, TraceModel]:
    """Read both forms of a recording."""
    text, binary = folder / "a.paddle_trace.json", folder / "b.paddle_trace.pb"
    text.write_text(to_json(recording))
    binary.write_bytes(to_protobuf(recording))
    return read_trace(text), read_trace(binary)


@pytest.mark.parametrize(("pause", "off"), LENGTHS)
@pytest.mark.parametrize("seed", range(4))
def test_both_forms_are_the_same_however_long_it_took(
    tmp_path: Path, seed: int, pause: int, off: int
) -> None:
    recording = generate(seed, pause_ns=pause)
    text, binary = both(tmp_path, recording)
    assert_same(text, binary, written=off)
    assert text.warnings == binary.warnings == []
    short = binary.column("host", "duration_ns") < 16_000_000
    lengths = [model.column("host", "duration_ns")[short] for model in (text, binary)]
    if pause != 40_000_000:  # there arguments are kept, which are off by nanoseconds
        assert np.array_equal(*lengths)
    assert text.nesting.overlaps == 0


@pytest.mark.parametrize("pause", LONG)
@pytest.mark.parametrize("seed", range(4))
def test_long_recordings_have_exact_durations_and_hardly_an_event_in_a_wrong_one(
    tmp_path: Path, seed: int, pause: int
) -> None:
    recording = generate(seed, pause_ns=pause)
    for tid in recording.threads:
        for at, node in enumerate(recording.levels(tid)):
            node.name += f" {tid} {at}" if at else ""
    text, binary = map(by_name, both(tmp_path, recording))
    assert text.keys() == binary.keys()
    for name, (start, duration, _) in text.items():
        assert abs(start - binary[name][0]) < 1500
        assert duration == binary[name][1] or duration > 16_000_000
    # Events of this recording follow each other within half a microsecond.
    assert sum(text[name][2] != binary[name][2] for name in text) < 0.03 * len(text)


def by_name(model: TraceModel) -> dict[str, tuple[int, int, str | None]]:
    """Return start, duration and parent by name, and calls by their number."""
    rows, parents = model.tables["host"].to_pylist(), model.nesting.parent.tolist()
    names = [row["name"] if row["correlation"] < 0 else str(row["correlation"]) for row in rows]
    assert len(set(names)) == len(names)
    assert model.nesting.overlaps == 0
    return {
        name: (row["start_ns"], row["duration_ns"], names[parent] if parent >= 0 else None)
        for name, row, parent in zip(names, rows, parents, strict=True)
    }


@pytest.mark.parametrize("pause", [0, 9_000_000_000])
def test_memory_belongs_to_the_event_that_it_was_recorded_in(tmp_path: Path, pause: int) -> None:
    recording = generate(5, pause_ns=pause)
    wanted = {
        one.address: node.name
        for tid in recording.threads
        for node in recording.levels(tid)
        for one in node.memory
    }
    for model in both(tmp_path, recording):
        assert owners(model) == wanted


def owners(model: TraceModel) -> dict[int, str]:
    """Return the innermost event that is no call round every record of memory, by address."""
    start, names = model.column("host", "start_ns"), model.tables["host"]["name"].to_pylist()
    end, thread = start + model.column("host", "duration_ns"), model.column("host", "thread")
    is_call = np.array([kind == "runtime" for kind in model.tables["host"]["kind"].to_pylist()])
    found = {}
    for row in model.tables["memory"].to_pylist():
        time = row["time_ns"]
        inside = (start <= time) & (time < end) & (thread == row["thread"]) & ~is_call
        rows = np.flatnonzero(inside)
        found[row["address"]] = names[rows[np.argmax(model.nesting.depth[rows])]]
    return found


def test_arguments_are_taken_to_the_last_digit(tmp_path: Path) -> None:
    path = tmp_path / "a.paddle_trace.json"
    recording = generate(1, pause_ns=30_000_000)
    path.write_text(to_json(recording))
    events = json.loads(path.read_text())["traceEvents"]
    args = [event["args"] for event in events if "start_time" in event.get("args", {})]
    times = [round(float(one["start_time"][:-3]) * 1000) for one in args]
    model = read_trace(path)
    found = np.concatenate([model.column(table, "start_ns") for table in ("host", "device")])
    assert sorted(times) == sorted(found.tolist())


def test_events_without_arguments_have_the_times_of_their_stamps(tmp_path: Path) -> None:
    path = tmp_path / "a.paddle_trace.json"
    content = json.loads(to_json(generate(2)))
    for event in content["traceEvents"][:60]:
        for key in ("start_time", "end_time"):
            event.get("args", {}).pop(key, None)
    path.write_text(json.dumps(content))
    model = read_trace(path)
    assert set(warning_counts(model)) <= {"missing exact times", "overlapping slices"}
    exact = read_trace(write_json(tmp_path / "b.paddle_trace.json", generate(2)))
    assert model.tables["host"].num_rows == exact.tables["host"].num_rows
    names = [(row["name"], row["duration_ns"]) for row in model.tables["host"].to_pylist()]
    wanted = [(row["name"], row["duration_ns"]) for row in exact.tables["host"].to_pylist()]
    assert sorted(names) == sorted(wanted)
    epochs = [one.metadata["epoch_ns"] for one in (model, exact)]
    assert abs(epochs[0] - epochs[1]) < 1000


def test_stamps_alone_are_enough(tmp_path: Path) -> None:
    path = tmp_path / "a.paddle_trace.json"
    content = json.loads(to_json(generate(2)))
    for event in content["traceEvents"]:
        event.pop("args", None)
    path.write_text(json.dumps(content))
    model = read_trace(path)
    assert model.metadata["epoch_ns"] // 1000 == min(
        event["ts"] for event in content["traceEvents"] if "ts" in event
    )


def test_memory_before_the_first_event_moves_both_forms_alike(tmp_path: Path) -> None:
    recording = generate(3)
    main = next(iter(recording.threads.values()))
    early = main.children[0].children[0].children[0].children[1].memory[0]
    early.time = main.children[0].start - 12_345
    main.memory.append(early)
    main.children[0].children[0].children[0].children[1].memory.remove(early)
    text, binary = both(tmp_path, recording)
    assert_same(text, binary, written=0)
    assert text.column("memory", "time_ns").min() >= 0
    assert 12_345 <= text.column("host", "start_ns").min() < 14_345


def test_exact_decimals_of_long_recordings_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.paddle_trace.json"
    content: dict[str, Any] = {"traceEvents": [], "span_index": "0"}
    for at in range(9):
        start = 3_000_000_017 * at
        times = {"start_time": f"{start / 1000:.3f} us", "end_time": f"{start / 1000 + 5:.3f} us"}
        event = {"name": f"op{at}[5.000 us]", "pid": 1, "tid": "1(C++)", "ph": "X"}
        stamp = {"ts": (BASE_NS + start) // 1000, "dur": 5.0, "cat": "Operator", "args": times}
        content["traceEvents"].append({**event, **stamp})
    path.write_text(json.dumps(content))
    starts = read_trace(path).column("host", "start_ns").tolist()
    assert starts == [3_000_000_017 * at for at in range(9)]


def test_the_error_of_a_written_time_is_never_larger_than_said() -> None:
    chance = np.random.default_rng(1)
    times = (10 ** chance.uniform(0, 14, 20_000)).astype(np.int64)
    written = np.array([round(float(f"{us(int(one)):.3f}") * 1000) for one in times])
    assert (np.abs(written - times) <= errors(written)).all()
    assert (errors(written)[times < 16_000_000] == 0).all()
    assert are_rounded(written)
    assert not are_rounded(times)


def write_json(path: Path, recording: Recording) -> Path:
    """Write a recording and return where."""
    path.write_text(to_json(recording))
    return path
