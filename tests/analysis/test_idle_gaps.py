"""Tables `idle_gaps` and `idle_time` compared with plain loops, and their invariants."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbprof
from nbprof.analysis.devices.device_time import device_time
from nbprof.analysis.devices.host_times import HostTimes
from nbprof.analysis.devices.idle_gaps import idle_gaps, longest_gaps
from nbprof.analysis.devices.idle_time import idle_time
from nbprof.cli import main
from nbprof.model.filters import selection
from nbprof.model.filters.filter import Filter
from nbprof.model.links.overhead import main_thread
from tests.analysis import slow
from tests.analysis.generated import filters, traces
from tests.conftest import ROOT
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


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
    keeps = selection.device_rows(model, Filter(devices=filter_.devices))
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
    host = slow.rows_of(model, "host")
    launch = -1 if following is None else model.links.launch[following.index]
    if launch < 0:
        return {"cause": None, "own": dict.fromkeys(range(start, end), (None, None))}
    call = host[launch]
    late = "host" if call.start > start else "kernel" if end - start < kernel_ns else "other"
    return {"cause": late, "own": own_work(model, host, call.more["thread"], start, end)}


def own_work(
    model: TraceModel, host: list[slow.Row], thread: int, start: int, end: int
) -> dict[int, tuple[str | None, str | None]]:
    """Return whose time each moment of a thread is: name and kind."""
    found = {}
    here = [
        row
        for row in host
        if kind_of(row) is not None
        and row.start < end
        and row.end > start
        and thread_of(model, host, row) == thread
    ]
    for moment in range(start, end):
        mine = [row for row in here if row.start <= moment < row.end]
        # The row begun last runs itself, and the profiler's own work before all others.
        last = max(
            mine, key=lambda row: (row.kind == "overhead", row.start, row.index), default=None
        )
        if last is not None and last.kind == "overhead":
            last = min(
                (row for row in mine if row.kind == "overhead"),
                key=lambda row: (row.start, row.index),
            )
        found[moment] = (None, None) if last is None else (last.name, kind_of(last))
    return found


def thread_of(model: TraceModel, host: list[slow.Row], row: slow.Row) -> int:
    """Return the thread of a row; that of the profiler's own work is that of the call around it."""
    if row.kind != "overhead":
        return row.more["thread"]
    around = slow.call_around(host, row)
    return main_thread(model) if around is None else around.more["thread"]


def kind_of(row: slow.Row) -> str | None:
    if slow.is_operator(row):
        return "operator"
    if row.kind in ("operator", "annotation"):
        return "annotation"
    return row.kind if row.kind in ("runtime", "overhead") else None


@given(traces(), filters())
def test_gaps_and_their_causes(model: TraceModel, filter_: Filter) -> None:
    names = ("device", "stream", "previous", "next", "cause")
    ours = idle_gaps(model, filter_, kernel_us=0.004).to_pylist()
    theirs = plain(model, filter_, 4)
    assert [(round(r["start_us"] * 1000), round(r["duration_us"] * 1000)) for r in ours] == [
        (row["start"], row["end"] - row["start"]) for row in theirs
    ]
    for mine, other in zip(ours, theirs, strict=True):
        assert {name: mine[name] for name in names} == {name: other[name] for name in names}
        # Counter and dict keep the order in which names first ran, which decides between halves.
        names_of = Counter(one for one in other["own"].values() if one[0] is not None)
        most, count = names_of.most_common(1)[0] if names_of else ((None, None), 0)
        if 2 * count < len(other["own"]):
            most, count = (None, None), None
        assert (mine["host_operator"], mine["host_kind"]) == most
        assert mine["host_pct"] == (count and pytest.approx(100 * count / len(other["own"])))


@given(traces(), filters(), st.booleans())
def test_idle_time_divides_the_gaps_of_devices(
    model: TraceModel, filter_: Filter, by_names: bool
) -> None:
    """Also where gaps look up the sums of all names, as those do that hold very many calls."""
    spent: dict[tuple[object, ...], Counter[int]] = {}
    for number, gap in enumerate(plain(model, filter_, 4)):
        for name, kind in gap["own"].values() if gap["stream"] is None else ():
            spent.setdefault((gap["device"], name, kind, gap["cause"]), Counter())[number] += 1
    with patch.object(HostTimes, "_is_long", _always if by_names else HostTimes._is_long):
        found = idle_time(model, filter_, kernel_us=0.004).to_pylist()
    assert len(found) == len(spent)
    for row in found:
        mine = spent[row["device"], row["host_operator"], row["host_kind"], row["cause"]]
        device = sum(sum(v.values()) for key, v in spent.items() if key[0] == row["device"])
        assert row["gaps"] == len(mine)
        assert row["duration_us"] == pytest.approx(sum(mine.values()) / 1000)
        assert row["longest_us"] == pytest.approx(max(mine.values()) / 1000)
        assert row["pct"] == pytest.approx(100 * sum(mine.values()) / device)


def _always(_: HostTimes, count: Any) -> Any:
    return count >= 0


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
    idle = trace.idle_time().to_pylist()
    for time in trace.device_time().to_pylist():
        mine = [row["duration_us"] for row in idle if row["device"] == time["device"]]
        assert sum(mine) == pytest.approx(time["idle_us"], rel=1e-9)
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
    trace = nbprof.load(ROOT / "tests/samples/gpu_resnet_synthetic").trace()
    every = trace.idle_gaps()
    lengths = sorted(set(every["duration_us"].to_pylist()))
    least = lengths[len(lengths) // 2]
    found = trace.idle_gaps(min_us=least)
    assert 0 < found.num_rows < every.num_rows
    assert found.equals(every.filter(pc.greater_equal(every["duration_us"], least)))


def small(shared_data: Path, name: str) -> nbprof.Trace:
    path = shared_data / "reports/h200_small" / name
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    return nbprof.load(path, progress=False, cache=False).trace()


def test_many_short_calls_take_more_of_a_gap_than_one_long_call(shared_data: Path) -> None:
    trace = small(shared_data, "idle_one_call_takes_all.json")
    found = {row["host_operator"]: row["duration_us"] for row in trace.idle_time().to_pylist()}
    assert found == {
        "aten::avg_pool2d": pytest.approx(96 * 9),
        None: pytest.approx(100),
        "aten::cat": pytest.approx(26),
        "aten::mm": pytest.approx(18),
        "cudaLaunchKernel": pytest.approx(2),
    }
    gap = trace.idle_gaps().to_pylist()[0]
    assert gap["host_operator"] == "aten::avg_pool2d"
    assert gap["host_pct"] == pytest.approx(100 * 864 / 1010)


def test_a_gap_in_which_nothing_is_recorded_names_nothing(shared_data: Path) -> None:
    trace = small(shared_data, "idle_python_only.json")
    found = {row["host_operator"]: row["duration_us"] for row in trace.idle_time().to_pylist()}
    assert found[None] == pytest.approx(1320 - 24)
    assert found["aten::_foreach_norm"] == pytest.approx(22)  # without its launch
    gap = trace.idle_gaps().to_pylist()[0]
    assert gap["host_operator"] is gap["host_kind"] is gap["host_pct"] is None


def test_the_profilers_own_work_takes_its_time_from_every_call_that_it_overlaps() -> None:
    """From the call around it, before and after it, and from the calls in that."""
    host = [
        {"name": "launch", "kind": "runtime", "start": 0, "end": 1, "correlation": 1},
        {"name": "around", "start": 20, "end": 80},
        {"name": "first", "start": 30, "end": 40},
        {"name": "second", "start": 50, "end": 60},
        {"name": "buffer", "kind": "overhead", "start": 35, "end": 55},
        {"name": "launch", "kind": "runtime", "start": 90, "end": 91, "correlation": 2},
    ]
    work = [
        {"name": "kernel", "start": start, "end": end, "correlation": number}
        for number, start, end in ((1, 10, 12), (2, 95, 99))
    ]
    found = idle_time(make_model(host, work)).to_pylist()
    assert {row["host_operator"]: round(row["duration_us"] * 1000) for row in found} == {
        "around": 30,
        "first": 5,
        "second": 5,
        "buffer": 20,
        "launch": 1,
        None: 22,
    }


def test_names_with_exactly_half_of_a_gap_are_named() -> None:
    """The first of two halves, and a half between others: no bit of its number has more."""
    halves = {"ab": "a", "ba": "b", "cabdab": None, "caad": "a", "abca": "a", "dcaaab": "a"}
    for order, half in halves.items():
        host = [
            {"name": "x", "kind": "runtime", "start": 0, "end": 1, "correlation": 1},
            *({"name": n, "start": 12 + i, "end": 13 + i} for i, n in enumerate(order)),
            {"name": "x", "kind": "runtime", "start": 90, "end": 91, "correlation": 2},
        ]
        work = [
            {"name": "k", "start": start, "end": end, "correlation": n}
            for n, start, end in ((1, 10, 12), (2, 12 + len(order), 99))
        ]
        model = make_model(host, work)
        assert idle_gaps(model)["host_operator"].to_pylist()[0] == half, order


@given(traces(), filters(), st.integers(0, 5))
def test_the_longest_gaps_are_those_of_whole_devices(
    model: TraceModel, filter_: Filter, most: int
) -> None:
    every = idle_gaps(model, filter_)
    whole = every.filter(pc.is_null(every["stream"])).drop_columns("stream").to_pylist()
    ranked = sorted(whole, key=lambda row: -row["duration_us"])[:most]
    found = longest_gaps(model, filter_, most=most).to_pylist()
    total = sum(row["duration_us"] for row in whole)
    shares = [row.pop("of_idle_pct") for row in found]
    assert found == ranked
    assert shares == pytest.approx([100 * row["duration_us"] / total for row in ranked])
