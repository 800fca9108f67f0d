"""Stages of every PyTorch reference trace compared with a plain sweep over all host rows."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nbprof.analysis.steps.stage_summary import stage_summary
from nbprof.analysis.steps.stages import stages
from nbprof.sources import discover, read

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

PRIORITY = ("DataLoader", "Optimization", "Backward", "Batch", "Forward")
STAGES = ("DataLoader", "Forward", "Backward", "Optimization", "Other")
LOADER, OPTIMIZER = "enumerate(DataLoader)#", ("Optimizer.step#", "Optimizer.zero_grad#")
BACKWARD = "autograd::engine::evaluate_function"
WRAPPERS = ("enumerate(Data", "Optimizer.", "DistributedDataParallel.f", "DataParallel.f")

#: The recordings of inference, and what the labels of their engine say of the one batch.
INFERENCE = {
    "a100_triton": None,
    "b200_eager": "Prefill",
    "h100_bert": None,
    "h100_qwen": None,
    "mi300_flux_capture": None,
    "mi300_graph_replay": "Decode",
    "mi300_qwen": None,
    "mtia_inference": None,
    "trace_torchscript.json": None,
}
BATCHES = ("Prefill", "Decode", "Mixed")

Row = tuple[str, str, int, int, int]


def host_rows(model: TraceModel) -> list[Row]:
    """Return name, kind, thread, start and end of all host rows, sorted by thread and start."""
    table = model.tables["host"]
    columns = (table[name].to_pylist() for name in ("name", "kind", "thread", "start_ns"))
    ends = (model.column("host", "start_ns") + model.column("host", "duration_ns")).tolist()
    return list(zip(*columns, ends, strict=True))


def top_operators(rows: list[Row]) -> list[Row]:
    """Return the operators that are in no other one."""
    found: list[Row] = []
    reach: dict[int, int] = defaultdict(lambda: -1)
    for row in rows:
        name, kind, thread, _, end = row
        if kind == "operator" and not name.startswith(WRAPPERS) and end > reach[thread]:
            found.append(row)
            reach[thread] = end
    return found


def stage_rows(rows: list[Row], windows: list[tuple[int, int]]) -> dict[str, list[Row]]:
    ranges = [row for row in rows if row[1] in ("operator", "annotation")]
    top = top_operators(rows)
    threads = {thread for _, kind, thread, _, _ in rows if kind == "step"}
    threads = threads or {row[2] for row in top}
    backward = [row for row in ranges if row[0].startswith(BACKWARD)]
    backward = backward or [row for row in top if row[2] not in threads]
    optimizer = [row for row in ranges if row[0].startswith(OPTIMIZER)]
    engine = set(backward)
    forward = [row for row in top if row[2] in threads and row not in engine]
    updates = set().union(*(before_update(forward, backward, optimizer, w) for w in windows))
    return {
        "DataLoader": [row for row in ranges if row[0].startswith(LOADER)],
        "Optimization": optimizer + sorted(updates),
        "Backward": backward,
        "Forward": [row for row in forward if row not in updates],
    }


def before_update(
    forward: list[Row], backward: list[Row], optimizer: list[Row], window: tuple[int, int]
) -> set[Row]:
    """Return the operators between a backward pass of a step and what its optimizer does then."""
    events = [
        (row[3], order, row)
        for order, of_kind in enumerate((forward, backward, optimizer))
        for row in of_kind
        if window[0] <= row[3] < window[1]
    ]
    found: set[Row] = set()
    waiting: list[Row] = []
    cleared: list[Row] = []
    reach = 0
    for start, order, row in sorted(events):
        if order == 1:
            waiting, cleared, reach = [], [], max(reach, row[4])
        elif order == 2 and row[0].startswith(OPTIMIZER[0]):
            found.update(waiting)
        elif order == 2:
            cleared = list(waiting)
        elif reach and start >= reach:
            waiting.append(row)
    return found.union(cleared)


def inference_rows(rows: list[Row], windows: list[tuple[int, int]]) -> dict[str, list[Row]]:
    labels = [row for row in rows if row[1] == "annotation" and row[0].startswith("execute_")]
    found = stage_rows(rows, windows)
    kept = {name: found[name] for name in ("DataLoader", "Forward")}
    return kept | {"Batch": labels}


def swept(rows: dict[str, list[Row]], windows: list[tuple[int, int]]) -> list[dict[str, int]]:
    """Return the time of each stage in each window, from change to change of what runs."""
    changes = [(edge, "", 0) for window in windows for edge in window]
    for stage, of_stage in rows.items():
        for _, _, _, start, end in of_stage:
            changes += [(start, stage, 1), (end, stage, -1)]
    changes.sort()
    starts = {start: place for place, (start, _) in enumerate(windows)}
    running: dict[str, int] = defaultdict(int)
    found: list[dict[str, int]] = [defaultdict(int) for _ in windows]
    last, place = 0, -1
    for time, stage, change in changes:
        if place >= 0 and time > last:
            until = min(time, windows[place][1])
            now = next((name for name in PRIORITY if running[name]), "Other")
            found[place][now] += max(0, until - last)
        running[stage] += change
        place = starts.get(time, place)
        last = time
    return found


@pytest.mark.parametrize("folder", ["kineto", "torchcpu", "h200"])
def test_stages_are_those_of_a_sweep(shared_data: Path, folder: str) -> None:
    files = [file for file in discover(shared_data / folder).files if file.format == "PyTorch"]
    assert len(files) >= 15
    for file in files:
        if folder == "h200" and {"decode", "streams"}.intersection(file.path.parts):
            continue  # inference, one of them with batches of two kinds
        model = read(file, progress=False)
        steps = model.steps
        windows = list(zip(steps.host_start_ns.tolist(), steps.host_end_ns.tolist(), strict=True))
        key = next((name for name in INFERENCE if name in file.path.parts), None)
        rows_of = stage_rows if key is None else inference_rows
        batch = None if key is None else INFERENCE[key]
        found = swept(rows_of(host_rows(model), windows), windows)
        names = STAGES if key is None else ("DataLoader", "Forward", "Other")
        if batch is not None:
            names = ("DataLoader", *BATCHES, "Forward", "Other")
        wanted = [[row["Batch" if name == batch else name] for name in names] for row in found]
        table = stages(model)
        assert table["stage"].to_pylist() == list(names) * len(windows), file.path
        host = np.rint(np.asarray(table["host_us"]) * 1000).astype(np.int64)
        host = host.reshape(-1, len(names))
        assert host.tolist() == wanted, file.path
        assert (host.sum(axis=1) == steps.host_end_ns - steps.host_start_ns).all()
        device_adds_up(model)


def device_adds_up(model: TraceModel) -> None:
    """No stage is busier than the steps, and together they are no less."""
    summary = stage_summary(model).to_pylist()
    if summary[0]["device_total_us"] is None:
        assert model.tables["device"].num_rows == 0
        return
    whole, *parts = (row["device_total_us"] for row in summary)
    assert max(parts) <= whole <= sum(parts) + 1e-6
    by_stage: dict[str, float] = defaultdict(float)
    for row in stages(model).to_pylist():
        by_stage[row["stage"]] += row["device_us"]
    for row in summary[1:]:
        # work of one stage of two steps at a time counts once in all
        assert row["device_total_us"] <= by_stage[row["stage"]] + 1e-6
