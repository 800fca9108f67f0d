"""One rank of DeepSeek-V3 training: expert parallelism without NCCL, recomputed from the file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.support.traces import plain_events

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def profile(shared_data: Path) -> nbprof.Profile:
    return nbprof.load(shared_data / "kineto/h800_deepseek", progress=False)


@pytest.fixture(scope="module")
def kernels(profile: nbprof.Profile) -> list[dict[str, Any]]:
    events = plain_events(profile.trace().file.path)
    found = [event for event in events if event.get("cat") == "kernel"]
    assert len(found) == 963
    return found


def is_exchange(event: dict[str, Any]) -> bool:
    return "::ep::" in event["name"].split("<")[0]


def test_share_of_kernel_time(profile: nbprof.Profile, kernels: list[dict[str, Any]]) -> None:
    spent = sum(event["dur"] for event in kernels if is_exchange(event))
    share = 100 * spent / sum(event["dur"] for event in kernels)
    assert round(float(share), 1) == 46.5
    ops = profile.distributed_ops()
    assert sum(ops["total_latency_us"].to_pylist()) == spent  # no two of a name at once
    assert sum(ops["calls"].to_pylist()) == sum(map(is_exchange, kernels))


def test_what_is_not_known_is_empty(profile: nbprof.Profile) -> None:
    for row in profile.distributed_ops().to_pylist():
        known = {name for name, value in row.items() if value is not None}
        known -= {"run", "worker", "span"}
        assert known == {"name", "calls", "total_latency_us", "avg_latency_us"}


def test_device_time(profile: nbprof.Profile, kernels: list[dict[str, Any]]) -> None:
    exchanged, computed = set(), set()
    for event in kernels:
        times = exchanged if is_exchange(event) else computed
        times.update(range(int(event["ts"]), int(event["ts"] + event["dur"])))
    sets = [
        event
        for event in plain_events(profile.trace().file.path)
        if "memset" in event.get("cat", "")
    ]
    for event in sets:
        computed.update(range(int(event["ts"]), int(event["ts"] + event["dur"])))
    (row,) = profile.device_time().to_pylist()
    assert row["communication_us"] == len(exchanged)
    assert row["computation_us"] == len(computed)
    assert row["exposed_communication_us"] == len(exchanged - computed)


def test_advice_is_about_it(profile: nbprof.Profile) -> None:
    rows = {row["rule"]: row for row in profile.trace().recommendations().to_pylist()}
    evidence = json.loads(rows["hidden_communication"]["evidence"])
    (row,) = profile.device_time().to_pylist()
    assert evidence["value"] == row[evidence["column"]]
