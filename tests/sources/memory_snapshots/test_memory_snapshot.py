"""Snapshots of the CUDA allocator: tables, and files that are refused."""

from __future__ import annotations

import collections
import pickle
import zipfile
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.model.errors import TraceFormatError
from nbprof.sources import discover, read
from nbprof.sources.memory_snapshots.formats import SNAPSHOT
from nbprof.timeline.timeline import Timeline
from tests.support.tables import TRACE_TABLES
from tests.support.traces import op, write

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.trace import Trace

#: What is narrowed to nothing is compared, too.
pytestmark = pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")

MIB = 1 << 20
START = 1_700_000_000_000_000
MODEL = [{"filename": "net.py", "line": 7, "name": "forward"}]
TRAIN = [*MODEL, {"filename": "train.py", "line": 3, "name": "<module>"}]


def entry(action: str, addr: int, size: int, at: int, frames: Any = None) -> dict[str, Any]:
    return {
        "action": action,
        "addr": addr,
        "size": size,
        "stream": 0,
        "time_us": START + at,
        "frames": frames or [],
    }


def block(address: int, size: int, frames: Any = None, state: str = "active_allocated") -> dict:
    return {
        "address": address,
        "size": -(-size // 512) * 512,  # rounded up by the allocator
        "requested_size": size,
        "state": state,
        "frames": frames or [],
    }


def segment(blocks: list[dict], device: int = 0, total: int = 20 * MIB) -> dict[str, Any]:
    active = [one for one in blocks if one["state"].startswith("active")]
    return {
        "device": device,
        "address": 0x1000,
        "total_size": total,
        "allocated_size": sum(one["size"] for one in active),
        "active_size": sum(one["size"] for one in active),
        "stream": 0,
        "segment_type": "large",
        "blocks": blocks,
    }


def history() -> dict[str, Any]:
    """Give a history that starts with 5000 bytes requested, of which 3000 stay to the end."""
    entries = [
        entry("segment_alloc", 0x1000, 10 * MIB, 0),
        entry("alloc", 0x2000, 400, 10, TRAIN),
        entry("alloc", 0x3000, 600, 20, MODEL),
        entry("free_requested", 0x2000, 400, 30),
        entry("free_completed", 0x2000, 400, 35),
        entry("free_requested", 0x4000, 2000, 40),
        entry("free_completed", 0x4000, 2000, 40),
        entry("alloc", 0x2000, 100, 50, TRAIN),
        {**entry("oom", 0, 30 * MIB, 60), "device_free": 5 * MIB},
        entry("snapshot", 0, 0, 70),
    ]
    blocks = [
        block(0x2000, 100, TRAIN),
        block(0x3000, 600, MODEL),
        block(0x5000, 3000, MODEL),
        block(0x6000, 512, state="inactive"),
    ]
    return {"segments": [segment(blocks)], "device_traces": [entries]}


def dump(path: Path, content: Any, protocol: int = 4) -> Path:
    path.write_bytes(pickle.dumps(content, protocol=protocol))
    return path


def opened(path: Path, **options: Any) -> Trace:
    return nbprof.load(path, progress=False, **options).trace()


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_history(tmp_path: Path, protocol: int) -> None:
    trace = opened(dump(tmp_path / "snapshot.pickle", history(), protocol))
    assert trace.file.format == trace.metadata["format"] == SNAPSHOT
    assert trace.metadata["epoch_ns"] == START * 1000
    curve = [
        (row["time_us"], row["allocated_bytes"], row["reserved_bytes"])
        for row in trace.memory_curve().to_pylist()
    ]
    assert curve == [
        (0, 5120, None),
        (0, 5120, 20 * MIB),
        (10, 5632, 20 * MIB),
        (20, 6656, 20 * MIB),
        (35, 6144, 20 * MIB),
        (40, 4096, 20 * MIB),
        (50, 4608, 20 * MIB),
        (50, 4608, 20 * MIB),
    ]
    (peak,) = trace.memory_peak().to_pylist()
    assert (peak["device_type"], peak["device"]) == ("gpu", 0)
    assert (peak["peak_bytes"], peak["requested_bytes"]) == (6656, 6000)
    assert (peak["time_us"], peak["capacity_bytes"]) == (20, None)
    (start,) = trace.filter(time_us=(0, 1)).memory_peak().to_pylist()
    assert (start["peak_bytes"], start["requested_bytes"]) == (5120, 5000)


def test_holders_by_stack(tmp_path: Path) -> None:
    trace = opened(dump(tmp_path / "snapshot.pickle", history()))
    rows = trace.memory_peak_holders().to_pylist()
    assert {(row["operator"], row["module"]) for row in rows} == {(None, None)}
    names = ("call_stack", "bytes", "requested_bytes", "blocks")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("net.py(7): forward", 4096, 3600, 2),
        (None, 2048, 2000, None),
        ("net.py(7): forward;train.py(3): <module>", 512, 400, 1),
    ]


def test_events_and_warnings(tmp_path: Path) -> None:
    trace = opened(dump(tmp_path / "snapshot.pickle", history()))
    rows = [
        (row["size_bytes"], row["allocation_us"], row["release_us"])
        for row in trace.memory_events().to_pylist()
    ]
    assert rows == [
        (3072, None, None),
        (512, 10, 35),
        (1024, 20, None),
        (2048, None, 40),
        (512, 50, None),
    ]
    kept = trace.filter(time_us=(15, 45)).memory_events()
    assert kept["size_bytes"].to_pylist() == [1024, 2048]
    warnings = {row["kind"]: row for row in trace.warnings().to_pylist()}
    assert set(warnings) == {"out of memory", "allocated before the recording"}
    said = "Device 0 ran out of memory: 30.0 MiB asked for, 5.0 MiB free"
    assert warnings["out of memory"]["example"] == said


def test_a_snapshot_without_history(tmp_path: Path) -> None:
    blocks = [block(0x2000, 100, TRAIN), block(0x3000, 50), block(0x4000, 70, TRAIN)]
    content = {"segments": [segment(blocks), segment([block(0x2000, 9)], device=3)]}
    trace = opened(dump(tmp_path / "s.pickle", {**content, "device_traces": [[], []]}))
    assert [
        (row["device"], row["allocated_bytes"], row["reserved_bytes"])
        for row in trace.memory_curve().to_pylist()
    ] == [(0, 1536, None), (0, 1536, 20 * MIB), (3, 512, None), (3, 512, 20 * MIB)]
    assert trace.memory_peak()["peak_bytes"].to_pylist() == [1536, 512]
    assert trace.memory_peak()["requested_bytes"].to_pylist() == [220, 9]
    stack = "net.py(7): forward;train.py(3): <module>"
    assert [
        (row["device"], row["call_stack"], row["bytes"], row["blocks"])
        for row in trace.memory_peak_holders().to_pylist()
    ] == [(0, stack, 1024, 2), (0, None, 512, 1), (3, None, 512, 1)]


def test_frames_of_early_versions_are_in_the_history_of_blocks(tmp_path: Path) -> None:
    old = {"size": 64, "state": "active_allocated", "history": [{"frames": MODEL, "addr": 0x1000}]}
    trace = opened(dump(tmp_path / "s.pickle", {"segments": [segment([old, old])]}))
    (row,) = trace.memory_peak_holders().to_pylist()
    assert (row["call_stack"], row["bytes"], row["blocks"]) == ("net.py(7): forward", 128, 2)


def test_entries_without_times_stand_in_order(tmp_path: Path) -> None:
    entries = [entry("alloc", 0x10, 8, 0), entry("free_completed", 0x10, 8, 0)]
    for one in entries:
        del one["time_us"]
    trace = opened(dump(tmp_path / "s.pickle", {"segments": [], "device_traces": [entries]}))
    assert trace.memory_curve()["time_us"].to_pylist() == [0, 0, 1, 1]
    assert "no times" in trace.warnings()["kind"].to_pylist()


def test_every_table_of_a_snapshot_is_answered(tmp_path: Path) -> None:
    trace = opened(dump(tmp_path / "snapshot.pickle", history()))
    filled = {name for name in TRACE_TABLES if trace.table(name).num_rows}
    assert {"memory_curve", "memory_events", "memory_peak", "memory_peak_holders"} <= filled
    assert not {"operators", "kernels", "slices", "memory_operators", "memory_categories"} & filled
    assert [track.label for track in Timeline.of(trace.model).tracks] == ["Allocated"]
    assert trace.filter(threads=[1]).memory_events().num_rows == 0


def test_traces_of_a_run_come_before_its_snapshots(tmp_path: Path) -> None:
    write(tmp_path / "worker0.1.pt.trace.json", [op()])
    dump(tmp_path / "a_snapshot.pickle", history())
    (tmp_path / "weights.pkl").write_bytes(pickle.dumps({"weight": [0.5]}))
    profile = nbprof.load(tmp_path, progress=False)
    formats = profile.runs()["format"].to_pylist()
    assert formats == ["PyTorch", SNAPSHOT]
    assert profile.runs()["rank"].to_pylist() == [0, None]
    (skipped,) = profile.skipped().to_pylist()
    assert skipped["reason"] == "not a trace: a pickle of something other than a memory snapshot"


class Evil:
    """Calls something when it is unpickled."""

    def __init__(self, marker: str) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return (open, (self.marker, "w"))


def refused(path: Path) -> str:
    (file,) = discover(path).files
    with pytest.raises(TraceFormatError) as caught:
        read(file, progress=False)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_pickle_that_calls_something_is_refused(tmp_path: Path) -> None:
    marker = tmp_path / "called"
    content = {"segments": [Evil(str(marker))], "device_traces": []}
    assert "it requires io.open" in refused(dump(tmp_path / "s.pickle", content))
    assert not marker.exists()


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (collections.OrderedDict(a=1), "collections.OrderedDict"),
        (Fraction(1, 2), "fractions.Fraction"),
        (3j, "builtins.complex"),
        (print, "builtins.print"),
    ],
)
@pytest.mark.parametrize("protocol", [2, 4])
def test_whatever_is_no_plain_value_is_refused_by_name(
    tmp_path: Path, value: Any, name: str, protocol: int
) -> None:
    content = {"segments": [], "device_traces": [value]}
    text = refused(dump(tmp_path / "s.pickle", content, protocol))
    assert name.replace("builtins", "__builtin__") in text or name in text
    assert "only plain containers, strings and numbers" in text


@pytest.mark.parametrize(
    "tail",
    [
        b"cos\nsystem\n(S'true'\ntR.",  # the oldest way to name a function
        b"\x8c\x02os\x8c\x06system\x93.",  # names from the stack
        b"(cos\nsystem\nS'true'\no.",  # an instance
        b"(S'true'\nios\nsystem\n.",  # and another way
        b"\x82\x01.",  # a registered extension
        b"Pthing\n.",  # something kept elsewhere
        b"}\x94b.",  # a state for something that has none
        b"r\xff\xff\xff\xff.",  # a memo of 32 GiB
        b"\x8d\xff\xff\xff\xff\xff\xff\xff\x7f.",  # a text of 8 EiB
        b"",
    ],
)
def test_hostile_and_broken_pickles_end_in_a_clear_error(tmp_path: Path, tail: bytes) -> None:
    path = tmp_path / "s.pickle"
    path.write_bytes(b"\x80\x04}\x94(X\x08\x00\x00\x00segments]" + tail)
    assert "is not read as a memory snapshot" in refused(path)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (["segments"], "it contains a list"),
        ({"segment": 1, "device_traces_": []}, "the keys 'segment', 'device_traces_'"),
        ({"segments": [], "device_traces": []}, "no segments and no history"),
    ],
)
def test_plain_pickles_that_are_no_snapshot(tmp_path: Path, content: Any, text: str) -> None:
    assert text in refused(dump(tmp_path / "s.pickle", content))


def test_odd_values_are_counted(tmp_path: Path) -> None:
    entries = [
        entry("alloc", 0x10, 8, 5),
        "nonsense",
        entry("alloc", 0x20, 8, 3),
        {"action": "annotate", "addr": None},
        {"action": "alloc", "addr": "12", "size": None, "time_us": "x", "frames": "no"},
        {**entry("alloc", 0x30, 8, 9), "frames": ["text; more", {"name": "f"}]},
    ]
    content = {"segments": ["odd", {"blocks": [None, {}]}], "device_traces": [entries, None]}
    trace = opened(dump(tmp_path / "s.pickle", content))
    kinds = trace.warnings()["kind"].to_pylist()
    assert {"malformed memory entry", "memory records out of order"} <= set(kinds)
    assert "unknown memory action" in kinds
    assert "text, more;(0): f" in trace.memory_peak_holders()["call_stack"].to_pylist()
    with pytest.raises(TraceFormatError, match="not a number: time_us is no number"):
        opened(tmp_path / "s.pickle", strict=True).read()
    dump(tmp_path / "s.pickle", {**content, "device_traces": [entries[:4]]})
    with pytest.raises(TraceFormatError, match="malformed memory entry"):
        opened(tmp_path / "s.pickle", strict=True).read()


def test_a_checkpoint_is_no_snapshot(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "model.pkl", "w") as archive:
        archive.writestr("data.pkl", b"\x80\x02}.")
    with pytest.raises(TraceFormatError, match="not a trace: not JSON"):
        nbprof.load(tmp_path, progress=False)


def test_segments_alone_are_a_snapshot(tmp_path: Path) -> None:
    """As `torch.cuda.memory_snapshot()` returns them."""
    segments = [segment([block(0x1000, 10 * MIB, TRAIN)]), segment([], device=1)]
    path = tmp_path / "list.pickle"
    path.write_bytes(pickle.dumps(segments))
    trace = nbprof.load(path, progress=False).trace()
    assert trace.file.format == SNAPSHOT
    assert trace.memory_peak()["peak_bytes"].to_pylist()[0] == 10 * MIB
    assert trace.memory_segments()["bytes"].to_pylist() == [20 * MIB, 20 * MIB]
    path.write_bytes(pickle.dumps([{"total_size": 1}, {"size": 2}]))
    with pytest.raises(TraceFormatError, match="it contains a list"):
        nbprof.load(path, progress=False, cache=False).trace().memory_peak()
