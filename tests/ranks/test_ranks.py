"""Tables over many ranks: their content, their extracts, and when files are read."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import nbprof
from nbprof.content import TraceContent
from nbprof.model.contract.table import beside, unlinked
from nbprof.model.errors import TraceFormatError, UnknownNameError
from nbprof.model.filters.filter import Filter
from nbprof.ranks import extract, recent_contents
from nbprof.sources.files import bytesource
from nbprof.tables import TABLES as SPECS
from nbprof.tables.trace import compute_table
from tests.support.recordings.jobs import small_job
from tests.support.traces import op, write

if TYPE_CHECKING:
    from pathlib import Path

#: What is narrowed to nothing is compared, too.
pytestmark = pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")

RANKS = 64
TABLES = ("steps", "device_time", "operators", "kernels")


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_job(tmp_path_factory.mktemp("ranks") / "job", RANKS)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """List the files that are read in full."""
    found: list[str] = []
    real = TraceContent._read

    def read(self: TraceContent, *rest: Any, **options: Any) -> Any:
        found.append(self.file.worker)
        return real(self, *rest, **options)

    monkeypatch.setattr(TraceContent, "_read", read)
    return found


PLACE = {"run": pa.utf8(), "worker": pa.utf8(), "span": pa.int64()}


def by_hand(profile: nbprof.Profile, name: str, filter_: Filter) -> pa.Table:
    tables = []
    for trace in profile:
        table = compute_table(trace.filter(filter_), name)
        if name == "device_time":
            table = table.drop(["worker"])
        for at, (column, type_) in enumerate(PLACE.items()):
            values = pa.array([getattr(trace, column)] * table.num_rows, type_)
            table = table.add_column(at, column, values)
        tables.append(table)
    return pa.concat_tables(tables)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(
    "filter_",
    [
        Filter(),
        Filter(steps=3),
        Filter(time_us=(0, 50), name="mm"),
        Filter(within="=aten::mm"),
        Filter(within="=aten::own7"),
    ],
)
def test_tables_are_those_of_every_worker(job: Path, name: str, filter_: Filter) -> None:
    profile = nbprof.load(job, progress=False)
    made = getattr(profile, name)(None, filter_)
    assert made.equals(by_hand(profile, name, filter_))
    whole_devices = SPECS[name].whole_devices
    assert unlinked(made) == (None if filter_.within is None or whole_devices else 0)
    if whole_devices:
        assert beside(made) == filter_.beside_devices
    assert made.schema.field("worker").metadata[b"meaning"]


def test_discovery_reads_only_the_ends_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: list[str]
) -> None:
    write(tmp_path / "rank0.pt.trace.json", [op(f"op{n}", ts=n) for n in range(20_000)])
    taken = []
    real = bytesource.ByteSource.close

    def close(self: bytesource.ByteSource) -> None:
        taken.append((self.done, self.total))
        real(self)

    monkeypatch.setattr(bytesource.ByteSource, "close", close)
    profile = nbprof.load(tmp_path)
    assert len(profile) == 1
    assert len(profile.runs()) == 1
    [(done, total)] = taken
    assert done <= 1 << 16 < total
    assert reads == []


def test_small_ranks_stay_in_memory_for_the_next_filter(job: Path, reads: list[str]) -> None:
    gc.collect()  # profiles of other tests
    profile = nbprof.load(job, progress=False)
    workers = ["rank1", "rank2", "rank3"]
    for filter_ in (Filter(), Filter(steps=3), Filter(name="mm")):
        assert profile.steps(None, filter_, workers=workers).num_rows > 0
    assert reads == workers


def test_the_last_ranks_stay_as_far_as_they_have_room(
    job: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gc.collect()  # profiles of other tests
    profile = nbprof.load(job, progress=False)
    profile.steps(workers=["rank1"])
    monkeypatch.setattr(recent_contents, "LARGEST", 5 * profile._ranks._recent.nbytes)
    profile.steps()
    assert len(reads) == RANKS
    profile.steps(None, Filter(steps=3), workers=["rank63", "rank2"])
    assert reads[RANKS:] == ["rank2"]
    assert profile._ranks._recent.nbytes <= recent_contents.LARGEST


@pytest.fixture
def nothing_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rank is small enough to stay in memory."""
    monkeypatch.setattr(recent_contents, "LARGEST", 0)


@pytest.mark.usefixtures("nothing_stays")
def test_every_rank_is_read_once_and_its_trace_goes(job: Path, reads: list[str]) -> None:
    gc.collect()  # profiles of other tests
    profile = nbprof.load(job, progress=False)
    for name in TABLES:
        assert len(set(getattr(profile, name)()["worker"].to_pylist())) == RANKS
    assert len(reads) == RANKS
    assert not any(trace.is_read for trace in profile)
    profile.read()
    assert len(reads) == RANKS
    model = weakref.ref(profile.trace(worker="rank7").model)
    assert model() is not None, "a trace that is looked at closer is read in full"
    assert len(reads) == RANKS + 1
    profile.steps(None, Filter(steps=4), workers=["rank7"])
    del profile
    gc.collect()
    assert model() is None


@pytest.mark.usefixtures("nothing_stays")
def test_of_another_filter_what_was_kept_goes(job: Path, reads: list[str]) -> None:
    profile = nbprof.load(job, progress=False)
    profile.read(workers=["rank1"])
    whole = profile._ranks.nbytes
    profile.read(filter_=Filter(steps=3), workers=["rank1"])
    both = profile._ranks.nbytes
    profile.read(filter_=Filter(steps=4), workers=["rank1"])
    assert whole < profile._ranks.nbytes < both * 1.1
    assert len(reads) == 3
    profile.steps(workers=["rank1"])
    profile.steps(None, Filter(steps=4, workers=["rank1"]))
    assert len(reads) == 3
    profile.steps(None, Filter(steps=3, workers=["rank1"]))
    assert len(reads) == 4


def test_what_is_kept_of_a_rank_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"aten::{'x' * 40}{number * 7919 % 100_003}" for number in range(3000)]
    write(tmp_path / "rank0.pt.trace.json", [op(name, ts=n * 10) for n, name in enumerate(names)])
    profile = nbprof.load(tmp_path, progress=False)
    expected = profile.operators()
    assert profile._ranks.nbytes <= 2 * extract.LARGEST <= 1_000_000
    monkeypatch.setattr(extract, "LARGEST", 10_000)
    cut = nbprof.load(tmp_path, progress=False)
    cut.read()
    assert 0 < cut._ranks.nbytes <= 10_000
    assert cut.operators().equals(expected), "what is not kept comes from the trace"
    assert cut.operators().num_rows == 3000


def test_runs_workers_and_spans_are_chosen(job: Path, tmp_path: Path) -> None:
    small_job(tmp_path / "a", 3)
    small_job(tmp_path / "b", 2)
    profile = nbprof.load(tmp_path, progress=False)
    profile.read(run="b")
    assert len(profile._ranks) == 2
    profile.read(workers="rank2")
    assert len(profile._ranks) == 3
    assert profile.operators("b", workers=["rank1"])["worker"].unique().to_pylist() == ["rank1"]
    profile.read()
    assert len(profile._ranks) == 5
    with pytest.raises(UnknownNameError, match="no worker 'rank9'; there are 'rank0'"):
        profile.read(workers=["rank9"])
    with pytest.raises(UnknownNameError, match="no span 4"):
        profile.kernels(span=4)
    with pytest.raises(UnknownNameError, match="no run 'c'"):
        profile.read(run="c")


def test_ranks_that_break_join_the_skipped(tmp_path: Path) -> None:
    small_job(tmp_path / "a", 3)
    write(tmp_path / "a" / "rank1.pt.trace.json", [])
    profile = nbprof.load(tmp_path, progress=False)
    profile.read()
    assert [path.endswith("rank1.pt.trace.json") for path in profile.skipped()["path"].to_pylist()]
    assert profile.steps()["worker"].unique().to_pylist() == ["rank0", "rank2"]
    for rank in (0, 2):
        write(tmp_path / "a" / f"rank{rank}.pt.trace.json", [])
    with pytest.raises(TraceFormatError, match=r"rank0\.pt\.trace\.json.*no operators"):
        profile.refresh().read()


def test_what_has_changed_is_read_again(tmp_path: Path, reads: list[str]) -> None:
    profile = nbprof.load(small_job(tmp_path / "a", 3), progress=False)
    profile.read()
    write(tmp_path / "a" / "rank1.pt.trace.json", [op("aten::new")])
    (tmp_path / "a" / "rank2.pt.trace.json").unlink()
    names = profile.refresh().operators()["name"].to_pylist()
    assert "aten::new" in names
    assert "aten::own2" not in names
    assert reads == ["rank0", "rank1", "rank2", "rank1"]


def test_a_part_of_every_rank_stays_a_part(job: Path) -> None:
    part = nbprof.load(job, steps=3, progress=False)
    whole = nbprof.load(job, progress=False)
    for name in TABLES:
        expected = getattr(whole, name)(None, Filter(steps=3), workers=["rank5", "rank6"])
        assert getattr(part, name)(workers=["rank5", "rank6"]).equals(expected), name
