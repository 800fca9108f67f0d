"""Tables `functions` and `function_callers`: what `pstats` prints, to the last digit."""

from __future__ import annotations

import io
import pstats
import re
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.support.recordings.python_profiles import made_up, printed, recorded, trace_of

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.trace import Trace

pytestmark = pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")

#: The columns that sort as the keys of `pstats` do, the primary one first, with their directions.
SORTS = {
    "calls": [("calls", "descending")],
    "pcalls": [("primitive_calls", "descending")],
    "tottime": [("self_us", "descending")],
    "cumtime": [("total_us", "descending")],
    "name": [("function", "ascending")],
}


@pytest.fixture(scope="module", params=["cProfile", "profile"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    return recorded(folder, pure=request.param == "profile")


@pytest.fixture(scope="module")
def trace(path: Path) -> Trace:
    return trace_of(path)


def line(row: dict[str, Any]) -> str:
    """Return a row of `functions` in the layout of `pstats`."""
    calls, primitive = row["calls"], row["primitive_calls"]
    count = f"{calls}/{primitive}" if calls != primitive else f"{calls}"
    times = ("self_us", "self_per_call_us", "total_us", "total_per_call_us")
    figures = ("" if row[one] is None else f"{row[one] / 1e6:.3f}" for one in times)
    built_in = row["file"] == "~"
    place = row["function"] if built_in else f"{row['file']}:{row['line']}({row['function']})"
    if not built_in:  # `pstats` names frames of no file, such as `profile:0(work())`, so as well
        place = f"{row['file']}:{row['line']}({row['function']})"
    return " ".join([f"{count:>9}", *(f"{one:>8}" for one in figures), place]).strip()


def test_lines_are_those_of_pstats(path: Path, trace: Trace) -> None:
    rows = trace.functions().to_pylist()
    assert sorted(map(line, rows)) == sorted(printed(path, "cumulative"))
    assert any(row["calls"] != row["primitive_calls"] for row in rows)
    # The module `profile` does not say where built-in functions come from.
    assert any(row["file"] == "~" for row in rows) or path.parent.name.startswith("profile")


@pytest.mark.parametrize("key", SORTS)
def test_sort_orders(path: Path, trace: Trace, key: str) -> None:
    """The values that are sorted by; `pstats` leaves the order of equal ones open."""
    ((column, direction),) = SORTS[key]
    mine = trace.functions().sort_by([(column, direction)])
    lines = {line(row): row[column] for row in mine.to_pylist()}
    theirs = [lines[one] for one in printed(path, key)]
    if column == "function":  # `pstats` sorts by the name as recorded, with <…> for {…}
        theirs = sorted(theirs)
    assert theirs == mine[column].to_pylist()


def test_callers_are_those_of_pstats(path: Path, trace: Trace) -> None:
    known = pstats.Stats(str(path)).stats  # type: ignore[attr-defined] - not in the type stubs
    names = {
        (row["file"], row["line"], re.sub(r"^\{(.*)\}$", r"<\1>", row["function"])): row["name"]
        for row in trace.functions().to_pylist()
    }
    expected = []
    for callee, (*_, callers) in known.items():
        for caller, value in callers.items():
            numbers = value if isinstance(value, tuple) else (value, None, None, None)
            calls, primitive, own, total = numbers
            times = [None if one is None else one * 1e6 for one in (own, total)]
            expected.append((names.get(caller), names[callee], calls, primitive, *times))
    found = [tuple(row.values()) for row in trace.function_callers().to_pylist()]
    assert sorted(found, key=str) == sorted(expected, key=str)


def test_callers_and_callees_of_one(trace: Trace) -> None:
    every = trace.function_callers().to_pylist()
    name = next(row["callee"] for row in every if row["callee"].endswith(": leaf"))
    expected = [row for row in every if name in (row["caller"], row["callee"])]
    assert trace.function_callers(function=name).to_pylist() == expected
    assert {row["caller"].split(": ")[-1] for row in expected if row["callee"] == name} == {
        "short",
        "long",
    }
    assert trace.function_callers(function="gone").num_rows == 0


def test_shares(trace: Trace) -> None:
    table = trace.functions()
    assert sum(table["self_pct"].to_pylist()) == pytest.approx(100)
    whole = sum(table["self_us"].to_pylist())
    for row in table.to_pylist():
        assert row["total_pct"] == pytest.approx(100 * row["total_us"] / whole)


def test_filters(trace: Trace) -> None:
    assert set(trace.filter(name="fibonacci").functions()["function"].to_pylist()) == {"fibonacci"}
    by_file = trace.filter(name="python_profiles.py").functions()
    assert "leaf" in by_file["function"].to_pylist()
    callers = trace.filter(name="/: leaf$/").function_callers().to_pylist()
    assert all(": leaf" in f"{row['caller']} {row['callee']}" for row in callers)
    whole = trace.functions().num_rows
    for kept in (
        {"steps": 0},
        {"steps": (-5, 5)},
        {"kinds": ("python", "kernel")},
        {"time_us": (0, 1)},
    ):
        assert trace.filter(**kept).functions().num_rows == whole
    for nothing in (
        {"steps": 1},
        {"kinds": ("kernel",)},
        {"time_us": (1, 2)},
        {"threads": (1,)},
        {"devices": (0,)},
        {"within": "leaf"},
    ):
        for name in ("functions", "function_callers", "icicle"):
            assert trace.filter(**nothing).table(name).num_rows == 0


def test_unfiltered_shares_stay(trace: Trace) -> None:
    whole = {row["name"]: row["self_pct"] for row in trace.functions().to_pylist()}
    for row in trace.filter(name="leaf").functions().to_pylist():
        assert row["self_pct"] == whole[row["name"]]


def test_same_names_in_other_files(tmp_path: Path) -> None:
    keys = [("a.py", 1, "f"), ("b.py", 1, "f"), ("~", 0, "f")]
    stats = {key: (1, 1, 0.25, 0.25, {}) for key in keys}
    table = trace_of(made_up(tmp_path, stats)).functions()
    assert sorted(table["name"].to_pylist()) == ["a.py(1): f", "b.py(1): f", "f"]


def test_other_tables_are_empty_and_say_why(path: Path) -> None:
    out = io.StringIO()
    view = nbprof.Explorer(nbprof.load(path, progress=False), view="operators")
    try:
        print(view.table.num_rows, file=out)
        assert view.errors == []
    finally:
        view.close()
    assert out.getvalue() == "0\n"
