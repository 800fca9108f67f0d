"""The profilers of PyTorch itself: what they hold equals what they write."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.tables import TABLES
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

torch = pytest.importorskip("torch", reason="needs PyTorch to record profiles")
prof = pytest.importorskip("torch.profiler")

# What PyTorch warns of is none of ours.
pytestmark = pytest.mark.filterwarnings("default")

#: What an `EventList` does not hold.
NOT_IN_EVENTS = ("memory", "events", "step")


@pytest.fixture(autouse=True)
def _no_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)


@pytest.fixture(scope="module")
def work() -> Any:
    model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def step() -> None:
        with prof.record_function("forward"):
            loss = model(torch.ones(8, 16)).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    step()
    return step


EVERYTHING = {"record_shapes": True, "profile_memory": True, "with_stack": True}


def recorded(work: Any, **options: Any) -> Any:
    with prof.profile(**{**EVERYTHING, **options}) as profiler:
        work()
    return profiler


def different(one: Any, other: Any, leave_out: tuple[str, ...] = ()) -> list[str]:
    """Return the tables of two traces that differ, some columns aside."""
    names = [name for name in TABLES if TABLES[name].scope != "profile"]

    def table(trace: Any, name: str) -> Any:
        found = trace.table(name)
        return found.select([column for column in found.column_names if column not in leave_out])

    return [name for name in names if not table(one, name).equals(table(other, name))]


def assert_equal(profiler: Any, file: Path) -> None:
    live, written = nbprof.load(profiler).trace(), nbprof.load(file).trace()
    assert different(live, written) == []
    assert live.metadata == written.metadata
    assert live.warnings().equals(written.warnings())
    assert live.operators().num_rows > 5


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_profile_equals_its_file(work: Any, tmp_path: Path, when: str) -> None:
    profiler, file = recorded(work), tmp_path / "trace.json"
    if when == "before":
        nbprof.load(profiler)
    profiler.export_chrome_trace(str(file))
    live, written = nbprof.load(profiler).trace(), nbprof.load(file).trace()
    # After an export the profile comes from the exporter in Python, which names no threads.
    assert different(live, written, () if when == "before" else ("thread",)) == []
    if when == "before":
        assert live.metadata == written.metadata


def test_it_can_be_exported_as_often_as_wanted(work: Any, tmp_path: Path) -> None:
    profiler = recorded(work)
    nbprof.load(profiler)
    for name in ("a.json", "b.json.gz", "c.json"):
        profiler.export_chrome_trace(str(tmp_path / name))
        assert_equal(profiler, tmp_path / name)
    assert json.loads((tmp_path / "c.json").read_text())["traceName"] == str(tmp_path / "c.json")
    assert "aten::addmm" in profiler.key_averages().table()
    assert len(profiler.events()) > 10


def test_nothing_stays_on_disk(work: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("NBPROF_CACHE_DIR", str(tmp_path / "cache"))
    assert nbprof.load(recorded(work)).trace().operators().num_rows
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_between_steps_it_holds_the_last_span(work: Any, tmp_path: Path) -> None:
    schedule = prof.schedule(wait=1, warmup=1, active=2, repeat=2)
    seen = []
    profiler = prof.profile(schedule=schedule, on_trace_ready=lambda _: seen.append("ready"))
    with pytest.raises(nbprof.SourceError, match="recorded nothing yet"):
        nbprof.load(profiler)
    profile = None
    with profiler:
        for number in range(8):
            if number in (1, 2, 3):
                with pytest.raises(nbprof.SourceError, match=f"at step {number} of its schedule"):
                    nbprof.load(profiler)
            if number == 4:
                profile = nbprof.load(profiler)
                assert profile.trace().steps()["step"].to_pylist() == [2, 3]
            if number == 6:  # recording again: what was there stays
                assert profile is not None
                assert profile.refresh().trace().steps()["step"].to_pylist() == [2, 3]
            work()
            profiler.step()
    assert profile is not None
    assert profile.refresh().trace().steps()["step"].to_pylist() == [6, 7]
    assert len(seen) == 2
    profiler.export_chrome_trace(str(tmp_path / "a.json"))
    assert_equal(profiler, tmp_path / "a.json")


def test_one_stopped_in_the_next_warm_up_says_what_became_of_it(work: Any) -> None:
    with prof.profile(schedule=prof.schedule(wait=0, warmup=1, active=1)) as profiler:
        for _ in range(2):
            work()
            profiler.step()
    with pytest.raises(nbprof.SourceError, match="repeat=1"):
        nbprof.load(profiler)
    schedule = prof.schedule(wait=0, warmup=1, active=1)
    with nbprof.profile(schedule=schedule) as recording:
        for _ in range(2):
            work()
            recording.step()
    assert nbprof.load(recording).trace().steps()["step"].to_pylist() == [1]


@pytest.mark.parametrize("use_gzip", [False, True])
@pytest.mark.parametrize("ours", [False, True])
def test_what_a_handler_wrote_is_read(
    work: Any, tmp_path: Path, use_gzip: bool, ours: bool
) -> None:
    make = nbprof.trace_handler if ours else prof.tensorboard_trace_handler
    handler = make(str(tmp_path / "logs"), use_gzip=use_gzip)
    schedule = prof.schedule(wait=0, warmup=1, active=1, repeat=2)
    with prof.profile(schedule=schedule, on_trace_ready=handler) as profiler:
        for _ in range(4):
            work()
            profiler.step()
    files = sorted((tmp_path / "logs").iterdir())
    assert len(files) == 2
    trace = nbprof.load(profiler).trace()
    assert trace.path == str(files[-1])
    assert trace.steps()["step"].to_pylist() == [3]


def test_our_handler_writes_what_that_of_pytorch_writes(
    work: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profiler = recorded(work)
    nbprof.load(profiler)  # from then on it can be exported twice
    nbprof.trace_handler(tmp_path / "a")(profiler)
    prof.tensorboard_trace_handler(str(tmp_path / "b"))(profiler)
    monkeypatch.setenv("RANK", "12")
    nbprof.trace_handler(tmp_path / "c", use_gzip=True)(profiler)
    first, second, third = (nbprof.load(tmp_path / name) for name in "abc")
    assert first.files[0].worker == second.files[0].worker
    assert (third.files[0].worker, third.files[0].rank) == ("rank12", 12)
    assert third.files[0].path.name.endswith(".pt.trace.json.gz")
    assert different(first.trace(), second.trace()) == []
    assert different(first.trace(), third.trace()) == []


def test_the_rank_is_that_of_torch_distributed(
    work: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", "5")
    store = torch.distributed.FileStore(str(tmp_path / "store"), 1)
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        nbprof.trace_handler(tmp_path / "logs")(recorded(work))
    finally:
        torch.distributed.destroy_process_group()
    (file,) = nbprof.load(tmp_path / "logs").files
    assert (file.worker, file.rank, file.world_size) == ("rank0", 0, 1)


def test_the_profiler_of_autograd(work: Any, tmp_path: Path) -> None:
    autograd = torch.autograd.profiler.profile
    with pytest.raises(nbprof.SourceError, match="recorded nothing yet"):
        nbprof.load(autograd())
    with pytest.raises(nbprof.SourceError, match="enabled=False"):
        nbprof.load(autograd(enabled=False))
    with autograd(**EVERYTHING) as profiler:
        with pytest.raises(nbprof.SourceError, match="still recording"):
            nbprof.load(profiler)
        work()
    nbprof.load(profiler)
    profiler.export_chrome_trace(str(tmp_path / "a.json"))
    assert_equal(profiler, tmp_path / "a.json")


def test_a_list_of_events_holds_the_slices(work: Any, tmp_path: Path) -> None:
    profiler = recorded(work)
    live = nbprof.load(profiler).trace()
    events = nbprof.load(profiler.events()).trace()
    assert nbprof.load(profiler.events()).trace().model is not None
    whole = {row["name"]: row for row in live.operators(group_by="name+shape").to_pylist()}
    assert len(whole) > 10
    for row in events.operators(group_by="name+shape").to_pylist():
        assert row["name"] in whole
    for name in ("steps", "modules", "kernels", "operators"):
        ours, theirs = events.table(name), live.table(name)
        # Lists of events have no records of memory.
        known = [column for column in theirs.column_names if "memory" not in column]
        assert ours.select(known).equals(theirs.select(known)), name
    assert events.memory_events().num_rows == 0
    with pytest.raises(nbprof.SourceError, match=r"prof\.events\(\)"):
        nbprof.load(profiler.key_averages())
    with pytest.raises(nbprof.SourceError, match="empty"):
        nbprof.load(type(profiler.events())())


def test_a_profile_that_recorded_nothing(tmp_path: Path) -> None:
    with prof.profile() as profiler:
        pass
    trace = nbprof.load(profiler).trace()
    profiler.export_chrome_trace(str(tmp_path / "a.json"))
    for one in (trace, nbprof.load(tmp_path / "a.json").trace()):
        with pytest.raises(nbprof.TraceFormatError, match="no operators"):
            one.operators()


def test_two_views_of_one_profiler(work: Any) -> None:
    profiler = recorded(work)
    views = [nbprof.Explorer(profiler, view=name) for name in ("operators", "timeline")]
    assert views[0].table.num_rows > 5
    assert nbprof.load(profiler).trace().model is nbprof.load(profiler).trace().model
    for view in views:
        view.refresh()
        assert view.errors == []
        view.close()


def test_a_part_is_read_as_from_a_file(work: Any, tmp_path: Path) -> None:
    schedule = prof.schedule(wait=0, warmup=1, active=3, repeat=1)
    with prof.profile(schedule=schedule, **EVERYTHING) as profiler:
        for _ in range(4):
            work()
            profiler.step()
    nbprof.load(profiler)
    profiler.export_chrome_trace(str(tmp_path / "a.json"))
    end = nbprof.load(profiler).trace().steps()["end_us"][1].as_py()
    for part in ({"steps": 2}, {"without": ("python",)}, {"time_us": (0, end)}):
        live = nbprof.load(profiler, **part).trace()
        written = nbprof.load(tmp_path / "a.json", **part).trace()
        assert different(live, written) == [], part


def test_nbprof_profile_records_steps_modules_and_memory(work: Any, tmp_path: Path) -> None:
    with nbprof.profile() as recording:
        for _ in range(3):
            work()
            recording.step()
    trace = nbprof.load(recording).trace()
    assert trace.steps()["step"].to_pylist() == [0, 1, 2]
    assert trace.modules().num_rows
    assert trace.memory_peak().num_rows
    assert trace.operators(group_by="name+shape").num_rows
    recording.export_chrome_trace(str(tmp_path / "a.json"))
    assert_equal(recording, tmp_path / "a.json")


def test_loading_files_imports_no_profiler() -> None:
    sample = ROOT / "samples" / "torch_cpu_convnet"
    code = f"""
import sys, nbprof
nbprof.load({str(sample)!r}).trace().operators()
try:
    nbprof.load(object())
except nbprof.SourceError:
    pass
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
