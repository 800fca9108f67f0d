"""Tables over workers leave out a worker that fails, and name it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import nbprof
from nbprof.ranks import extract
from nbprof.tables import TABLES
from tests.cli.conftest import trace_json
from tests.support.traces import write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workers(tmp_path: Path) -> Path:
    """Two workers; the trace of the second has an operator called odd."""
    events = trace_json()["traceEvents"]
    write(tmp_path / "run" / "w0.pt.trace.json", events)
    odd = {**events[1], "name": "odd", "ts": 9000}
    write(tmp_path / "run" / "w1.pt.trace.json", [*events, odd])
    return tmp_path / "run"


def fail(model: Any) -> None:
    if "odd" in model.values("host", "name"):
        pa.array([1.5]).cast(pa.int64())


def with_failing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a table raise what Arrow raises, for the odd trace only."""
    spec = TABLES[name]

    def make(model: Any, *rest: Any, **options: Any) -> pa.Table:
        fail(model)
        return spec.make(model, *rest, **options)

    real = TABLES.get
    changed = replace(spec, make=make)
    monkeypatch.setattr(TABLES, "get", lambda wanted: changed if wanted == name else real(wanted))


def test_a_table_that_fails_for_one_worker(workers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_failing("steps", monkeypatch)
    profile = nbprof.load(workers, cache=False)
    with pytest.warns(nbprof.WorkerWarning, match="steps: worker 'w1' is left out") as told:
        assert set(profile.steps()["worker"].to_pylist()) == {"w0"}
    assert told[0].filename == __file__
    assert "ArrowInvalid" in str(told[0].message)
    # The other tables are whole, and the file is not among those that cannot be read.
    assert set(profile.operators()["worker"].to_pylist()) == {"w0", "w1"}
    assert profile.skipped().num_rows == 0
    with pytest.raises(nbprof.TableError, match=r"'steps' of worker 'w1' .* ArrowInvalid"):
        profile.trace(worker="w1").steps()


def test_a_table_that_fails_for_every_worker(
    workers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_failing("steps", monkeypatch)
    with pytest.raises(nbprof.TableError, match="'steps' of worker 'w1'"):
        nbprof.load(workers, cache=False).steps(workers="w1")


def test_a_worker_that_cannot_be_compared(workers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make, columns = extract._PARTS["rank_calls"]

    def broken(model: Any, filter_: Any) -> pa.Table:
        fail(model)
        return make(model, filter_)

    parts = {**extract._PARTS, "rank_calls": (broken, columns)}
    monkeypatch.setattr(extract, "_PARTS", parts)
    profile = nbprof.load(workers, cache=False)
    with pytest.warns(nbprof.WorkerWarning, match="overview: worker 'w1' is left out") as told:
        overview = profile.distributed_overview()
    assert told[0].filename == __file__
    assert set(overview["worker"].to_pylist()) == {"w0"}


def test_a_reader_that_fails_is_an_error_of_nbprof(
    workers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the caller's own function raises passes, everything else names the file."""
    from nbprof.sources.kineto import reading

    def broken(*_: Any) -> None:
        raise OverflowError

    def progress(*_: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        nbprof.load(workers, cache=False, progress=progress).trace().read()
    monkeypatch.setattr(reading, "build_tables", broken)
    with pytest.raises(nbprof.TraceFormatError, match=r"w0\.pt.* OverflowError"):
        nbprof.load(workers, cache=False).trace().read()


@pytest.mark.parametrize("rows", [0, 3])
def test_a_packed_table_is_compressed_once_and_comes_back(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    compressed = []
    compress = pa.compress

    def counted(buffer: pa.Buffer, **options: Any) -> Any:
        compressed.append(len(buffer))
        return compress(buffer, **options)

    monkeypatch.setattr(pa, "compress", counted)
    table = pa.table({"a": pa.array([1, 2, 3]), "b": pa.array(["x", None, "z"])}).slice(0, rows)
    assert extract._unpack(extract._pack(table)).equals(table)
    assert len(compressed) == 1, "a buffer compressed by itself costs as much as a table"
