"""Generated runs of the simulated allocator, and a plain replay of the entries of a snapshot."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from nbprof.sources.defects import DefectLog
from nbprof.sources.memory_snapshots.tables import snapshot_model
from tests.support.recordings.allocator import SimAllocator

MIB = 1 << 20
FRAMES = [
    [
        {"filename": "torch/nn/modules/linear.py", "line": 125, "name": "forward"},
        {"filename": f"/data/ann/net{number}.py", "line": number + 1, "name": "forward"},
        {"filename": "/data/ann/train.py", "line": 7, "name": "<module>"},
    ]
    for number in range(4)
]
SIZES = [1, 300, 512, 5000, MIB - 3, MIB + 1, 3 * MIB, 12 * MIB, 50 * MIB]
#: Of their segments, too little is left to be split off.
UNSPLIT = [9 * MIB + 700_000, 11 * MIB + 3, 49 * MIB + 5]

steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["alloc", "alloc", "alloc", "free", "free", "request", "complete", "empty"]
        ),
        st.sampled_from([*SIZES, *UNSPLIT]),
        st.integers(0, 1000),
    ),
    max_size=60,
)
allocators = st.builds(
    SimAllocator,
    device=st.integers(0, 2),
    capacity=st.sampled_from([100 * MIB, 1024 * MIB]),
    expandable=st.booleans(),
    max_entries=st.sampled_from([None, 1, 7, 30]),
    divisions=st.sampled_from([1, 1, 4]),
    max_split=st.sampled_from([-1, -1, 20 * MIB]),
)


def run(allocator: SimAllocator, plan: list[tuple[str, int, int]]) -> SimAllocator:
    """Let an allocator follow a plan; what is not possible is left out."""
    for what, size, choice in plan:
        live, waiting = allocator.live(), allocator.waiting()
        if what == "alloc":
            stream = 7 if choice % 5 == 0 else 0
            pool = (1, 0) if choice % 7 == 0 else (0, 0)
            category = ["", "parameter", "activation"][choice % 3]
            allocator.alloc(size, stream, FRAMES[choice % 4], pool, category)
        elif what == "empty":
            allocator.empty_cache()
        elif what == "complete" and waiting:
            allocator.complete_free(waiting[choice % len(waiting)])
        elif what == "request" and live:
            allocator.request_free(live[choice % len(live)])
        elif what == "free" and live:
            allocator.free(live[choice % len(live)])
    return allocator


def model_of(content: dict[str, Any]) -> Any:
    """Read the content of a snapshot."""
    return snapshot_model(content, DefectLog("snapshot"), "snapshot")


def replayed(content: dict[str, Any], device: int) -> list[dict[int, int]]:
    """Undo the entries of a device one by one, as memory_viz does.

    Returns
    -------
    list of dict
        The requested size of the blocks in use by address, before the first entry and after each.
    """
    blocks = {
        block["address"]: block["requested_size"]
        for segment in content["segments"]
        if segment["device"] == device
        for block in segment["blocks"]
        if block["state"].startswith("active")
    }
    states = [dict(blocks)]
    for entry in reversed(content["device_traces"][device]):
        if entry["action"] == "alloc":
            blocks.pop(entry["addr"], None)
        elif entry["action"] == "free_completed":
            blocks[entry["addr"]] = entry["size"]
        states.append(dict(blocks))
    return states[::-1]
