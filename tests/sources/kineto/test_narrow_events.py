"""Events decoded with few arguments give the rows of events decoded with all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nbprof.sources.chrome.decoding import WindowDecoder
from nbprof.sources.chrome.events import Event as FullEvent
from nbprof.sources.defects import DefectLog
from nbprof.sources.kineto.categories import Roles
from nbprof.sources.kineto.narrow_events import (
    LAYOUTS,
    NarrowDecoder,
    NarrowEvent,
    PairNumbers,
)
from nbprof.sources.kineto.rows import Rows
from tests.support.examples import examples
from tests.support.same_models import assert_same
from tests.support.traces import Event, kernel, op, read_trace, table_rows, write

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

_RECORDED = [category for layout in LAYOUTS for category in layout.categories]
_ARGS: dict[str, Any] = {
    "External id": 5,
    "correlation": 5,
    "device": 1,
    "stream": 7,
    "bytes": 64,
    "size": 3,
    "Input Dims": [[2, 3]],
    "Input type": ["float"],
    "Sequence number": 4,
    "Fwd thread id": 2,
    "Python id": 3,
    "Python parent id": 1,
    "Python module id": 0,
    "Call stack": "a;b",
    "Bytes": 512,
    "Addr": 99,
    "Device Type": 1,
    "Device Id": 0,
    "Total Allocated": 512,
    "grid": [1, 1, 1],
    "block": [32, 1, 1],
    "Collective name": "allreduce",
    "name": "main",
    "In msg nelems": 8,
    "Group size": 2,
    "external id": 6,
    "registers per thread": 16,
}
_NAMES = ["aten::mm", "[memory]", "ProfilerStep#3", "thread_name", "[pl][module]a.B: c", ""]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NarrowDecoder, "_windows_to_wait", 0)


def test_each_usual_event_has_only_its_arguments() -> None:
    decoder = NarrowDecoder(DefectLog("a"))
    text = json.dumps([op(args=_ARGS), kernel(**_ARGS), op(cat="fwdbwd", ph="s", args=_ARGS)])
    found = decoder.decode(text.encode()).events
    assert [event.cat for event in found] == ["cpu_op", "kernel", "fwdbwd"]
    assert all(isinstance(event, NarrowEvent) for event in found)
    operator, device, flow = (event.args for event in found)
    assert (operator.sequence, device.stream) == (4, 7)
    assert not hasattr(operator, "stream")
    assert not hasattr(device, "sequence")
    assert flow.__struct_fields__ == ()


def test_unusual_windows_are_decoded_at_once_after_a_while() -> None:
    decoder = NarrowDecoder(DefectLog("a"))
    usual, unusual = (json.dumps([one]).encode() for one in (op(), op(cat="my_device")))
    tried = []
    for _ in range(6):
        tried.append(not decoder._windows_to_wait)
        assert isinstance(decoder.decode(unusual).events[0], FullEvent)
    assert tried == [True, False, True, False, False, True]
    for _ in range(4):
        decoder.decode(usual)
    assert isinstance(decoder.decode(usual).events[0], NarrowEvent)


def test_small_files_are_decoded_fully(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    decoder, text = NarrowDecoder(DefectLog("a")), json.dumps([op()]).encode()
    narrow = [isinstance(decoder.decode(text).events[0], NarrowEvent) for _ in range(10)]
    assert narrow == [False] * 8 + [True] * 2


def test_phases_and_categories_are_numbered_by_the_class_of_an_event() -> None:
    events = [op(), op(cat="fwdbwd", ph="s"), op(cat="fwdbwd", ph="f"), op(), kernel()]
    found = NarrowDecoder(DefectLog("a")).decode(json.dumps(events).encode()).events
    known = Roles()
    numbers = PairNumbers(known)
    first = numbers.of(found).tolist()
    assert [known.pairs[one] for one in first] == [(one["ph"], one["cat"]) for one in events]
    # Only where a class has several phases is each event looked at.
    for pair in (("X", "cpu_op"), ("X", "kernel")):
        known[pair] = 99
    assert numbers.of(found).tolist() == first


def test_unusual_phases_are_decoded_fully() -> None:
    text = json.dumps([op(ph="B")]).encode()
    assert isinstance(NarrowDecoder(DefectLog("a")).decode(text).events[0], FullEvent)


@pytest.mark.parametrize("exact", [False, True], ids=["numbers", "decimals"])
def test_a_record_of_memory_in_an_unusual_category(tmp_path: Path, *, exact: bool) -> None:
    at = 1736405443881410.5 if exact else 10
    events = [op(ts=at), op("[memory]", ts=at, args=_ARGS)]
    model = read_trace(write(tmp_path / "a.json", events))
    [row] = table_rows(model, "memory")
    assert (row["bytes"], row["address"], row["total_allocated"]) == (512, 99, 512)


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    events=st.lists(
        st.fixed_dictionaries(
            {
                "ph": st.sampled_from([*"XXXXsfiMC"]),
                "name": st.sampled_from(_NAMES),
                "pid": st.sampled_from([0, 1, "CUDA functions"]),
                "tid": st.sampled_from([1, 7, "stream 7", None]),
                "ts": st.sampled_from([1, 2.5, "3.25", 1736405443881410.25]),
            },
            optional={
                "cat": st.sampled_from([*_RECORDED, *_RECORDED, "Trace", "my_device", None]),
                "dur": st.sampled_from([1, 2.5, -3]),
                "id": st.sampled_from([1, "0x1f"]),
                "args": st.sampled_from([_ARGS, _ARGS, {}, None, {"stream": 3}, 5]),
            },
        ),
        min_size=1,
        max_size=12,
    )
)
def test_any_events(tmp_path: Path, events: list[Event]) -> None:
    path = write(tmp_path / "a.json", [op(), *events])
    assert_same(read_trace(path, window=700), _read_fully(path, window=700))


@pytest.mark.parametrize("trace", ["a100_two_ranks", "h800_deepseek", "mi300_flux_capture"])
def test_reference_traces(shared_data: Path, trace: str) -> None:
    path = min((shared_data / "kineto" / trace).glob("*.json.gz"))
    assert_same(read_trace(path), _read_fully(path))


def _read_fully(path: Path, **options: Any) -> TraceModel:
    """Read a trace with all arguments of all events."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rows, "decoder", WindowDecoder)
        return read_trace(path, processes=1, **options)
