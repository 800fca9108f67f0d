"""Times of NPU steps: as recorded, from the step bars, and from kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nbprof.analysis.steps.npu_steps import BARS, npu_steps
from nbprof.model.filters.filter import Filter
from nbprof.model.trace.model import TraceModel
from tests.oracle.ascend.profiles import model_of
from tests.support.models import make_model
from tests.support.npu import make_npu

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]

TOLD = [
    {"step": 8, "device": 0, "computing_us": 5.0, "free_us": 1.0, "preparing_us": 0.5},
    {"step": 7, "device": 0, "computing_us": 3.0, "free_us": 2.0},
]
HOST = [
    {"name": "ProfilerStep#7", "kind": "step", "start": 0, "end": 1000},
    {"name": "ProfilerStep#8", "kind": "step", "start": 1000, "end": 2000},
]
#: Two steps; the last kernel ends behind the second.
DEVICE = [
    {"name": "a", "start": 100, "end": 300},
    {"name": "hcom_allReduce__1", "start": 200, "end": 500, "stream": -2},
    {"name": "b", "start": 600, "end": 700},
    {"name": "hcom_receive__2", "start": 1100, "end": 1400, "stream": -2},
    {"name": "c", "start": 1300, "end": 1500},
    {"name": "d", "start": 2100, "end": 2200},
    {"name": "MEMCPY_ASYNC", "kind": "memcpy", "start": 50, "end": 60},
]
#: What the bars of these kernels are.
SPANS = {
    "Computing": [(100, 300), (600, 700), (1300, 1500), (2100, 2200)],
    "Communication": [(200, 500), (1100, 1400)],
    "Communication(Not Overlapped)": [(300, 500), (1100, 1300)],
    "Free": [(500, 600), (1500, 2100)],
}
BAR_ROWS = [
    {"name": name, "kind": "annotation", "start": low, "end": high, "stream": -11 - place}
    for place, (name, spans) in enumerate(SPANS.items())
    for low, high in spans
]


def test_the_recorder_is_believed() -> None:
    rows = npu_steps(make_npu(HOST, DEVICE, npu_steps=TOLD)).to_pylist()
    assert [(row["step"], row["computing_us"], row["preparing_us"]) for row in rows] == [
        (7, 3.0, None),
        (8, 5.0, 0.5),
    ]


def test_steps_are_chosen_by_number_by_their_begin_and_by_device() -> None:
    model = make_npu(HOST, DEVICE, npu_steps=TOLD)

    def steps(**conditions: Any) -> list[int]:
        return npu_steps(model, Filter(**conditions))["step"].to_pylist()

    assert steps(steps=(8, 9)) == [8]
    assert steps(time_us=(0, 1)) == [7]
    assert steps(time_us=(0.5, 1.001)) == [8]
    assert steps(time_us=(0.5, 1.0)) == []
    assert steps(devices=(0,)) == [7, 8]
    assert steps(devices=(1,)) == []
    assert steps(name="nothing", streams=(99,), threads=(5,)) == [7, 8]


def test_a_recording_without_steps_has_one_row_without_a_number() -> None:
    model = make_npu(device=DEVICE, npu_steps=[{**TOLD[0], "step": -1}])
    assert npu_steps(model)["step"].to_pylist() == [None]
    assert npu_steps(model, Filter(steps=(0, 9))).num_rows == 1  # it is step 0
    assert npu_steps(model, Filter(steps=(1, 9))).num_rows == 0
    [row] = npu_steps(make_npu(device=DEVICE)).to_pylist()
    assert row["step"] is None
    assert row["preparing_us"] is None


@pytest.mark.parametrize("bars", [[], BAR_ROWS])
def test_what_is_not_told_is_added_up(bars: list[Row]) -> None:
    first, second = npu_steps(make_npu(HOST, [*DEVICE, *bars])).to_pylist()
    assert first == {
        "step": 7,
        "computing_us": 0.3,
        "communication_not_overlapped_us": 0.2,
        "overlapped_us": 0.1,
        "communication_us": 0.3,
        "free_us": 0.1,
        "stage_us": 0.6,
        "bubble_us": 0.0,
        "preparing_us": 0.1,
    }
    # What runs behind the end of the last step is still of it.
    assert second == {
        "step": 8,
        "computing_us": 0.3,
        "communication_not_overlapped_us": 0.2,
        "overlapped_us": 0.1,
        "communication_us": 0.3,
        "free_us": 0.6,
        "stage_us": 0.8,
        "bubble_us": 0.3,
        "preparing_us": 0.1,
    }


def test_there_are_none_on_other_devices() -> None:
    assert npu_steps(make_model(HOST, DEVICE)).num_rows == 0
    assert npu_steps(make_npu()).num_rows == 0
    assert npu_steps(make_npu(HOST, DEVICE[-1:])).num_rows == 0


@pytest.mark.parametrize("worker", ["rank0", "rank1"])
def test_bars_and_kernels_say_what_the_recorder_says(worker: str, shared_data: Path) -> None:
    """The bars are what it added up; kernels are rounded to a nanosecond each, 191 of them."""
    model = model_of(shared_data, "level1", worker)
    [told] = npu_steps(model).to_pylist()
    tables = {**model.tables, "npu_steps": model.tables["npu_steps"].slice(0, 0)}
    [drawn] = npu_steps(TraceModel(tables, model.metadata, dialect=model.dialect)).to_pylist()
    kinds = model.tables["device"].column("kind").to_pylist()
    device = model.tables["device"].filter([kind != "annotation" for kind in kinds])
    names = set(model.tables["device"].column("name").to_pylist())
    assert set(BARS.values()) <= names
    flows = model.tables["flows"].slice(0, 0)
    lost = {"npu_kernels": _moved(model, kinds), "device": device, "flows": flows}
    [counted] = npu_steps(
        TraceModel({**tables, **lost}, model.metadata, dialect=model.dialect)
    ).to_pylist()
    for name, value in told.items():
        # In the file these two are sums of floats that step by a quarter of a microsecond.
        slack = 0.25 if name in ("stage_us", "preparing_us") else 1e-6
        assert drawn[name] == pytest.approx(value, abs=slack), name
        assert counted[name] == pytest.approx(value, abs=max(slack, 0.191)), name


def _moved(model: TraceModel, kinds: list[str]) -> Any:
    """Return the rows about kernels, for a device table without bars."""
    place, places = 0, []
    for kind in kinds:
        places.append(place)
        place += kind != "annotation"
    told = model.tables["npu_kernels"]
    rows = [places[row] for row in told["row"].to_pylist()]
    return told.set_column(0, told.schema.field("row"), [rows])
