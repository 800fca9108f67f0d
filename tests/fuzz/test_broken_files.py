"""Files that once took tables, views or commands down: everything is done with each of them."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.cli.conftest import trace_json
from tests.fuzz.contents import Csv, Json
from tests.fuzz.seeds import seed
from tests.fuzz.sweep import everything
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path

#: What lies in `data/broken`.
RECORDED = (
    "clock_1000x.pt.trace.json",
    "huge_bytes.pt.trace.json",
    "number_1e18.pt.trace.json.gz",
    "ascend_long_header",
    "ascend_huge_number",
    "names_for_slow_patterns.pt.trace.json.gz",
    "python_4000_deep.pt.trace.json.gz",
)


def memory(ts: int, size: int) -> dict[str, Any]:
    args = {"Device Type": 1, "Device Id": 0, "Addr": ts, "Bytes": size}
    return {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": ts, "args": args}


def frames(depth: int) -> list[dict[str, Any]]:
    return [
        op(f"a.py({n}): f", n, 2 * (depth - n) + 9, cat="python_function") for n in range(depth)
    ]


#: Events of the same classes.
GENERATED: dict[str, list[dict[str, Any]]] = {
    "one time stamp 1000 times too large": [op("a", 10**9, 5), op("b", 10**12, 5)],
    "a time stamp of 10^30": [op("a", 10, 5), op("b", 10**30, 5)],
    "negative times": [op("a", -(10**15), 5), op("b", 10, -5)],
    "2^63 - 1 bytes": [op("a", 1, 5), memory(2, 512), memory(3, 2**63 - 1), memory(4, -(2**63))],
    "10^18 everywhere": [
        op("a", 1, 5),
        kernel("k", 2, 3, **{"registers per thread": 10**18, "blocks per SM": 1e300}),
        kernel("k", 9, 3, device=10**18, stream=10**18, correlation=10**30),
    ],
    "letters for slow patterns": [op("a" * 40 + sign, n, 1) for n, sign in enumerate("!?#")],
    "frames in frames": [*frames(600), op("aten::add", 600, 1)],
}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded(shared_data: Path, tmp_path: Path, name: str) -> None:
    path = shared_data / "broken" / name
    if not path.exists():
        pytest.skip(f"no reference data: there is no {name}")
    assert everything(path, tmp_path) == []


def test_recorded_together(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "broken"
    if not path.exists():
        pytest.skip("no reference data: there is no folder of broken files")
    assert everything(path, tmp_path) == []


@pytest.mark.parametrize("name", GENERATED)
def test_generated(tmp_path: Path, name: str) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    out.mkdir()
    write(logs / "bad.pt.trace.json", GENERATED[name])
    write(logs / "good.pt.trace.json", json.dumps(trace_json(0)))
    assert everything(logs, out) == []


@pytest.mark.parametrize("damage", ["long header", "huge number"])
def test_generated_of_several_files(tmp_path: Path, damage: str) -> None:
    files = seed("ascend")
    for name, content in files.items():
        if damage == "huge number" and name.endswith("communication.json"):
            assert isinstance(content, Json)
            content.value = _with_huge_numbers(content.value)
        elif damage == "long header" and name.endswith("operator_memory.csv"):
            assert isinstance(content, Csv)
            content.rows[0][0] = "x" * (csv.field_size_limit() + 1)
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    alone = write(
        tmp_path / "alone" / "good.1700000000001.pt.trace.json", json.dumps(trace_json(0))
    )
    expected = nbprof.load(alone.parent, cache=False).trace().device_time().to_pylist()
    write(tmp_path / "logs" / "job" / alone.name, json.dumps(trace_json(0)))
    out = tmp_path / "out"
    out.mkdir()
    assert everything(tmp_path / "logs", out) == []
    profile = nbprof.load(tmp_path / "logs", cache=False)
    (good,) = (trace for trace in profile if trace.worker.startswith("good"))
    assert good.device_time().to_pylist() == expected
    assert len(set(profile.device_time()["worker"].to_pylist())) == 2, "no worker is left out"


def _with_huge_numbers(value: Any) -> Any:
    """Return plain values with one number in four made huge."""
    if isinstance(value, dict):
        return {key: _with_huge_numbers(one) for key, one in value.items()}
    if isinstance(value, float):
        return 1e300 if int(value * 1000) % 4 == 0 else value
    return value
