from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.conftest import ROOT
from tests.support.traces import op, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.running import Call


def test_everything_is_told(nbprof: Call, logdir: Path) -> None:
    result = nbprof("info", logdir)
    assert (result.status, result.err) == (0, "")
    head, *lines = result.text.splitlines()
    assert head.startswith(f"{logdir}: 2 runs, 3 workers, 3 traces, ")
    assert any("notes.json" in line for line in lines)
    for trace in ("eval / w0 / span 1", "train / w0 / span 1", "train / w1 / span 1"):
        assert trace in lines
    facts = [line.split(maxsplit=1) for line in lines if line.startswith("  ")]
    assert ["rank", "1 of 2"] in facts
    assert ["steps", "3, numbers 0 to 2, 3 of them complete"] in facts
    assert ["streams", "7, 8, 9"] in facts
    assert ["recorded", "device work, steps"] in facts
    assert any(label == "device" and "A Device, 16.00 GiB" in value for label, value in facts)
    assert any(label == "missing" and "with_stack=True" in value for label, value in facts)


def test_the_profiler_itself_is_no_thread(nbprof: Call, tmp_path: Path) -> None:
    own = {"cat": "overhead", "pid": -1, "tid": 0}
    path = write(tmp_path / "w.pt.trace.json", [op("a"), op("Buffer Flush", **own)])
    facts = [line.split(maxsplit=1) for line in nbprof("info", path).text.splitlines()]
    assert ["threads", "1"] in facts


def test_one_trace(nbprof: Call, logdir: Path) -> None:
    text = nbprof("info", logdir, "--worker", "w1").text
    assert "train / w1 / span 1" in text
    assert "w0 / span 1" not in text
    missing = nbprof("info", logdir, "--worker", "nosuch")
    assert missing.status == 2
    assert "'nosuch'" in missing.err


def test_heads_read_no_trace_in_full(nbprof: Call, logdir: Path) -> None:
    result = nbprof("info", logdir, "--heads")
    assert result.status == 0
    assert "train / w1 / span 1" in result.text
    assert "recorded" not in result.text


def test_a_broken_trace_does_not_hide_the_others(nbprof: Call, logdir: Path) -> None:
    broken = logdir / "train" / "w0.1700000000000.pt.trace.json"
    broken.write_text('{"schemaVersion": 1, "traceEvents": @@@@')
    result = nbprof("info", logdir)
    assert result.status == 0
    assert "train / w1 / span 1" in result.text
    assert broken.name in result.text


def test_of_very_many_streams_and_devices_the_first_are_listed(
    nbprof: Call, tmp_path: Path
) -> None:
    place = {"ph": "X", "cat": "kernel", "name": "k", "dur": 1}
    events = [
        {**place, "pid": at, "tid": at, "ts": at, "args": {"device": at, "stream": at}}
        for at in range(100)
    ]
    devices = [{"id": at, "name": "A Device", "totalGlobalMem": 2**34} for at in range(100)]
    path = tmp_path / "w0.1700000000000.pt.trace.json"
    content = {"schemaVersion": 1, "deviceProperties": devices, "traceEvents": events}
    path.write_text(json.dumps(content))
    text = nbprof("info", path).text
    assert ", 30, 31, 68 more\n" in text
    assert text.count("A Device") == 32
    assert [line.split() for line in text.splitlines() if "devices" in line.split()[:1]] == [
        ["devices", "68", "more"]
    ]


def test_of_memory_alone_it_speaks_of_memory_only(nbprof: Call) -> None:
    result = nbprof("info", ROOT / "samples" / "memory_snapshot_synthetic")
    lines = [line.split(maxsplit=1) for line in result.text.splitlines() if line.startswith("  ")]
    facts = dict(lines)
    assert facts["memory"] == "2,458 records over 0.153 s"
    assert facts["peak"].startswith("of GPU 0 ")
    assert not {"missing", "steps", "threads", "rank", "events", "recorded"} & {*facts}
