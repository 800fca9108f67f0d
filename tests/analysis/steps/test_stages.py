"""Stages and events compared with plain loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbprof
from nbprof.analysis.grouped_time import covered
from nbprof.analysis.steps.event_types import events
from nbprof.analysis.steps.stage_summary import stage_summary
from nbprof.analysis.steps.stages import stages as stages_table
from nbprof.model import intervals
from nbprof.model.filters.filter import Filter
from tests.analysis import slow
from tests.analysis.generated import filters
from tests.analysis.steps import slow_stages
from tests.analysis.steps.generated_stages import inference_traces, paddle_traces, torch_traces
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

STAGES = slow_stages.STAGES


def has_work(model: TraceModel) -> bool:
    """Whether any device work has a launch that is known."""
    work = [row for row in slow.rows_of(model, "device") if row.kind in slow.WORK]
    return any(slow_stages.source_of(model, row) >= 0 for row in work)


def counted(model: TraceModel, found: list) -> list:
    """Of Paddle only kernels count for stages."""
    if not slow_stages.types_of(model):
        return found
    return [entry for entry in found if entry[2].kind == "kernel"]


@given(torch_traces() | inference_traces() | paddle_traces(), filters())
def test_stages(model: TraceModel, filter_: Filter) -> None:
    table = stages_table(model, filter_).to_pylist()
    host = slow_stages.stages(model, filter_)
    work = counted(model, slow_stages.launched(model, filter_))
    number = model.steps.number.tolist()
    windows = slow_stages.windows(model, filter_) if slow.rows_of(model, "host") else {}
    stages = slow_stages.stages_of(model)
    wanted = [(step, stage) for step in windows for stage in stages]
    assert [(row["step"], row["stage"]) for row in table] == [(number[s], t) for s, t in wanted]
    for row, key in zip(table, wanted, strict=True):
        assert round(row["host_us"] * 1000) == host[key], key
        moments = set().union(*(w.moments for *place, w in work if tuple(place) == key))
        device = round(row["device_us"] * 1000) if has_work(model) else row["device_us"]
        assert device == (len(moments) if has_work(model) else None), key
    for step, (low, high) in windows.items():
        assert sum(host[step, stage] for stage in stages) == high - low


@given(torch_traces() | inference_traces() | paddle_traces(), filters())
def test_stage_summary(model: TraceModel, filter_: Filter) -> None:
    table = stage_summary(model, filter_).to_pylist()
    if not slow.rows_of(model, "host"):
        assert table == []
        return
    stages = slow_stages.stages_of(model)
    assert [row["stage"] for row in table] == ["Step", *stages]
    host = slow_stages.stages(model, filter_)
    windows = slow_stages.windows(model, filter_)
    work = [w for w in counted(model, slow_stages.launched(model, filter_)) if w[0] in windows]
    lengths = {stage: [host[step, stage] for step in windows] for stage in stages}
    calls = {stage: [time for time in times if time] for stage, times in lengths.items()}
    labels = {}
    if slow_stages.types_of(model):
        calls = sizes(recorded(model, filter_)) | {"Other": lengths["Other"]}
    else:
        found = recorded(model, filter_)
        labels = {stage: found.get(stage, []) for stage in slow_stages.BATCHES if stage in stages}
        calls |= sizes(labels)
    lengths["Step"] = calls["Step"] = [high - low for low, high in windows.values()]
    for row in table:
        times, mine = calls[row["stage"]], sum(lengths[row["stage"]])
        assert row["host_calls"] == len(times)
        assert round(row["host_total_us"] * 1000) == mine
        if times:
            assert row["host_mean_us"] * 1000 == pytest.approx(mine / len(times))
            assert round(row["host_max_us"] * 1000) == max(times)
            assert round(row["host_min_us"] * 1000) == min(times)
        whole = sum(lengths["Step"])
        assert row["host_pct"] == (pytest.approx(100 * mine / whole) if whole else None)
        if not has_work(model):
            assert row["device_total_us"] is None
            continue
        here = [(s, w.moments) for s, t, w in work if row["stage"] in (t, "Step")]
        total = len(set().union(*(moments for _, moments in here)))
        assert round(row["device_total_us"] * 1000) == total
        by_step = [len(set().union(*(m for s, m in here if s == step))) for step in windows]
        if labels.get(row["stage"]):
            by_step = in_labels(
                model, labels[row["stage"]], [w for _, t, w in work if t == row["stage"]]
            )
        if windows:
            assert round(row["device_max_us"] * 1000) == max(by_step)
            assert round(row["device_min_us"] * 1000) == min(by_step)


def sizes(calls: dict[str, list[tuple[int, int]]]) -> dict[str, list[int]]:
    return {stage: [end - start for start, end in ranges] for stage, ranges in calls.items()}


def in_labels(model: TraceModel, labels: list[tuple[int, int]], work: list[slow.Row]) -> list[int]:
    """Return how long work runs that was launched in each label, the last one that began."""
    host = slow.rows_of(model, "host")
    moments: list[set[int]] = [set() for _ in labels]
    for row in work:
        launch = host[slow_stages.source_of(model, row)].start
        begun = [at for at, (start, _) in enumerate(labels) if start <= launch]
        if begun and launch < labels[begun[-1]][1]:
            moments[begun[-1]] |= set(row.moments)
    return [len(one) for one in moments]


def recorded(model: TraceModel, filter_: Filter) -> dict[str, list[tuple[int, int]]]:
    """Return start and end of the calls of each stage in the windows of the filter."""
    kept = slow.selection.host_rows(model, slow.without_range(filter_).replace(devices=None))
    windows = slow_stages.windows(model, filter_)
    found = {}
    every = (*STAGES[:-1], *slow_stages.BATCHES)
    for stage, rows in {s: slow_stages.stage_rows(model)[s] for s in every}.items():
        found[stage] = []
        for row in rows:
            step = slow_stages.step_at(model, row.start)
            if not kept[row.index] or step not in windows:
                continue
            low, high = windows[step]
            start, end = max(row.start, low), min(row.end, high)
            if end > start or (end == start and low <= row.start < high):
                found[stage].append((start, end))
        found[stage].sort(key=lambda one: one[0])
    return found


@given(torch_traces() | inference_traces() | paddle_traces(), filters())
def test_events(model: TraceModel, filter_: Filter) -> None:
    wanted = slow_stages.events(model, filter_)
    table = events(model, filter_).to_pylist()
    keys = [(row["side"], row["event_type"], row["stage"]) for row in table]
    assert sorted(keys) == sorted(wanted)
    time = {key: len(set().union(*moments)) for key, moments in wanted.items()}
    for row, key in zip(table, keys, strict=True):
        assert row["calls"] == len(wanted[key])
        assert round(row["duration_us"] * 1000) == time[key]
        whole = sum(t for other, t in time.items() if other[:2] == key[:2])
        assert row["pct"] == (pytest.approx(100 * time[key] / whole) if whole else None)


def test_devices_alone_tell_no_stages() -> None:
    """Nobody knows what the host did, nor who launched what."""
    model = make_model(device=[{"name": "gemm", "start": 0, "end": 10}])
    assert stages_table(model).num_rows == stage_summary(model).num_rows == 0
    assert events(model).num_rows == 0


def test_work_without_any_launch_is_unknown_and_not_zero() -> None:
    host = [{"name": "aten::mm", "start": 0, "end": 10}]
    model = make_model(host, [{"name": "gemm", "start": 2, "end": 9, "correlation": 5}])
    assert stages_table(model)["device_us"].null_count == 3
    summary = stage_summary(model)
    assert summary["host_total_us"].null_count == 0
    for name in summary.column_names:
        if name.startswith("device_"):
            assert summary[name].null_count == summary.num_rows == 4, name


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30), st.integers(0, 9)), max_size=30))
def test_covered_is_the_union_of_each_group(rows: list[tuple[int, int, int]]) -> None:
    group, start, length = (np.array([row[i] for row in rows], np.int64) for i in range(3))
    found = covered(group, start, start + length, 6)
    for number in range(6):
        here = group == number
        wanted = intervals.union(start[here], (start + length)[here])
        assert found[number] == intervals.measure(wanted)


def test_a_range_of_the_user_round_a_step_hides_no_stage() -> None:
    def row(name: str, kind: str, start: int, end: int) -> dict:
        return {"name": name, "kind": "annotation", "event_type": kind, "start": start, "end": end}

    step = {"name": "ProfileStep#3", "kind": "step", "event_type": "ProfileStep"}
    host = [
        {**step, "start": 0, "end": 100},
        row("my_step", "PythonUserDefined", 5, 95),
        row("Net", "Forward", 10, 40),
        row("Conv2D", "Forward", 12, 30),
        row("Gradient Backward", "Backward", 40, 80),
    ]
    summary = stage_summary(make_model(host)).to_pylist()
    found = {row["stage"]: (row["host_calls"], row["host_total_us"]) for row in summary}
    assert found["Forward"] == (1, 0.03)
    assert found["Backward"] == (1, 0.04)
    assert found["Other"] == (1, 0.03)


def test_stages_on_other_threads_are_those_of_their_own() -> None:
    step = {"name": "ProfileStep#0", "kind": "step", "event_type": "ProfileStep"}
    host = [
        {**step, "start": 0, "end": 100, "tid": 1},
        {"name": "Net", "kind": "annotation", "event_type": "Forward", "start": 0, "end": 50},
        # a process that loads data meanwhile is no stage of the step
        {
            "name": "loads",
            "kind": "annotation",
            "event_type": "Dataloader",
            "start": 0,
            "end": 90,
            "tid": 2,
        },
    ]
    table = stages_table(make_model(host)).to_pylist()
    assert [row["host_us"] for row in table] == [0.0, 0.05, 0.0, 0.0, 0.05]


def test_work_of_two_stages_at_one_time_counts_once_in_the_step() -> None:
    names = ("aten::mm", "Optimizer.step#SGD.step")
    host = [{"name": "ProfilerStep#1", "kind": "step", "start": 0, "end": 100}]
    for number, name in enumerate(names):
        start = 10 + 40 * number
        host.append({"name": name, "start": start, "end": start + 20})
        call = {"name": "cudaLaunchKernel", "kind": "runtime", "correlation": number + 1}
        host.append({**call, "start": start + 1, "end": start + 2})
    device = [
        {"name": "a", "start": 60, "end": 90, "correlation": 1},
        {"name": "b", "start": 70, "end": 110, "stream": 9, "correlation": 2},
    ]
    found = stage_summary(make_model(host, device)).to_pylist()
    device_us = {row["stage"]: row["device_total_us"] for row in found}
    assert device_us["Forward"] == 0.03
    assert device_us["Optimization"] == 0.04
    assert device_us["Step"] == 0.05
    # a range that holds all of it is as none
    everything = Filter(time_us=(0, 1))
    assert stages_table(make_model(host, device), everything).num_rows == 5


def test_labelled_batches_are_calls_of_their_stage(shared_data: Path) -> None:
    trace = next(iter(nbprof.load(shared_data / "h200" / "decode")))
    rows = {row["stage"]: row for row in trace.stage_summary().to_pylist()}
    labels = [row for row in trace.user_events().to_pylist() if row["name"].startswith("decode")]
    decode = rows["Decode"]
    assert decode["host_calls"] == decode["device_calls"] == len(labels) == 12
    assert decode["host_max_us"] == max(row["host_total_us"] for row in labels)
    assert decode["host_min_us"] == min(row["host_total_us"] for row in labels)
    assert decode["host_mean_us"] == pytest.approx(decode["host_total_us"] / 12)
    # The kernels of a label run one after the other.
    assert decode["device_max_us"] == pytest.approx(max(row["device_total_us"] for row in labels))
    assert rows["Step"]["host_calls"] == 1
