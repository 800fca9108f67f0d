"""Mangled names are shown demangled, but filtered, found and written as recorded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from nbprof.analysis.devices.device_summary import device_summary
from nbprof.analysis.kernels.kernels import kernels as kernels_table
from nbprof.model.filters.filter import Filter
from nbprof.model.names.roles import named
from nbprof.timeline.details.details import slice_details
from nbprof.timeline.search import find
from nbprof.widgets.requests.pages import search_rows
from nbprof.widgets.views.timeline.requests import marks
from tests.sources.writing.round_trip import trace_of, written
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("demangle", reason="it needs Python 3.11 or newer")

FOO, BAR, CLONE = "_ZN5aiter3fooEPf", "_ZN5aiter3barILi2EEEvv", "_ZN1AC1Ev"
MODEL = make_model(
    host=[{"name": "aten::mm", "start": 0, "end": 90}],
    device=[
        {"name": FOO, "start": 0, "end": 10},
        {"name": BAR, "start": 20, "end": 50},
        {"name": CLONE, "start": 60, "end": 61},
        {"name": "_ZN1AC2Ev", "start": 62, "end": 63},
        {"name": "plain", "start": 70, "end": 75},
    ],
)


def test_kernels_show_names_that_people_read() -> None:
    rows = {row["name"]: row for row in kernels_table(MODEL).to_pylist()}
    assert {name: row["recorded_name"] for name, row in rows.items()} == {
        "aiter::foo(float*)": FOO,
        "void aiter::bar<2>()": BAR,
        CLONE: None,
        "_ZN1AC2Ev": None,
        "plain": None,
    }
    launches = kernels_table(MODEL, group_by="launch").to_pylist()
    assert [row["recorded_name"] for row in launches] == [FOO, BAR, None, None, None]


@pytest.mark.parametrize(
    "name", ["aiter::foo(float*)", FOO, "FOO(", "fooEP", "/foo.*float/", "/^_ZN5aiter3foo/"]
)
def test_both_names_are_found(name: str) -> None:
    kernels = kernels_table(MODEL, Filter(name=name))
    assert kernels["recorded_name"].to_pylist() == [FOO]
    found = search_rows(kernels_table(MODEL), name)
    assert found["recorded_name"].to_pylist() == [FOO]
    assert find(MODEL, name).count == 1


def test_rules_see_both_names() -> None:
    for word in ("bar<2>", "barILi2E"):
        assert named(MODEL, "device", lambda text, word=word: word in text).tolist() == [
            False, True, False, False, False,
        ]  # fmt: skip


def test_the_timeline_marks_both_names() -> None:
    shown = ["aiter::foo(float*)", "plain"]
    recorded = {shown[0]: FOO}
    assert marks(shown, "fooEP", None, recorded) == {"matches": [0], "dimmed": []}
    assert marks(shown, "float", "fooEP", recorded) == {"matches": [0], "dimmed": [1]}
    assert marks(shown, "/(/", None, recorded) == {"matches": [], "dimmed": []}


def test_details_tell_the_recorded_name() -> None:
    found = slice_details(MODEL, 1)
    assert (found.name, dict(found.facts)["Recorded as"]) == ("aiter::foo(float*)", FOO)
    assert "Recorded as" not in dict(slice_details(MODEL, 5).facts)


def test_files_hold_the_recorded_names(tmp_path: Path) -> None:
    trace = trace_of(MODEL, tmp_path / "a.json")
    trace.to_chrome_trace(tmp_path / "b.json")
    events = json.loads((tmp_path / "b.json").read_text())["traceEvents"]
    names = {event["name"] for event in events if event.get("cat") == "kernel"}
    assert names == {FOO, BAR, CLONE, "_ZN1AC2Ev", "plain"}
    assert written(trace, tmp_path).kernels().equals(trace.kernels())


DEVICES = [{"device": n, "name": "MI300X", "memory_bytes": 1 << 38} for n in range(2)]


def summary_of(*devices: dict[str, object]) -> dict[str, object]:
    """Return what is known of device 9, which is not among those that are listed."""
    model = make_model(
        host=[{"name": "aten::mm", "start": 0, "end": 90}],
        device=[{"name": "gemm", "start": 0, "end": 10, "device": 9}],
        devices=devices,
    )
    (row,) = device_summary(model).to_pylist()
    return {key: row[key] for key in ("device", "name", "memory_gb", "compute_capability")}


def test_a_device_that_is_not_listed_is_like_the_others() -> None:
    major = {"compute_major": 9, "compute_minor": 4}
    alike = [{**one, **major} for one in DEVICES]
    assert summary_of(*alike) == {
        "device": 9, "name": "MI300X", "memory_gb": 256.0, "compute_capability": "9.4",
    }  # fmt: skip
    other = {**alike[1], "memory_bytes": 1 << 37}
    assert summary_of(alike[0], other)["memory_gb"] is None
    assert summary_of(alike[0], other)["name"] == "MI300X"
    unknown = {"device": 9, "name": None, "memory_gb": None, "compute_capability": None}
    assert summary_of(alike[0], {**alike[1], "name": "MI250"}) == unknown
    assert summary_of() == unknown
