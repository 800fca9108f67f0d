"""The filter as a value, and its effect on rows and windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbprof.model.errors import FilterError
from nbprof.model.filters import selection
from nbprof.model.filters.filter import Filter
from nbprof.model.filters.patterns import match_names
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel


def test_an_int_is_one_step_and_empty_names_do_not_filter() -> None:
    assert Filter(steps=7).steps == (7, 7)
    assert not Filter(name="")
    assert Filter(steps=0)


def test_plain_values_go_round() -> None:
    plain = {"steps": [7, 9], "name": "conv", "kinds": ["kernel"], "streams": [7]}
    assert Filter.from_dict(plain).to_dict() == plain


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"steps": (9, 7)}, "backwards"),
        ({"time_us": (0, float("nan"))}, "backwards"),
        ({"name": "/(/"}, "regular expression"),
        ({"kinds": ["kernels"]}, "Kinds are operator"),
        ({"threads": ["main"]}, "threads"),
        ({"step": 3}, "Did you mean 'steps'"),
        ({"steps": "all"}, "two numbers"),
        ({"steps": (0, float("inf"))}, "two numbers"),
        ({"steps": (0.5, 2)}, "two numbers"),
        ({"devices": [0.5]}, "devices"),
        ({"streams": [float("inf")]}, "streams"),
    ],
)
def test_what_cannot_be_applied_is_said(fields: dict, words: str) -> None:
    with pytest.raises(FilterError, match=words):
        Filter.from_dict(fields)


def test_names_match_whatever_the_case_or_by_pattern() -> None:
    texts = ["aten::Conv2d", "aten::mm", None]
    assert match_names(texts, "conv").tolist() == [True, False, False]
    assert match_names(texts, "/mm$/").tolist() == [False, True, False]
    assert match_names(["a/b/"], "/b/").tolist() == [True]


@pytest.fixture
def model() -> TraceModel:
    """Two steps; the kernel of step 1's call runs inside step 2's host range."""
    host = [
        {"name": "ProfilerStep#1", "kind": "step", "start": 0, "end": 1000},
        {"name": "ProfilerStep#2", "kind": "step", "start": 1000, "end": 2000},
        {"name": "aten::conv", "start": 100, "end": 300},
        {"name": "aten::mm", "start": 1100, "end": 1300},
        {"name": "cudaLaunchKernel", "kind": "runtime", "start": 200, "end": 210, "correlation": 1},
        {"name": "aten::conv", "start": 1200, "end": 1400, "tid": 2},
    ]
    device = [
        {"name": "conv_kernel", "start": 1050, "end": 1500, "correlation": 1},
        {"name": "lost", "start": 1600, "end": 1700, "correlation": 9, "device": 1, "stream": 3},
    ]
    return make_model(host, device)


def names(model: TraceModel, table: str, mask: object) -> list[str]:
    return model.tables[table].filter(mask).column("name").to_pylist()


def test_host_rows_go_by_their_start_in_the_recorded_step(model: TraceModel) -> None:
    mask = selection.host_rows(model, Filter(steps=2, kinds=("operator",)))
    assert names(model, "host", mask) == ["aten::mm", "aten::conv"]


def test_device_rows_go_with_their_launch_else_by_their_own_start(model: TraceModel) -> None:
    for number, expected in ((1, ["conv_kernel"]), (2, ["lost"])):
        mask = selection.device_rows(model, Filter(steps=number))
        assert names(model, "device", mask) == expected
    mask = selection.device_rows(model, Filter(time_us=(1.5, 2.0)))
    assert names(model, "device", mask) == ["lost"]


def test_threads_devices_and_streams(model: TraceModel) -> None:
    assert selection.host_rows(model, Filter(threads=(2,))).sum() == 1
    assert names(model, "device", selection.device_rows(model, Filter(threads=(1,)))) == [
        "conv_kernel"
    ]
    assert names(model, "device", selection.device_rows(model, Filter(devices=(1,)))) == ["lost"]
    assert names(model, "device", selection.device_rows(model, Filter(streams=(7,)))) == [
        "conv_kernel"
    ]
    assert selection.host_rows(model, Filter(devices=(1,))).all()


def test_names_narrow_rows_and_never_the_window(model: TraceModel) -> None:
    assert selection.window(model, Filter(name="conv")) is None
    assert names(model, "device", selection.device_rows(model, Filter(name="CONV"))) == [
        "conv_kernel"
    ]


def test_the_window_of_steps_is_extended_and_cut_by_time(model: TraceModel) -> None:
    def window(**fields: object) -> list[list[int]]:
        found = selection.window(model, Filter(**fields))
        assert found is not None
        return [part.tolist() for part in found]

    assert window(steps=1) == [[0], [1500]]
    assert window(steps=2) == [[1500], [2000]]
    assert window(steps=(1, 2), time_us=(0.5, 1.75)) == [[500], [1750]]
    far = float("inf")
    assert window(time_us=(-far, 1.0)) == [[0], [1000]]
    assert window(time_us=(0.5, far)) == [[500], [2000]]
    assert window(time_us=(-1e300, 1e300)) == [[0], [2000]]
    assert window(time_us=(-2.0, 9.0)) == [[-2000], [9000]]
