"""Table `icicle`: equal to the profile where it is not recursive, and complete where it is."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.recordings.python_profiles import Key, made_up, recorded, trace_of

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.trace import Trace

pytestmark = pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")


class Recording:
    """Records calls of a made-up program as `cProfile` does, with its true stacks."""

    def __init__(self) -> None:
        self.stacks: dict[tuple[Key, ...], float] = defaultdict(float)
        self._sums: dict[Key, list[Any]] = {}
        self._path: list[Key] = []

    def call(self, key: Key, own: float, *inside: Any) -> float:
        """Add a call with its own time, and calls inside it, which are functions to call."""
        caller = self._path[-1] if self._path else None
        again = key in self._path
        pair = (caller, key)
        pair_again = pair in zip(self._path, self._path[1:], strict=False)
        self._path.append(key)
        self.stacks[tuple(self._path)] += own
        total = own + sum(one() for one in inside)
        self._path.pop()
        sums = self._sums.setdefault(key, [0, 0, 0.0, 0.0, {}])
        add(sums, own, total, again=again)
        if caller is not None:
            calls = sums[4].setdefault(caller, [0, 0, 0.0, 0.0])
            add(calls, own, total, again=pair_again)
        return total

    def stats(self) -> dict[Key, Any]:
        """Return the sums in the form of `pstats`."""
        found = {}
        for key, (primitive, calls, own, total, callers) in self._sums.items():
            pairs = {one: (v[1], v[0], v[2], v[3]) for one, v in callers.items()}
            found[key] = (primitive, calls, own, total, pairs)
        return found


def add(sums: list[Any], own: float, total: float, *, again: bool) -> None:
    """Add a call; only the outermost of recursive ones has a total time."""
    sums[0] += not again
    sums[1] += 1
    sums[2] += own
    sums[3] += 0 if again else total


def key(name: str) -> Key:
    return (f"{name}.py", 1, name)


def frames(trace: Trace) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return the frames of the chart by the functions of their stacks."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    paths: dict[int, tuple[str, ...]] = {}
    for row in trace.table("icicle").to_pylist():
        above = () if row["parent_id"] is None else paths[row["parent_id"]]
        path = (*above, row["name"].split(": ")[-1])
        paths[row["id"]] = path
        found[path] = row
    return found


def check_layout(trace: Trace) -> None:
    """Check that frames lie inside their parents, one after the other."""
    rows = trace.table("icicle").to_pylist()
    ends: dict[Any, float] = {}
    for row in rows:
        parent = row["parent_id"]
        start = rows[parent]["offset_us"] if parent is not None else 0.0
        assert row["offset_us"] == pytest.approx(ends.get(parent, start))
        ends[parent] = row["offset_us"] + row["total_us"]
        if parent is not None:
            assert parent < row["id"]
            assert row["depth"] == rows[parent]["depth"] + 1
            limit = rows[parent]["offset_us"] + rows[parent]["total_us"]
            assert ends[parent] <= limit * (1 + 1e-9)
        assert 0 <= row["self_us"] <= row["total_us"] * (1 + 1e-9)


def by_function(trace: Trace, column: str) -> dict[str, float]:
    sums: dict[str, float] = defaultdict(float)
    for row in trace.table("icicle").to_pylist():
        sums[row["name"]] += row[column]
    return sums


def test_single_paths_are_exact(tmp_path: Path) -> None:
    program = Recording()
    f, g, h = (
        lambda *inside, name=name, own=own: lambda: program.call(key(name), own, *inside)
        for name, own in (("f", 1.0), ("g", 2.0), ("h", 4.0))
    )
    program.call(key("main"), 8.0, f(g(), g()), h())
    trace = trace_of(made_up(tmp_path, program.stats()))
    found = {path: row["self_us"] / 1e6 for path, row in frames(trace).items()}
    expected = {tuple(one[2] for one in path): own for path, own in program.stacks.items()}
    assert found == pytest.approx(expected)
    check_layout(trace)


def test_shared_callees_are_split_by_time(tmp_path: Path) -> None:
    program = Recording()
    leaf = lambda own: lambda: program.call(key("leaf"), own)  # noqa: E731
    helper = lambda own: lambda: program.call(key("helper"), 0.0, leaf(own))  # noqa: E731
    program.call(
        key("main"),
        0.0,
        lambda: program.call(key("a"), 0.0, helper(3.0)),
        lambda: program.call(key("b"), 0.0, helper(1.0)),
    )
    found = frames(trace_of(made_up(tmp_path, program.stats())))
    assert found["main", "a", "helper", "leaf"]["total_us"] == pytest.approx(3e6)
    assert found["main", "b", "helper", "leaf"]["total_us"] == pytest.approx(1e6)


@pytest.mark.parametrize("seed", range(8))
def test_sums_without_recursion(tmp_path: Path, seed: int) -> None:
    """Functions only call those of larger numbers: totals, self times and pairs are kept."""
    chance = random.Random(seed)
    program = Recording()

    def call(number: int) -> float:
        below = [chance.randrange(number + 1, 12) for _ in range(3) if number < 9]
        inside = [lambda one=one: call(one) for one in below]
        return program.call(key(f"f{number}"), chance.random(), *inside)

    for _ in range(3):
        call(chance.randrange(3))
    trace = trace_of(made_up(tmp_path, program.stats()))
    check_layout(trace)
    functions = trace.functions().to_pylist()
    for mine, column in ((by_function(trace, one), one) for one in ("self_us", "total_us")):
        assert mine == pytest.approx({row["name"]: row[column] for row in functions}, rel=1e-3)
    pairs: dict[Any, float] = defaultdict(float)
    rows = trace.table("icicle").to_pylist()
    for row in rows:
        if row["parent_id"] is not None:
            pairs[rows[row["parent_id"]]["name"], row["name"]] += row["total_us"]
    for row in trace.function_callers().to_pylist():
        assert pairs[row["caller"], row["callee"]] == pytest.approx(row["total_us"], rel=1e-3)
    assert not any(row["recursive"] for row in rows)


@pytest.mark.parametrize("seed", range(8))
def test_self_times_with_recursion(tmp_path: Path, seed: int) -> None:
    """Whoever calls whom: self times are complete, and no function is inside itself."""
    chance = random.Random(seed)
    program = Recording()

    def call(number: int, depth: int) -> float:
        below = [chance.randrange(6) for _ in range(2) if depth < 6]
        inside = [lambda one=one: call(one, depth + 1) for one in below]
        return program.call(key(f"f{number}"), chance.random(), *inside)

    call(0, 0)
    trace = trace_of(made_up(tmp_path, program.stats()))
    check_layout(trace)
    expected = {row["name"]: row["self_us"] for row in trace.functions().to_pylist()}
    assert by_function(trace, "self_us") == pytest.approx(expected, rel=1e-3)
    for path in frames(trace):
        assert len(set(path)) == len(path)
    assert any(row["recursive"] for row in trace.table("icicle").to_pylist())


def test_recursion_of_modules(tmp_path: Path) -> None:
    """As torch calls modules: the layers are beside the container that calls them, in full."""
    program = Recording()

    def module(name: str, own: float, *inside: Any) -> Any:
        forward = lambda: program.call(key(name), own, *inside)  # noqa: E731
        return lambda: program.call(key("__call__"), 0.5, forward)

    module("sequential", 1.0, module("conv", 4.0), module("linear", 2.0))()
    found = frames(trace_of(made_up(tmp_path, program.stats())))
    assert found["__call__",]["recursive"]
    times = {path[-1]: row["total_us"] / 1e6 for path, row in found.items()}
    expected = {"__call__": 8.5, "sequential": 1.0, "conv": 4.0, "linear": 2.0}
    assert times == pytest.approx(expected)


def test_only_counts_of_calls(tmp_path: Path) -> None:
    trace = trace_of(recorded(tmp_path, pure=True))
    check_layout(trace)
    expected = {row["name"]: row["self_us"] for row in trace.functions().to_pylist()}
    mine = by_function(trace, "self_us")
    for name, own in expected.items():
        assert mine[name] == pytest.approx(own, rel=1e-3, abs=own * 1e-2 + 1)


def test_recorded_program(tmp_path: Path) -> None:
    trace = trace_of(recorded(tmp_path))
    check_layout(trace)
    names = {path[-1]: row for path, row in frames(trace).items()}
    assert names["fibonacci"]["recursive"]
    assert names["is_even"]["recursive"] or names["is_odd"]["recursive"]
    assert not names["leaf"]["recursive"]
    total = sum(row["self_us"] for row in trace.table("icicle").to_pylist())
    assert total == pytest.approx(sum(trace.functions()["self_us"].to_pylist()), rel=1e-3)


def test_every_function_is_called_by_another(tmp_path: Path) -> None:
    """A cycle without a beginning begins somewhere."""
    f, g = key("f"), key("g")
    stats = {f: (1, 1, 1.0, 3.0, {g: (1, 1, 1.0, 3.0)}), g: (1, 1, 2.0, 3.0, {f: (1, 1, 2.0, 3.0)})}
    trace = trace_of(made_up(tmp_path, stats))
    assert sum(row["self_us"] for row in trace.table("icicle").to_pylist()) == pytest.approx(3e6)


def test_times_of_zero(tmp_path: Path) -> None:
    f, g = key("f"), key("g")
    stats = {f: (1, 1, 0.0, 0.0, {}), g: (1, 1, 0.0, 0.0, {f: (1, 1, 0.0, 0.0)})}
    assert trace_of(made_up(tmp_path, stats)).table("icicle").num_rows == 0


def test_filter_keeps_widths(tmp_path: Path) -> None:
    trace = trace_of(recorded(tmp_path))
    whole = by_function(trace, "total_us")
    kept = trace.filter(name="/: (leaf|short)$/")
    assert {path[-1] for path in frames(kept)} == {"leaf", "short"}
    check_layout(kept)
    for name, total in by_function(kept, "total_us").items():
        assert total == pytest.approx(whole[name])


def test_many_paths_stay_within_bounds(tmp_path: Path) -> None:
    """40 levels of two functions that both call both of the next level: 2⁴⁰ paths."""
    stats: dict[Key, Any] = {}
    for level in range(40):
        for side in "ab":
            callers = {
                key(f"{one}{level - 1}"): (2**level, 2**level, 0.5, 40.0 - level)
                for one in "ab"
                if level
            }
            calls = max(2 * 2**level, 1)
            stats[key(f"{side}{level}")] = (calls, calls, 1.0, 2.0 * (40 - level), callers)
    trace = trace_of(made_up(tmp_path, stats))
    assert 1000 < trace.table("icicle").num_rows <= 200_000
    check_layout(trace)
