"""The overview and the workers of very many devices list the busiest, and say so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.widgets.conftest import EPOCH, step_events, table_of

if TYPE_CHECKING:
    from pathlib import Path

MANY = 110


@pytest.fixture(scope="module")
def many_devices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    events = step_events(1, gpu=True, rich=True)
    for device in range(1, MANY):
        args = {"device": device, "stream": 7, "correlation": 1000 + device}
        place = {"ph": "X", "pid": device, "tid": 7, "ts": EPOCH + 1100, "dur": device}
        events.append({"cat": "kernel", "name": "gemm", **place, "args": args})
    path = tmp_path_factory.mktemp("many") / "worker0.1700000000001.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return path


def test_the_busiest_are_listed(open_page: Any, many_devices: Path) -> None:
    page = open_page(many_devices)
    reply, buffers = page.ask("overview", state=page.state())
    result = reply["result"]
    assert result["left_out"] == f"the busiest 100 of {MANY}"
    summary, time = (
        table_of(buffers[result["tables"][name]]) for name in ("device_summary", "device_time")
    )
    assert summary.num_rows == time.num_rows == 100
    assert summary["device"].to_pylist() == time["device"].to_pylist()
    whole = page.view.trace.device_summary()
    least = min(summary["utilization_pct"].to_pylist())
    assert sum(one > least for one in whole["utilization_pct"].to_pylist()) < 100
    assert page.view.trace.device_summary().num_rows == MANY


def test_the_busiest_of_workers_are_listed(open_page: Any, many_devices: Path) -> None:
    page = open_page(many_devices)
    reply, buffers = page.ask("distributed", state=page.state())
    assert reply["result"]["left_out"] == f"the busiest 100 of {MANY}"
    listed = table_of(buffers[0])
    whole = page.view.trace.device_summary()
    used = sorted(whole["utilization_pct"].to_pylist())
    assert sorted(listed["utilization_pct"].to_pylist()) == used[-100:]
    assert listed["device"].to_pylist() == sorted(listed["device"].to_pylist())
