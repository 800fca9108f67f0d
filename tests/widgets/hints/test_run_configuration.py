"""The run configuration as text."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from nbprof.analysis.devices.device_summary import DEVICE_SUMMARY
from nbprof.widgets.hints.run_configuration import facts

NONE = pa.schema([c.field for c in DEVICE_SUMMARY]).empty_table()


def devices(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist([{"device_type": "gpu", **row} for row in rows], NONE.schema)


@pytest.mark.parametrize(
    ("metadata", "workers", "expected"),
    [
        ({"events": 1234}, 1, {"Trace": "1,234 events", "Workers": "1"}),
        ({"schema_version": 1, "events": 5}, 2, {"Trace": "5 events", "Workers": "2"}),
        ({"world_size": 8, "rank": 3}, 2, {"Workers": "2 of 8", "Rank": "3"}),
        ({"world_size": 2, "rank": 0}, 2, {"Workers": "2", "Rank": "0"}),
        ({"world_size": 1, "rank": 0}, 1, {"Workers": "1", "Rank": None}),
        ({"cuda_driver_version": 13000}, 1, {"CUDA driver": "13.0"}),
        ({"cuda_runtime_version": 12040}, 1, {"CUDA runtime": "12.4"}),
        ({"hip_runtime_version": 60443483}, 1, {"HIP runtime": "6.4.43483"}),
        ({"hip_driver_version": "7.0"}, 1, {"HIP driver": "7.0"}),
        ({"record_shapes": True, "with_stack": True}, 1, {"Recorded": "shapes, stacks"}),
        ({"record_shapes": False}, 1, {"Recorded": None, "Device": "none recorded"}),
        ({"device_type": "npu"}, 1, {"Device": "NPU, no work recorded"}),
    ],
)
def test_facts_of_a_run(
    metadata: dict[str, Any], workers: int, expected: dict[str, str | None]
) -> None:
    found = dict(facts(metadata, NONE, workers))
    assert {label: found.get(label) for label in expected} == expected


def test_devices_share_what_is_the_same_for_all() -> None:
    table = devices(
        {"device": 0, "name": "A100", "memory_gb": 39.586, "compute_capability": "8.0"},
        {"device": 1, "name": None, "memory_gb": 15.0, "compute_capability": "8.0"},
    )
    found = dict(facts({}, table, 1))
    assert found["GPU 0"] == "A100"
    assert found["GPU 1"] == "unknown model"
    assert found["Compute capability"] == "8.0"
    assert "Memory" not in found


def test_very_many_devices_are_counted_by_model() -> None:
    rows = [{"device": at, "name": "A100" if at % 3 else "H100"} for at in range(1200)]
    found = facts({}, devices(*rows), 1)
    assert found[:2] == [("GPUs", "A100 (800)"), ("GPUs", "H100 (400)")]
    assert len(found) < 10
    models = facts({}, devices(*({"device": at, "name": f"X{at}"} for at in range(1200))), 1)
    assert ("Models", "1,136 more") in models
