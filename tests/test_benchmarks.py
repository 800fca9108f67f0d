"""The large trace of the benchmarks: repetitions must not be mistaken for each other."""

from __future__ import annotations

import gzip
import json
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

EVENTS: list[dict[str, Any]] = [
    {"ph": "M", "name": "process_name", "pid": 1, "ts": 5, "args": {"name": "python"}},
    {"ph": "X", "name": "ProfilerStep#3", "ts": 1000.25, "dur": 100, "args": {"External id": 1}},
    {"ph": "X", "name": "ProfilerStep#4", "ts": 1100.5, "dur": 100, "args": {"External id": 2}},
    {
        "ph": "X",
        "name": "aten::add",
        "ts": 1010,
        "dur": 5,
        "args": {"External id": 7, "Sequence number": 3, "Ev Idx": 0, "Input Dims": [[2]]},
    },
    {"ph": "X", "name": "kernel", "ts": 1020, "dur": 5, "args": {"correlation": 9, "stream": 7}},
    {"ph": "s", "name": "ac2g", "id": 9, "ts": 1012},
    {"ph": "X", "name": "unlinked", "ts": 1021, "dur": 5, "args": {"correlation": 0}},
]


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    from tests.conftest import ROOT

    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.delitem(sys.modules, "build_large", raising=False)
    import build_large

    monkeypatch.setattr(build_large, "DATA", tmp_path / "built")
    return build_large


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "rank.pt.trace.json"
    text = json.dumps({"schemaVersion": 1, "traceEvents": EVENTS})
    path.write_text(text.replace("1000.25", "1736405443881410.320"))
    return path


def test_repetitions_share_no_id_and_no_time(builder: ModuleType, recording: Path) -> None:
    built = builder.build(str(recording), events=3 * len(EVENTS))
    trace = json.loads(built.read_text(), parse_float=Decimal)
    events = trace["traceEvents"]
    assert trace["schemaVersion"] == 1
    assert trace["distributedInfo"]["rank"] == 0
    assert len(events) == 3 * len(EVENTS) - 2  # names of processes are said once

    steps = [e["name"] for e in events if e["name"].startswith("ProfilerStep")]
    assert steps == [f"ProfilerStep#{n}" for n in (3, 4, 5, 6, 7, 8)]
    for key in ("External id", "Sequence number", "correlation"):
        ids = [e["args"][key] for e in events if e.get("args", {}).get(key)]
        assert len(ids) == len(set(ids)) > 0, key
    flows = [e["id"] for e in events if e["ph"] == "s"]
    assert flows == [e["args"]["correlation"] for e in events if e["name"] == "kernel"]
    assert [e["args"]["correlation"] for e in events if e["name"] == "unlinked"] == [0, 0, 0]
    numbers = [e["args"]["Ev Idx"] for e in events if e["name"] == "aten::add"]
    assert numbers[0] == 0
    assert len(set(numbers)) == 3

    first = [e["ts"] for e in events if e["name"].startswith("ProfilerStep#")][::2]
    assert first[0] == Decimal("1736405443881410.320")
    assert first[1] - first[0] == first[2] - first[1] >= first[0] - 1010


def test_building_twice_gives_the_same_bytes(
    builder: ModuleType, recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = builder.build(str(recording), events=20, compress=True).read_bytes()
    monkeypatch.setattr(builder, "DATA", tmp_path / "again")
    assert builder.build(str(recording), events=20, compress=True).read_bytes() == first
    plain = builder.build(str(recording), events=20).read_bytes()
    assert gzip.decompress(first) == plain


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells the memory")
def test_memory_is_that_of_a_process_and_its_children(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.conftest import ROOT

    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import measure

    child = "held = bytearray(50_000_000); print(flush=True); input()"
    program = f"""
import subprocess, sys, time
pipe = subprocess.PIPE
child = subprocess.Popen([sys.executable, "-c", {child!r}], stdin=pipe, stdout=pipe)
child.stdout.readline()
held = bytearray(50_000_000)
time.sleep(0.5)
child.communicate(b"\\n")
print("{{}}")
"""
    result = measure.run([sys.executable, "-c", program])
    assert 100_000_000 < result["peak_pss_bytes"] < 150_000_000
    assert result["cpu_s"] > 0

    with pytest.raises(measure.BenchmarkError, match="no such thing"):
        measure.run([sys.executable, "-c", "raise SystemExit('no such thing')"])
    assert measure._tree(2**30) == [2**30]  # gone already
