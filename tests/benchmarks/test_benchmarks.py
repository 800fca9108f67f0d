"""The large benchmark trace: repeated parts are distinguishable."""

from __future__ import annotations

import gzip
import json
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
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
    monkeypatch.delitem(sys.modules, "traces.build_large", raising=False)
    from traces import build_large

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
    from report import measure

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


def test_repeated_tables_share_no_id_and_no_time(builder: ModuleType, samples: Path) -> None:
    from traces import tile_tables

    from nbprof.loading import load

    path = min((samples / "gpu_resnet_synthetic").glob("*.json.gz"))
    model = load(str(path), progress=False).trace().model
    tiled = tile_tables.tile(model, 3)
    assert tiled.metadata["events"] == 3 * model.metadata["events"]
    for table in ("host", "device", "flows"):
        assert tiled.tables[table].num_rows == 3 * model.tables[table].num_rows
        assert tiled.tables[table].schema == model.tables[table].schema
    for table, column in (("host", "external_id"), ("device", "correlation"), ("flows", "id")):
        of_one, of_all = (
            {value for value in some.column(table, column).tolist() if value > 0}
            for some in (model, tiled)
        )
        assert len(of_all) == 3 * len(of_one) > 0
    thread, start = tiled.column("host", "thread"), tiled.column("host", "start_ns")
    order = np.lexsort((start, thread))
    assert np.array_equal(thread[order], thread)
    assert np.array_equal(start[order], start)
    period = model.metadata["end_ns"] + tile_tables.GAP_NS
    assert start.max() == model.column("host", "start_ns").max() + 2 * period
    assert len(np.unique(tiled.steps.number)) == 3 * len(model.steps.number) > 3
    for link in ("launch", "operator"):
        of_one, of_all = getattr(model.links, link), getattr(tiled.links, link)
        assert (of_all >= 0).sum() == 3 * (of_one >= 0).sum() > 0
        one, every = (np.unique(rows[rows >= 0]) for rows in (of_one, of_all))
        assert len(every) == 3 * len(one)


def test_the_timeline_is_measured_on_a_file_and_on_tables(
    builder: ModuleType,
    recording: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import timeline

    monkeypatch.setattr(timeline, "MOST_IN_A_FILE", 100)
    monkeypatch.setattr(timeline, "build", builder.build)
    command = ["timeline.py", "--source", str(recording), "--events", "50", "200"]
    monkeypatch.setattr(sys, "argv", [*command, "--windows", "20", "--json"])
    timeline.main()
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (first["file"], second["file"]) == (True, False)
    assert 150 < second["events"] < 250
    for record in (first, second):
        assert record["slices"] > 0
        assert set(record["in_budget"]) == {"build", "bytes", "query", "reply"}
        assert record["reply_bytes"]["median"] <= record["reply_bytes"]["max"] < 1_000_000
    monkeypatch.setattr(sys, "argv", [*command[:3], "--events", "50", "--windows", "5"])
    timeline.main()
    assert "a million events" in capsys.readouterr().out
