"""Files of `export_memory_timeline` in both formats."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import nbprof
from nbprof.model.errors import TraceFormatError
from nbprof.sources.memory_snapshots import number_text
from nbprof.sources.memory_snapshots.formats import TIMELINE
from nbprof.sources.memory_snapshots.memory_timeline import CATEGORIES
from nbprof.timeline.timeline import Timeline
from tests.support.tables import TRACE_TABLES

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.trace import Trace

#: What is narrowed to nothing is compared, too.
pytestmark = pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")

T = 1_795_253_537_890_045
CHANGES = [
    [-1, 1, 500, 0],
    [-1, 1, 30, 1],
    [T * 1000 + 100, 2, 64, 4],
    [T * 1000 + 900, 2, 16, 3],
    [T * 1000 + 2000, 3, -16, 3],
    [T * 1000 + 2000, 3, 16, 5],
    [T * 1000 + 3500, 4, -64, 4],
]


def opened(path: Path, content: Any = None) -> Trace:
    if content is not None:
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return nbprof.load(path, progress=False).trace()


def steps(trace: Trace) -> list[tuple[float, str, int]]:
    table = trace.memory_categories()
    names = ("time_us", "category", "bytes")
    return [tuple(row[name] for name in names) for row in table.to_pylist()]  # type: ignore[misc]


def test_single_changes(tmp_path: Path) -> None:
    trace = opened(tmp_path / "mem.raw.json.gz", CHANGES)
    assert trace.file.format == TIMELINE
    assert trace.metadata["epoch_ns"] == T * 1000 + 100
    begin = dict.fromkeys(CATEGORIES, 0) | {"parameter": 500, "optimizer state": 30}
    assert steps(trace) == [
        *((0.0, name, size) for name, size in begin.items()),
        (0.0, "activation", 64),
        (0.8, "temporary", 16),
        (1.9, "temporary", 0),
        (1.9, "gradient", 16),
        (3.4, "activation", 0),
    ]
    (peak,) = trace.memory_peak().to_pylist()
    assert (peak["peak_bytes"], peak["device_type"], peak["device"]) == (610, None, None)
    assert peak["time_us"] == pytest.approx(0.8)


def test_moments(tmp_path: Path) -> None:
    rows = [[0, 500, 30, 0, 0, 0, 0, 0, 0], [0, 500, 30, 0, 0, 64, 0, 0, 0]]
    trace = opened(tmp_path / "mem.json", [[T, T + 5], rows])
    found = steps(trace)
    assert [row[1] for row in found[:8]] == list(CATEGORIES)
    assert found[8:] == [(5.0, "activation", 64)]
    assert trace.memory_curve()["allocated_bytes"].to_pylist() == [530, 530, 594]
    assert trace.memory_peak()["peak_bytes"].to_pylist() == [594]


def test_a_range_starts_with_what_is_in_force(tmp_path: Path) -> None:
    trace = opened(tmp_path / "mem.raw.json.gz", CHANGES).filter(time_us=(1.0, 3.0))
    found = steps(trace)
    assert len(found) == 10
    assert {name: size for time, name, size in found if time == 1.0} == {
        **dict.fromkeys(CATEGORIES, 0),
        "parameter": 500,
        "optimizer state": 30,
        "activation": 64,
        "temporary": 16,
    }
    assert found[8:] == [(1.9, "temporary", 0), (1.9, "gradient", 16)]
    assert {name for _, name, _ in steps(trace.filter(name="ACTIV"))} == {"activation"}
    assert steps(trace.filter(devices=[0])) == []
    assert steps(trace.filter(kinds=["kernel"])) == []


def test_every_table_is_answered(tmp_path: Path) -> None:
    trace = opened(tmp_path / "mem.raw.json.gz", CHANGES)
    filled = {name for name in TRACE_TABLES if trace.table(name).num_rows}
    assert {"memory_curve", "memory_peak", "memory_categories"} <= filled
    assert not {"operators", "kernels", "memory_events", "memory_peak_holders"} & filled
    assert len(Timeline.of(trace.model).tracks) == 1


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([[T, T + 1], [[0, 1, 2]]], "memory timeline"),
        ([[T, T + 1], [[0] * 9]], "memory timeline"),
        ([[T], [["a"] * 9]], "memory timeline"),
        ([[T, 1, 5, 0], [T, 1, 5, 8]], "category 8 is unknown"),
        ([[T, 1, 5, 0], [T, 1]], "memory timeline"),
        (b"[[%d, 1, 5, 0], [%d, 1" % (T, T), "memory timeline"),
        ([[T], {"a": 1}], "memory timeline"),
        (b"[[%d, 1, 5, 0,], [%d, 1, 5, 0]]" % (T, T), "memory timeline"),
        (b"[[%d, 1, 5, 0], [%d, 1, 5, 0],]" % (T, T), "memory timeline"),
        (b"[[%d, 1, 5, 0] [%d, 1, 5, 0]]" % (T, T), "memory timeline"),
        (b"[[%d, 1, 5, 0], [%d, 1, 5, 0]] 7" % (T, T), "something follows"),
        (b"[[%d, 1, 5, 0], [%d, 1, 5, 0]]]" % (T, T), "something follows"),
        (b"[[%d, 1, 5, 0], [%d, 1, 5, %d]]" % (T, T, 10**30), "memory timeline"),
        (b"[[%d, 1, 5, 0], []]" % T, "rows must have 4 numbers"),
        (b'[[%d, 1, 5, 0], "%b"]' % (T, b"a" * (9 << 20)), "memory timeline"),
        (b"[[%d, 1, 5, 0], %b]" % (T, b"[" * (9 << 20)), "memory timeline"),
        (b"[[%d, 1, 5, 0], [%b]]" % (T, b"7" * (9 << 20)), "longer than 4 MB"),
        (b"[[%d%b]]" % (T, b",," * 500), "memory timeline"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_read_is_a_clear_error(tmp_path: Path, content: Any, text: str) -> None:
    trace = opened(tmp_path / "mem.json", content)
    with pytest.raises(TraceFormatError, match=text):
        trace.read()


@pytest.mark.parametrize("content", [[[1, 2], [3, 4]], [], [[]], [1, 2], [["a"]]])
def test_other_arrays_are_no_timelines(tmp_path: Path, content: Any) -> None:
    with pytest.raises(TraceFormatError):
        opened(tmp_path / "numbers.json", content).read()


def test_real_files_agree_with_each_other(shared_data: Path) -> None:
    folder = shared_data / "torchcpu" / "memtimeline"
    profile = nbprof.load(folder, progress=False)
    plain, packed, raw = (
        profile.trace(worker=name) for name in ("mem_cpu.json", "mem_cpu.json.gz", "mem_cpu.raw")
    )
    assert profile.trace().worker == "trace"
    assert steps(plain) == steps(packed)
    times, sizes = json.loads((folder / "mem_cpu.json").read_bytes())
    state = dict.fromkeys(CATEGORIES, 0)
    places = {time: index for index, time in enumerate(times)}  # the last of one microsecond
    found = steps(plain)
    for index, (time, name, size) in enumerate(found):
        state[name] = size
        at = round(time) + times[0]
        if index + 1 == len(found) or found[index + 1][0] != time:
            assert [0, *state.values()] == sizes[places[at]]
    assert plain.memory_peak()["peak_bytes"].to_pylist() == [max(map(sum, sizes))]
    assert raw.memory_peak()["peak_bytes"].to_pylist() == [max(map(sum, sizes))]
    last = {name: size for _, name, size in steps(raw)}
    assert [0, *(last[name] for name in CATEGORIES)] == sizes[-1]


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_where_pieces_end_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    moments = [[T, T + 5, T + 9], [[0, at, 30, 0, 0, at, 0, 0, 0] for at in (1, 22, 333)]]
    for content in (CHANGES, CHANGES[:1], moments):
        for spaced in (json.dumps(content), json.dumps(content, indent=3)):
            whole = steps(opened(tmp_path / "whole.json", spaced.encode()))
            with monkeypatch.context() as patch:
                patch.setattr(number_text, "_PIECE", size)
                (tmp_path / "pieces.json").write_text(spaced)
                assert steps(opened(tmp_path / "pieces.json")) == whole


def test_blanks_take_no_memory(tmp_path: Path) -> None:
    text = json.dumps(CHANGES).encode()
    for place in (b", [", b"]]", b"64"):
        spaces = text.replace(place, b" " * (12 << 20) + place, 1)
        (tmp_path / "mem.json").write_bytes(spaces)
        assert peak_of(tmp_path / "mem.json") < 12 << 20, place
        assert steps(opened(tmp_path / "mem.json")) == steps(opened(tmp_path / "a.json", text))


@pytest.mark.parametrize("kind", ["changes", "moments"])
def test_memory_is_bounded_by_the_text(tmp_path: Path, kind: str) -> None:
    count = 100_000
    content: list[Any] = [[T * 1000 + 7 * at, 2, at, at % 8] for at in range(count)]
    if kind == "moments":
        count //= 4
        rows = [[0, *(at % (10**9 + n) for n in range(8))] for at in range(10**9, 10**9 + count)]
        content = [[T + at for at in range(count)], rows]
    path = tmp_path / "mem.json"
    path.write_text(json.dumps(content, separators=(",", ":")))
    assert peak_of(path) < 10 * path.stat().st_size + (8 << 20)


def peak_of(path: Path) -> int:
    """Return the most bytes that reading a file takes at a time."""
    trace = nbprof.load(path, progress=False, cache=False).trace()
    tracemalloc.start()
    pool = pa.default_memory_pool()
    before = pool.bytes_allocated()
    try:
        trace.read()
        return tracemalloc.get_traced_memory()[1] + pool.bytes_allocated() - before
    finally:
        tracemalloc.stop()
