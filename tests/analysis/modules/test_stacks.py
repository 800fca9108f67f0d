"""Call stacks of kernels, also in the text format of flame graph tools."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

import nbprof
from nbprof.analysis.kernels.kernels import kernels
from nbprof.analysis.modules.stacks import METRICS, stack_lines
from nbprof.model.errors import UnknownNameError
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.call_stacks import call_stacks
from tests.analysis import slow
from tests.analysis.modules.generated import a_training_step, traces_with_modules
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


def test_kernels_by_the_stack_of_their_operator() -> None:
    table = kernels(a_training_step(), group_by="name+stack").to_pylist()
    net = "net.py(3): forward;nn.Module: Net_0"
    assert [(row["call_stack"], row["calls"], round(row["total_us"] * 1000)) for row in table] == [
        (None, 2, 52),
        (f"nn.Module: Linear_0;{net}", 3, 49),
        (net, 1, 11),
        ("nn.Module: Linear_0;nn.Module: Net_0", 1, 0),
    ]


def test_recorded_stacks_of_kernels() -> None:
    recorded = "a.py(1): f;b.py(2): g"
    model = make_model(
        [
            {"name": "aten::mm", "start": 0, "end": 9, "call_stack": recorded},
            {"name": "cudaLaunchKernel", "kind": "runtime", "start": 1, "end": 2, "correlation": 1},
        ],
        [{"name": "gemm", "start": 5, "end": 8, "correlation": 1}],
    )
    (row,) = kernels(model, group_by="name+stack").to_pylist()
    assert list(row)[:3] == ["name", "call_stack", "calls"]
    assert row["call_stack"] == recorded


@given(traces_with_modules())
def test_kernels_by_stack(model: TraceModel) -> None:
    stacks = call_stacks(model)

    def stack(row: int) -> str | None:
        return stacks.texts[stacks.code[row]] if row >= 0 and stacks.code[row] >= 0 else None

    groups: dict[tuple[str, str | None], list[int]] = defaultdict(list)
    for row in slow.rows_of(model, "device"):
        links = model.links
        found = stack(int(links.operator[row.index])) or stack(int(links.launch[row.index]))
        groups[row.name, found].append(row.duration)
    table = kernels(model, group_by="name+stack").to_pylist()
    ours = {(row["name"], row["call_stack"]): row for row in table}
    assert set(ours) == set(groups)
    for key, times in groups.items():
        assert ours[key]["calls"] == len(times)
        assert round(ours[key]["total_us"] * 1000) == sum(times)


def test_lines_are_those_of_torch(shared_data: Path, tmp_path: Path) -> None:
    """All of torch's own, and the gradients being added up, whose stacks it loses."""
    folder = shared_data / "torchcpu" / "verbose_stack"
    trace = nbprof.load(folder / "trace.json", progress=False).trace()
    trace.export_stacks(tmp_path / "stacks.txt")
    ours = (tmp_path / "stacks.txt").read_text().splitlines()
    theirs = (folder / "stacks_self_cpu.txt").read_text().splitlines()
    assert len(theirs) == 374
    assert Counter(theirs) - Counter(ours) == Counter()
    more = list((Counter(ours) - Counter(theirs)).elements())
    assert len(more) == 6
    assert all("run_backward" in line for line in more)
    rest = Counter(more)
    assert [line for line in ours if not rest[line]] == [line for line in theirs if not rest[line]]


def test_stacks_are_rebuilt_where_none_were_recorded(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "torchcpu" / "verbose_stack"
    recorded = json.loads((folder / "trace.json").read_text())
    for event in recorded["traceEvents"]:
        event.get("args", {}).pop("Call stack", None)
    path = tmp_path / "worker0.pt.trace.json"
    path.write_text(json.dumps(recorded))
    ours = Counter(stack_lines(nbprof.load(path, progress=False).trace().model))
    theirs = (folder / "stacks_self_cpu.txt").read_text().splitlines()
    # Rebuilt stacks have no addresses, and labels none of the frames that open them.
    plain = [line for line in theirs if "_object_at_0x" not in line and "_of_type" not in line]
    missing = Counter(plain) - ours
    assert len(plain) > 200
    assert sum(missing.values()) <= 2


def test_own_time_of_device_work() -> None:
    model = make_model(
        [
            {"name": "a b;c.py(1): f", "kind": "python", "start": 0, "end": 90000},
            {"name": "aten::mm", "start": 1000, "end": 9000},
            {"name": "launch", "kind": "runtime", "start": 2000, "end": 3500, "correlation": 1},
            {"name": "launch", "kind": "runtime", "start": 20000, "end": 20500, "correlation": 2},
        ],
        [
            {"name": "gemm", "start": 0, "end": 7900, "correlation": 1},
            {"name": "copy", "kind": "memcpy", "start": 9000, "end": 9900, "correlation": 2},
        ],
    )
    assert list(stack_lines(model)) == ["c.py(1):_f;a_b 6", "c.py(1):_f;a_b 1"]
    assert list(stack_lines(model, metric="self_cuda_time_total")) == ["c.py(1):_f;a_b 7"]
    assert list(stack_lines(model, Filter(kinds=("runtime",)))) == ["c.py(1):_f;a_b 1"]
    with pytest.raises(UnknownNameError, match="no metric 'time'; there are self_cpu_time_total"):
        stack_lines(model, metric="time")


def test_the_file_is_packed_and_never_the_trace_itself(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "torchcpu" / "verbose_stack" / "trace.json"
    path = tmp_path / "trace.json"
    path.write_bytes(source.read_bytes())
    trace = nbprof.load(path, progress=False).trace()
    trace.export_stacks(tmp_path / "stacks.txt.gz")
    lines = gzip.decompress((tmp_path / "stacks.txt.gz").read_bytes()).decode().splitlines()
    assert lines == list(stack_lines(trace.model))
    with pytest.raises(FileExistsError, match="read from"):
        trace.export_stacks(path)
    with pytest.raises(UnknownNameError):
        trace.export_stacks(tmp_path / "none.txt", metric="x")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["stacks.txt.gz", "trace.json"]


@given(traces_with_modules())
def test_own_times_of_lines_add_up(model: TraceModel) -> None:
    """With times of whole microseconds nothing is lost but rows without a stack."""
    rows = [
        {
            "name": row.name,
            "kind": row.kind,
            "start": 1000 * row.start,
            "end": 1000 * row.end,
            "tid": row.more["thread"],
            "call_stack": f"f{row.index}",
            "module_id": row.more["module_id"],
        }
        for row in slow.rows_of(model, "host")
    ]
    own = Counter({f"f{row.index}": row.duration for row in slow.rows_of(model, "host")})
    whole = make_model(rows)
    parent = whole.nesting.parent.tolist()
    names = [row.name for row in slow.rows_of(whole, "host")]
    texts = whole.values("host", "call_stack")
    stack = [texts[code] for code in whole.column("host", "call_stack")]
    inside = Counter(parent)
    for row, above in enumerate(parent):
        if above >= 0:
            own[stack[above]] -= slow.rows_of(whole, "host")[row].duration // 1000
    for row in range(len(parent) - 1, -1, -1):  # what is inside comes later
        above = parent[row]
        if above >= 0 and inside[above] == 1 and names[above] == names[row]:
            own[stack[above]] += own.pop(stack[row])
    expected = Counter({f"{frame} {time}": 1 for frame, time in own.items() if time > 0})
    assert Counter(stack_lines(whole, NO_FILTER, metric=METRICS[0])) == expected
