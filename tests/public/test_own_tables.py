"""Tables registered by a notebook or declared by a package work as nbprof's own."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import nbprof
from nbprof import Column, Filter, Option, TableSpec
from nbprof.cli import main
from nbprof.tables import TABLES
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def long_kernels(model: Any, filter_: Filter, *, least_us: float = 0.0, unit: str = "us") -> Any:
    """Return a bare table, without units and meanings."""
    kernels = TABLES["kernels"].make(model, filter_)
    found = kernels.filter(pc.greater_equal(kernels["total_us"], least_us)).to_pylist()
    shown = [row["total_us"] if unit == "us" else row["total_us"] / 1000 for row in found]
    return pa.table(
        {"name": [row["name"] for row in found], "total": pa.array(shown, pa.float64())}
    )


LONG = TableSpec(
    name="long_kernels",
    summary="kernels that take long",
    columns=(
        Column("name", pa.utf8(), "", "Name of the kernel."),
        Column("total", pa.float64(), "us", "Total time of all launches."),
    ),
    make=long_kernels,
    scope="both",
    options=(
        Option("least_us", 0.0, "Only kernels that take so long.", type=float),
        Option("unit", "us", "What times are in.", choices=("us", "ms")),
    ),
    keys=("name",),
)


def workers_of(profile: nbprof.Profile, filter_: Filter) -> pa.Table:
    return pa.table({"worker": sorted({file.worker for file in profile.files})})


WORKERS = TableSpec(
    name="workers",
    summary="the workers of a profile",
    columns=(Column("worker", pa.utf8(), "", "Name of the worker."),),
    make=workers_of,
    scope="profile",
    filtered=False,
)


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    for spec in (LONG, WORKERS):
        nbprof.register(spec)
    yield
    for spec in (LONG, WORKERS):
        TABLES.unregister(spec.name)


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    for worker, length in (("w0", 5), ("w1", 7)):
        events = [op("aten::mm", 1, 90), kernel("gemm", 10, 20), kernel("add", 50, length)]
        write(tmp_path / f"{worker}.1.pt.trace.json", events)
    return tmp_path


@pytest.fixture
def profile(logdir: Path) -> nbprof.Profile:
    return nbprof.load(logdir, progress=False)


def test_a_trace_has_it(profile: nbprof.Profile) -> None:
    trace: Any = profile.trace()
    table = trace.table("long_kernels")
    assert table.to_pydict() == {"name": ["gemm", "add"], "total": [20.0, 5.0]}
    assert trace.long_kernels().equals(table)
    assert trace.long_kernels(10).num_rows == 1
    assert trace.long_kernels(unit="ms")["total"].to_pylist() == [0.02, 0.005]
    assert trace.filter(name="add").long_kernels()["name"].to_pylist() == ["add"]
    assert "long_kernels" in dir(trace)
    field = table.schema.field("total")
    assert (field.metadata[b"unit"], field.metadata[b"meaning"][:5]) == (b"us", b"Total")
    assert list(inspect.signature(trace.long_kernels).parameters) == ["least_us", "unit"]
    assert "kernels that take long" in inspect.getdoc(trace.long_kernels)
    with pytest.raises(TypeError, match="unexpected keyword argument 'most_us'"):
        trace.long_kernels(most_us=3)
    with pytest.warns(nbprof.FilterWarning, match="long_kernels: nothing is left"):
        trace.filter(name="zzz").long_kernels()


def test_a_profile_has_it_over_workers(profile: nbprof.Profile) -> None:
    found: Any = profile
    table = found.long_kernels()
    assert table.column_names == ["run", "worker", "span", "name", "total"]
    assert table["worker"].to_pylist() == ["w0", "w0", "w1", "w1"]
    assert table.equals(profile.table("long_kernels"))
    assert profile.table("long_kernels", workers="w1", filter_=Filter(name="add")).num_rows == 1
    assert table.schema.field("total").metadata[b"unit"] == b"us"
    assert found.workers()["worker"].to_pylist() == ["w0", "w1"]
    assert {"long_kernels", "workers"} <= {*dir(found)}


def test_it_came_after_the_ranks_were_read(profile: nbprof.Profile) -> None:
    TABLES.unregister("long_kernels")
    profile.read()
    nbprof.register(LONG)
    assert profile.table("long_kernels").num_rows == 4


def test_the_command_line_has_it(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: object) -> str:
        main(["table", *map(str, words)])
        return "".join(capsys.readouterr())

    found = said(logdir, "long_kernels", "--worker=w0", "--span=1", "--least-us=10", "--format=csv")
    assert "gemm,20.0" in found
    assert "add" not in found
    assert said(logdir, "long_kernels", "--all", "--format=csv").count("gemm") == 2
    said(logdir, "long_kernels", "-o", logdir / "long.parquet")
    assert pq.read_table(logdir / "long.parquet").num_rows == 2
    assert "--least-us" in said("--help")
    assert "long_kernels" in said("--help")
    assert said(logdir, "workers", "--format=csv").split() == ["worker", "w0", "w1"]
    assert "kernels takes no --least-us; long_kernels does." in said(
        logdir, "kernels", "--least-us=1"
    )
    assert "long_kernels takes no --unit 's', only us, ms." in said(
        logdir, "long_kernels", "--unit=s"
    )
    assert "--least-us 'x'" in said(logdir, "long_kernels", "--least-us=x")
    assert "takes --least-us 0.0 only" in said(logdir, "long_kernels", "--all", "--least-us=1")


def test_names_that_are_not_there(profile: nbprof.Profile) -> None:
    trace: Any = profile.trace()
    with pytest.raises(AttributeError, match="'Trace' object has no attribute 'long_kernel'"):
        _ = trace.long_kernel
    with pytest.raises(AttributeError, match="A trace has no table 'workers'"):
        _ = trace.workers
    with pytest.raises(
        nbprof.UnknownNameError, match="A trace has no table 'zzz'; it has warnings"
    ):
        trace.table("zzz")
    with pytest.raises(nbprof.UnknownNameError, match=r"profile.trace\(\).overview\(\)"):
        profile.table("overview")
    with pytest.raises(nbprof.FilterError, match="'runs' takes no filter"):
        profile.table("runs", filter_=Filter(steps=1))


def test_one_that_fails_takes_nothing_else_with_it(profile: nbprof.Profile) -> None:
    def fails(model: Any, filter_: Filter) -> pa.Table:
        message = "no such thing"
        raise RuntimeError(message)

    for make, error in ((fails, RuntimeError), (lambda *_: [], TypeError)):
        nbprof.register(TableSpec("long_kernels", "x", LONG.columns, make, scope="both"))
        again = nbprof.load(profile.source, progress=False)
        assert again.kernels().num_rows == 4
        with pytest.raises(error):
            again.table("long_kernels")


def with_columns(*names: str, **more: Any) -> TableSpec:
    """Give a table of one row whose function makes these columns."""

    def make(data: Any, filter_: Filter, **options: Any) -> pa.Table:
        return pa.table({name: pa.array([1.0]) for name in names})

    return TableSpec("long_kernels", "x", LONG.columns, make, **more)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("name",), "it lacks 'total'"),
        (("name", "total", "b", "a"), "it has not declared 'a', 'b'"),
        (("Name", "total"), "it lacks 'name' and it has not declared 'Name'"),
    ],
)
@pytest.mark.parametrize("scope", ["both", "profile"])
def test_other_columns_than_those_declared_are_refused(
    logdir: Path, names: tuple[str, ...], words: str, scope: Any
) -> None:
    nbprof.register(with_columns(*names, scope=scope))
    profile: Any = nbprof.load(logdir, progress=False)
    owner = profile if scope == "profile" else profile.trace()
    said = f"The table 'long_kernels' cannot be used: {words}."
    with (
        pytest.warns(nbprof.ExtensionWarning, match=f"^{said}$"),
        pytest.raises(nbprof.TableError, match=f"^{said}$"),
    ):
        owner.table("long_kernels")
    assert profile.kernels().num_rows == 4


def test_columns_may_depend_on_the_grouping_and_the_recording(logdir: Path) -> None:
    groupings = {"name": ("name",), "all": ()}
    extra = (Column("bytes", pa.int64(), "bytes", "Size."),)
    nbprof.register(with_columns("total", "bytes", groupings=groupings, extra_columns=extra))
    trace = nbprof.load(logdir, progress=False).trace()
    assert trace.table("long_kernels", group_by="all").column_names == ["total", "bytes"]
    with pytest.warns(nbprof.ExtensionWarning), pytest.raises(nbprof.TableError, match="'name'"):
        trace.table("long_kernels", group_by="name")


@pytest.mark.parametrize(
    ("name", "scope", "owner"),
    [
        ("filter", "trace", "Trace"),
        ("file", "both", "Trace"),
        ("refresh", "profile", "Profile"),
        ("read", "both", "Trace"),
        ("active_filter", "profile", "Profile"),
    ],
)
def test_a_name_that_is_a_method_already_is_refused(name: str, scope: Any, owner: str) -> None:
    spec = TableSpec(name, "x", LONG.columns, long_kernels, scope=scope)
    with pytest.warns(nbprof.ExtensionWarning, match=f"{owner} has an attribute '{name}'"):
        nbprof.register(spec)
    assert name not in TABLES


def test_a_method_of_the_other_class_is_free(profile: nbprof.Profile) -> None:
    nbprof.register(TableSpec("refresh", "x", LONG.columns, long_kernels, scope="trace"))
    try:
        trace: Any = profile.trace()
        assert trace.refresh().num_rows == 2
    finally:
        TABLES.unregister("refresh")
