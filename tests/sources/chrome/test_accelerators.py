"""Work on accelerators beyond CUDA: kinds by category and name, each under its own term."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nbprof
from nbprof.sources import discover, read
from nbprof.widgets.hints.hints import hints
from nbprof.widgets.hints.run_configuration import facts
from tests.sources.writing.round_trip import trace_of, written
from tests.support.examples import examples
from tests.support.traces import kernel, op, plain_events, read_trace, table_rows, to_ns, write

if TYPE_CHECKING:
    from pathlib import Path

#: Categories of calls and of device work, and what the device is called.
TERMS = {
    "xpu": ("xpu_runtime", "kernel"),
    "mtia": ("mtia_runtime", "mtia_ccp_events"),
    "hpu": ("hpu_runtime", "hpu_op"),
    "privateuse1": ("privateuse1_driver", "kernel"),
    "npu": ("npu_runtime", "kernel"),
    "glow": ("glow_runtime", "kernel"),
    "gpu": ("hip_runtime", "kernel"),
}
WORDS = {"xpu": "XPU 3", "mtia": "MTIA 3", "privateuse1": "PrivateUse1 3", "gpu": "GPU 3"}
NAMES = {
    "event_wait": "sync",
    "stream_sync": "sync",
    "dma_request": "memcpy",
    "memset": "memset",
    "pe_exe": "kernel",
    "await_all_of_softmax": "kernel",
    "merge": "kernel",
}


def on_device(category: str, name: str, ts: int, dur: int = 10, **args: Any) -> dict[str, Any]:
    """Return work that names its stream; its process is the device."""
    args = {"stream": 9, **args}
    return op(name, ts, dur, cat=category, pid=3, tid=500, args=args)


def pair(runtime: str, category: str, at: int, number: int, name: str = "merge") -> list[Any]:
    """Return a call and the work that it launches."""
    call = op("launch", at, 5, cat=runtime, args={"correlation": number})
    return [call, on_device(category, name, at + 20, correlation=number)]


@pytest.mark.parametrize("term", TERMS)
def test_every_accelerator_has_its_own_term(tmp_path: Path, term: str) -> None:
    path = write(tmp_path / "a.pt.trace.json", [op(), *pair(*TERMS[term], 10, 1)])
    assert discover(path).files[0].device_type == term
    trace = nbprof.load(path, progress=False).trace()
    (row,) = trace.device_summary().to_pylist()
    assert (row["device_type"], row["device"]) == (term, 3)
    assert trace.device_time()["device_type"].to_pylist() == [term]
    assert trace.kernels()["calls"].to_pylist() == [1]
    shown = dict(facts(trace.metadata, trace.device_summary(), 1))
    assert WORDS.get(term, f"{term.upper()} 3") in shown


def test_device_work_alone_tells_the_accelerator(model_of: Any) -> None:
    assert model_of(on_device("mtia_ccp_events", "pe_exe", 5)).metadata["device_type"] == "mtia"
    assert model_of(on_device("hpu_op", "gemm", 5)).metadata["device_type"] == "hpu"
    assert model_of(op()).metadata["device_type"] == "cpu"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("category", ["mtia_ccp_events", "mystery_events"])
def test_names_tell_the_kind(model_of: Any, category: str, name: str) -> None:
    (row,) = table_rows(model_of(op(), on_device(category, name, 5, size=64)), "device")
    assert row["kind"] == NAMES[name]
    assert row["bytes"] == (64 if NAMES[name] == "memcpy" else -1)


def test_waits_are_never_busy_time(tmp_path: Path) -> None:
    events = [
        op("aten::mm", 0, 200),
        on_device("mtia_ccp_events", "event_wait", 0, 100),
        on_device("mtia_ccp_events", "pe_exe", 100, 30),
        on_device("mtia_ccp_events", "dma_request", 120, 30, size=8),
    ]
    trace = nbprof.load(write(tmp_path / "a.pt.trace.json", events), progress=False).trace()
    (row,) = trace.device_time().to_pylist()
    assert (row["total_us"], row["computation_us"], row["exposed_memcpy_us"]) == (50, 30, 20)
    assert trace.kernels()["name"].to_pylist() == ["pe_exe"]


def test_unknown_categories_count_where_they_say_a_stream_or_device(model_of: Any) -> None:
    model = model_of(
        op(),
        on_device("mystery_events", "a", 1),
        op("b", 2, cat="mystery_events", pid=3, args={"device": "dev:4"}),
        op("c", 3, cat="mystery_events", args={"other": 1}),
        op("d", 4, cat="mystery_events", args={"device": "cpu"}),
        {**on_device("mystery_events", "e", 5), "ph": "s", "id": 1},
    )
    assert [(r["name"], r["device"]) for r in table_rows(model, "device")] == [("a", 3), ("b", 4)]
    found = {warning.kind: warning.count for warning in model.warnings}
    assert found == {"unknown category of device work": 2, "unknown kind of event": 1}
    rows = {row["name"]: row["kind"] for row in table_rows(model)}
    assert (rows["c"], rows["d"]) == ("annotation", "annotation")
    assert model.metadata["device_type"] == "device"


def test_unknown_device_work_does_not_rename_known_devices(model_of: Any) -> None:
    assert model_of(kernel(), on_device("mystery", "a", 1)).metadata["device_type"] == "gpu"
    events = pair("xpu_runtime", "kernel", 10, 1)
    calls = op("cudaGetDevice", cat="cuda_runtime")
    assert model_of(*events, calls).metadata["device_type"] == "xpu"


def test_waits_alone_are_something_recorded_on_a_device(tmp_path: Path) -> None:
    events = [op(), on_device("mtia_ccp_events", "event_wait", 0, 100)]
    trace = nbprof.load(write(tmp_path / "a.pt.trace.json", events), progress=False).trace()
    shown = dict(facts(trace.metadata, trace.device_summary(), 1))
    assert shown["Device"] == "MTIA, no work recorded"
    assert "device" not in hints(read_trace(tmp_path / "a.pt.trace.json"))


work = st.tuples(
    st.sampled_from(sorted(NAMES)),
    st.integers(0, 900),
    st.integers(0, 60),
    st.integers(0, 2),
    st.one_of(st.none(), st.integers(0, 1 << 40)),
)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    found=st.lists(work, min_size=1, max_size=25),
    category=st.sampled_from(["mtia_ccp_events", "mystery_events"]),
)
def test_tables_of_generated_work(tmp_path: Path, found: list[Any], category: str) -> None:
    """Compare kernels, copies and busy time with sums over single microseconds."""
    events = [op("aten::mm", 0, 1000), op("launch", 1, 1, cat="mtia_runtime")]
    for name, start, length, stream, size in found:
        sized = {} if size is None else {"size": size}
        events.append(on_device(category, name, start, length, stream=stream, **sized))
    model = read_trace(write(tmp_path / "a.json", events))
    trace = trace_of(model, tmp_path / "a.json")
    calls = Counter(name for name, *_ in found if NAMES[name] == "kernel")
    kernels = trace.kernels().to_pylist()
    assert {row["name"]: row["calls"] for row in kernels} == calls
    for row in kernels:
        assert row["total_us"] == sum(one[2] for one in found if one[0] == row["name"])
    sizes = [one[4] for one in found if NAMES[one[0]] == "memcpy"]
    rows = [row for row in table_rows(model, "device") if row["kind"] == "memcpy"]
    assert sorted(row["bytes"] for row in rows) == sorted(-1 if s is None else s for s in sizes)
    moments: dict[str, set[int]] = {"kernel": set(), "memcpy": set(), "memset": set()}
    for name, start, length, *_ in found:
        if NAMES[name] != "sync":
            moments[NAMES[name]] |= set(range(start, start + length))
    times = trace.device_time().to_pylist()
    if any(NAMES[one[0]] != "sync" for one in found):
        computed = moments["kernel"] | moments["memset"]
        assert times[0]["computation_us"] == len(computed)
        assert times[0]["exposed_memcpy_us"] == len(moments["memcpy"] - computed)
    else:
        assert times == []
    back = written(trace, tmp_path)
    assert back.metadata["device_type"] == "mtia"
    assert back.kernels().equals(trace.kernels())
    assert back.device_time().drop(["worker"]).equals(trace.device_time().drop(["worker"]))


def test_parallel_parts_and_prefilters_take_the_same(tmp_path: Path) -> None:
    events: list[Any] = []
    names = sorted(NAMES)
    for step in range(40):
        at = 10_000 + 1000 * step
        events.append(op(f"ProfilerStep#{step}", at, 950, cat="user_annotation"))
        events.append(op("aten::mm", at + 10, 300))
        for i, category in enumerate(("mtia_ccp_events", "mystery_events")):
            name = names[(step + i) % len(names)]
            events += pair("mtia_runtime", category, at + 50 + 100 * i, 2 * step + i + 1, name)
    path = write(tmp_path / "a.json", events)
    file = discover(path).files[0]
    whole = read(file, progress=False)
    for processes, window in ((1, 1 << 11), (3, 1 << 11)):
        found = read(file, progress=False, processes=processes, window=window)
        assert repr(table_rows(found, "device")) == repr(table_rows(whole, "device"))
        assert found.warnings == whole.warnings
        assert found.metadata["device_type"] == "mtia"
    for steps in ((0, 0), (17, 21), (39, 39)):
        full = nbprof.load(path, progress=False, cache=False).trace().filter(steps=steps)
        part = nbprof.load(path, progress=False, cache=False, steps=steps).trace()
        assert part.kernels().equals(full.kernels())
        assert part.device_summary().equals(full.device_summary())


def test_a_recording_of_mtia(shared_data: Path) -> None:
    path = shared_data / "kineto/mtia_inference"
    trace = nbprof.load(path, progress=False).trace()
    events = plain_events(path / "rank0.pt.trace.json.gz")
    work = [e for e in events if e.get("cat") == "mtia_ccp_events"]
    copies = [e for e in work if e["name"] == "dma_request"]
    model = read_trace(path)
    rows = table_rows(model, "device")
    kinds = Counter(row["kind"] for row in rows)
    waits = sum(e["name"] == "event_wait" for e in work)
    rest = len(work) - len(copies) - waits
    assert kinds == {"kernel": rest, "memcpy": len(copies), "sync": waits}
    assert sum(r["bytes"] for r in rows if r["kind"] == "memcpy") == sum(
        e["args"]["size"] for e in copies
    )
    assert {row["device"] for row in rows} == {17}
    assert {row["stream"] for row in rows} == {e["args"]["stream"] for e in work}
    called = {e["args"].get("correlation") for e in events if e.get("cat") == "mtia_runtime"}
    linked = sum(e["args"].get("correlation", -1) in called for e in work)
    assert int((model.links.launch >= 0).sum()) == linked
    (device,) = trace.device_summary().to_pylist()
    assert (device["device_type"], device["device"], device["name"]) == ("mtia", 17, "ARTEMIS")
    for row in trace.kernels().to_pylist():
        own = [to_ns(e["dur"]) for e in work if e["name"] == row["name"]]
        assert (row["calls"], row["total_us"]) == (len(own), pytest.approx(sum(own) / 1000))
    assert not {"device", "kernels"} & hints(model).keys()
