"""Tables `idle_gaps` and `idle_time` compared with plain loops, and their invariants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbprof
from nbprof.analysis.devices.device_time import device_time
from nbprof.analysis.devices.idle_gaps import idle_gaps
from nbprof.analysis.devices.idle_time import idle_time
from nbprof.cli import main
from nbprof.model.filters import selection
from nbprof.model.filters.filter import Filter
from nbprof.model.trace.model import TraceModel
from tests.analysis import slow
from tests.analysis.generated import filters, traces
from tests.conftest import ROOT
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path


WORK = ("kernel", "memcpy", "memset")


def runs(moments: set[int]) -> list[tuple[int, int]]:
    """Return sets of moments as ranges."""
    starts = sorted(m for m in moments if m - 1 not in moments)
    ends = sorted(m + 1 for m in moments if m + 1 not in moments)
    return list(zip(starts, ends, strict=True))


def windows(model: TraceModel, filter_: Filter, rows: list[slow.Row]) -> list[tuple[int, int]]:
    found = selection.window(model, filter_)
    if found is None:
        return [(min(row.start for row in rows), max(row.end for row in rows))]
    return list(zip(found[0].tolist(), found[1].tolist(), strict=True))


def plain(model: TraceModel, filter_: Filter, kernel_ns: int) -> list[dict[str, Any]]:
    """Return the table, moment by moment."""
    every = [row for row in slow.rows_of(model, "device") if row.kind in WORK]
    keeps = selection.device_rows(model, filter_.replace(steps=None, time_us=None))
    found = []
    for device in sorted({row.more["device"] for row in every}):
        if filter_.devices is not None and device not in filter_.devices:
            continue
        mine = [row for row in every if row.more["device"] == device]
        kept = [row for row in mine if keeps[row.index] and row.duration]
        streams = sorted({row.more["stream"] for row in kept})
        for stream in (None, *streams):
            rows = [row for row in kept if stream in (None, row.more["stream"])]
            busy = set().union(*(row.moments for row in rows))
            for low, high in windows(model, filter_, mine):
                for start, end in runs(set(range(low, high)) - busy):
                    before = [row for row in rows if row.end == start and start > low]
                    after = [row for row in rows if row.start == end and end < high]
                    if stream is not None and not (before and after):
                        continue
                    previous = min(before, key=lambda row: (row.start, row.index), default=None)
                    following = min(after, key=lambda row: row.index, default=None)
                    found.append(
                        {
                            "device": device,
                            "stream": stream,
                            "start": start,
                            "end": end,
                            "previous": previous and previous.name,
                            "next": following and following.name,
                            **cause(model, start, end, following, kernel_ns),
                        }
                    )
    return found


def cause(
    model: TraceModel, start: int, end: int, following: slow.Row | None, kernel_ns: int
) -> dict[str, Any]:
    launch = -1 if following is None else model.links.launch[following.index]
    if launch < 0:
        return {"cause": None, "host_operator": None, "host_kind": None}
    host = slow.rows_of(model, "host")
    call = host[launch]
    late = "host" if call.start > start else "kernel" if end - start < kernel_ns else "other"
    kind = [kind_of(row) for row in host]
    best: tuple[int, int, int] | None = None
    for row in host:
        if kind[row.index] is None or row.more["thread"] != call.more["thread"]:
            continue
        own = row.moments - inside(model, host, kind, row.index)
        length = len(own & set(range(start, end)))
        if length:
            best = min(best or (0, 0, 0), (-length, row.start, row.index))
    busiest = None if best is None else host[best[2]]
    return {
        "cause": late,
        "host_operator": busiest and busiest.name,
        "host_kind": busiest and kind[busiest.index],
    }


def kind_of(row: slow.Row) -> str | None:
    if slow.is_operator(row):
        return "operator"
    if row.kind in ("operator", "annotation"):
        return "annotation"
    return "runtime" if row.kind == "runtime" else None


def inside(model: TraceModel, host: list[slow.Row], kind: list[Any], index: int) -> set[int]:
    """Return the moments of what is nested in a row and does not count as its own."""
    without = {"operator", "runtime"}
    if kind[index] != "operator":
        without.add("annotation")
    found: set[int] = set()
    for row in host:
        if kind[row.index] in without:
            above = model.nesting.parent[row.index]
            while above >= 0 and kind[above] not in without:
                above = model.nesting.parent[above]
            if above == index:
                found |= row.moments
    return found


@given(traces(), filters())
def test_gaps_and_their_causes(model: TraceModel, filter_: Filter) -> None:
    names = ("device", "stream", "previous", "next", "cause", "host_operator", "host_kind")
    ours = idle_gaps(model, filter_, kernel_us=0.004).to_pylist()
    theirs = plain(model, filter_, 4)
    assert [(round(r["start_us"] * 1000), round(r["duration_us"] * 1000)) for r in ours] == [
        (row["start"], row["end"] - row["start"]) for row in theirs
    ]
    for mine, other in zip(ours, theirs, strict=True):
        assert {name: mine[name] for name in names} == {name: other[name] for name in names}


@given(traces(), st.lists(filters(), min_size=2, max_size=4))
def test_a_filter_gives_the_same_whatever_was_looked_at_before(
    model: TraceModel, several: list[Filter]
) -> None:
    """The busiest host rows of gaps that were seen before are looked up."""
    for filter_ in several:
        fresh = TraceModel(model.tables, model.metadata, dialect=model.dialect)
        assert idle_gaps(model, filter_).equals(idle_gaps(fresh, filter_))


@given(traces(), filters())
def test_idle_time_adds_up_the_gaps_of_devices(model: TraceModel, filter_: Filter) -> None:
    keys = ("device_type", "device", "host_operator", "host_kind", "cause")
    lengths: dict[tuple[object, ...], list[float]] = {}
    for row in idle_gaps(model, filter_, kernel_us=0.004).to_pylist():
        if row["stream"] is None:
            lengths.setdefault(tuple(row[key] for key in keys), []).append(row["duration_us"])
    found = idle_time(model, filter_, kernel_us=0.004).to_pylist()
    assert len(found) == len(lengths)
    for row in found:
        mine = lengths[tuple(row[key] for key in keys)]
        device = sum(sum(v) for key, v in lengths.items() if key[1] == row["device"])
        assert row["gaps"] == len(mine)
        assert row["duration_us"] == pytest.approx(sum(mine))
        assert row["longest_us"] == max(mine)
        assert row["pct"] == pytest.approx(100 * sum(mine) / device)


@given(traces(), filters())
def test_gaps_of_a_device_are_its_idle_time(model: TraceModel, filter_: Filter) -> None:
    rows = [row for row in idle_gaps(model, filter_).to_pylist() if row["stream"] is None]
    for time in device_time(model, filter_).to_pylist():
        idle = sum(row["duration_us"] for row in rows if row["device"] == time["device"])
        assert idle == pytest.approx(time["idle_us"])


@given(traces(), filters())
def test_gaps_and_work_of_a_stream_fill_its_time(model: TraceModel, filter_: Filter) -> None:
    every = [row for row in slow.rows_of(model, "device") if row.kind in WORK and row.duration]
    rows = idle_gaps(model).to_pylist()
    for device, stream in {(row.more["device"], row.more["stream"]) for row in every}:
        mine = [r for r in every if (r.more["device"], r.more["stream"]) == (device, stream)]
        busy = len(set().union(*(row.moments for row in mine)))
        whole = max(row.end for row in mine) - min(row.start for row in mine)
        gaps = [r["duration_us"] for r in rows if (r["device"], r["stream"]) == (device, stream)]
        assert round(sum(gaps) * 1000) + busy == whole
    long = idle_gaps(model, filter_, min_us=0.003)["duration_us"].to_pylist()
    every_gap = idle_gaps(model, filter_)["duration_us"].to_pylist()
    assert long == [length for length in every_gap if length >= 0.003]


@pytest.mark.parametrize("name", ["h100_qwen", "mi300_qwen", "resnet50_num_workers_0"])
def test_reference_traces(shared_data: Path, name: str) -> None:
    trace = nbprof.load(shared_data / "kineto" / name, progress=False).trace()
    step = int(trace.model.steps.number[0])
    for part in (trace, trace.filter(steps=step), trace.filter(name="gemm")):
        rows = part.idle_gaps().to_pylist()
        for time in part.device_time().to_pylist():
            mine = [row for row in rows if row["device"] == time["device"]]
            idle = sum(row["duration_us"] for row in mine if row["stream"] is None)
            assert idle == pytest.approx(time["idle_us"], rel=1e-9)
    assert {row["cause"] for row in trace.idle_gaps(min_us=30).to_pylist()} <= {
        "host",
        "other",
        None,
    }
    assert sum(trace.idle_time()["gaps"].to_pylist()) == trace.idle_gaps()["stream"].null_count
    found = trace.idle_gaps(min_us=100, kernel_us=1000)
    assert min(found["duration_us"].to_pylist()) >= 100
    assert "other" not in found["cause"].to_pylist()


def test_the_command_line(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = shared_data / "kineto" / "h100_qwen"
    main(["table", str(path), "idle_gaps", "--min-us=200", "--format=csv"])
    lines = capsys.readouterr().out.splitlines()
    whole = nbprof.load(path, progress=False).trace().idle_gaps(min_us=200)
    assert len(lines) == 1 + whole.num_rows > 2


def test_shorter_gaps_are_left_out() -> None:
    trace = nbprof.load(ROOT / "samples" / "gpu_resnet_synthetic").trace()
    every = trace.idle_gaps()
    lengths = sorted(set(every["duration_us"].to_pylist()))
    least = lengths[len(lengths) // 2]
    found = trace.idle_gaps(min_us=least)
    assert 0 < found.num_rows < every.num_rows
    assert found.equals(every.filter(pc.greater_equal(every["duration_us"], least)))


def test_a_gap_that_begins_as_another_has_its_own_host_row() -> None:
    """Without the kernels in between, a gap goes on from where it began."""
    calls = [
        {
            "name": "cudaLaunchKernel",
            "kind": "runtime",
            "start": at,
            "end": at + 1,
            "correlation": n,
        }
        for n, at in ((1, 0), (2, 19), (3, 59))
    ]
    model = make_model(
        [
            *calls,
            {"name": "short", "start": 11, "end": 18},
            {"name": "long", "start": 25, "end": 55},
        ],
        [
            {"name": name, "start": at, "end": at + 4, "correlation": n}
            for n, name, at in ((1, "a", 2), (2, "b", 20), (3, "a", 60))
        ],
    )
    whole, without = idle_gaps(model), idle_gaps(model, Filter(name="a"))
    assert whole["host_operator"].to_pylist()[:2] == ["short", "long"]
    assert without["host_operator"].to_pylist()[0] == "long"
