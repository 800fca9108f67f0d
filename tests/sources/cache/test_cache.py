"""A cached trace equals the trace that was read, or is rebuilt."""

from __future__ import annotations

import gc
import os
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import nbprof
from nbprof.sources import ReadOptions
from nbprof.sources.cache import cache
from nbprof.sources.cache import file as cache_file
from nbprof.sources.cache import folder as cache_folder
from tests.sources.cache.cached import assert_same, find, keep, trace_file
from tests.support.traces import read_trace

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.profiles import Profile


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache that keeps small files too."""
    monkeypatch.setenv("NBPROF_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "SMALLEST_EVENTS", 0)
    return tmp_path / "cache" / "traces"


def opened(path: Path, **options: Any) -> Profile:
    """Load and read a file, and wait until it is kept."""
    profile = nbprof.load(path, progress=False, **options)
    profile.trace().read()
    cache.finish()
    return profile


def names() -> list[str]:
    return sorted(entry.path.name for entry in cache_folder.entries())


@pytest.mark.parametrize("sample", ["torch_cpu_convnet", "gpu_resnet_synthetic"])
def test_a_sample_is_the_same_from_the_cache(samples: Path, sample: str) -> None:
    for file in nbprof.load(samples / sample).files:
        model = read_trace(file.path)
        keep(model, str(file.path))
        found = find(str(file.path))
        assert found is not None
        assert_same(found, model)


def test_reference_traces_are_the_same_from_the_cache(shared_data: Path) -> None:
    for folder in ("kineto/v100_ns_resolution", "kineto/mi300_graph_replay", "torchcpu"):
        for file in nbprof.load(shared_data / folder).files[:4]:
            model = read_trace(file.path)
            keep(model, str(file.path))
            found = find(str(file.path))
            assert found is not None
            assert_same(found, model)


def test_warnings_and_odd_metadata_survive(tmp_path: Path) -> None:
    model = read_trace(trace_file(tmp_path / "a.json", with_stack=1))
    assert [one.kind for one in model.warnings] == ["missing or impossible duration"]
    model.metadata["steps"] = ((1, 2, 3, 4, True),)
    model.metadata["dropped"] = {"\ud800": 1, 5: [float("nan"), 2**70, None, ("a", {"b": ()})]}
    keep(model, "a")
    found = find("a")
    assert found is not None
    assert found.warnings == model.warnings
    assert repr(found.metadata) == repr(model.metadata)


def test_metadata_that_cannot_be_written_leave_no_entry(tmp_path: Path) -> None:
    model = read_trace(trace_file(tmp_path / "a.json"))
    model.metadata["odd"] = object()
    keep(model, "a")
    assert find("a") is None
    assert list(cache_folder.folder().iterdir()) == []


def test_columns_stay_in_the_file(tmp_path: Path) -> None:
    model = read_trace(trace_file(tmp_path / "a.json", 20_000))
    keep(model, "a")
    size = sum(table.nbytes for table in model.tables.values())
    before = pa.total_allocated_bytes()
    found = find("a")
    assert found is not None
    assert found.column("device", "start_ns").shape == (20_000,)
    assert pa.total_allocated_bytes() - before < size / 100


def test_opening_again_reads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = trace_file(tmp_path / "a.json")
    table = opened(path).trace().operators()
    assert len(names()) == 1
    gc.collect()
    monkeypatch.setattr("nbprof.content.read", lambda *_, **__: pytest.fail("was read"))
    again = nbprof.load(path)
    assert again.trace()._content.is_kept
    assert not again.trace().is_read
    assert again.trace().operators().equals(table)
    del again
    gc.collect()
    with pytest.raises(pytest.fail.Exception):
        nbprof.load(path, cache=False).trace().read()


def test_a_file_that_changed_is_read(tmp_path: Path) -> None:
    path = trace_file(tmp_path / "a.json", 5)
    opened(path)
    trace_file(path, 8)
    assert opened(path).trace().model.tables["device"].num_rows == 8
    os.utime(path, (1, 1))
    assert not nbprof.load(path).trace()._content.is_kept
    assert len(names()) == 2


def test_nothing_is_kept_where_that_is_not_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = trace_file(tmp_path / "a.json")
    opened(path, cache=False)
    monkeypatch.setattr(nbprof.options, "cache", False)
    opened(path)
    monkeypatch.setattr(nbprof.options, "cache", True)
    monkeypatch.setattr(nbprof.options, "cache_bytes", 0)
    gc.collect()
    opened(path)
    assert names() == []
    assert not (tmp_path / "cache").exists()


def test_small_files_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "SMALLEST_EVENTS", 42)
    opened(trace_file(tmp_path / "a.json", 20))  # 41 events
    assert names() == []
    opened(trace_file(tmp_path / "b.json", 21))
    assert len(names()) == 1


def test_a_whole_does_for_a_part(tmp_path: Path) -> None:
    model = read_trace(trace_file(tmp_path / "a.json"))
    keep(model, "a")
    assert find("a", ReadOptions(time_us=(0, 50))) is not None
    assert find("a", ReadOptions(without=("python",))) is None
    keep(model, "b", ReadOptions(time_us=(0, 50)))
    assert find("b") is None
    assert find("b", ReadOptions(time_us=(0, 51))) is None


def test_what_was_odd_is_read_again_strictly(tmp_path: Path) -> None:
    path = trace_file(tmp_path / "a.json")
    opened(path)
    with pytest.raises(nbprof.TraceFormatError, match="impossible duration"):
        nbprof.load(path, strict=True).trace().read()


def test_other_code_does_not_find_what_this_one_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = read_trace(trace_file(tmp_path / "a.json"))
    keep(model, "a")
    monkeypatch.setattr(cache, "code_version", lambda: "another")
    assert find("a") is None


def test_an_entry_says_what_it_is_about(tmp_path: Path) -> None:
    model = read_trace(trace_file(tmp_path / "a.json"))
    mine, other = keep(model, "a"), keep(model, "b")
    shutil.copy(mine, other)
    assert find("b") is None
    assert find("a") is not None


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.9999])
@pytest.mark.parametrize("how", ["changed", "cut", "zeros"])
def test_damage_is_found_and_mended(tmp_path: Path, part: float, how: str) -> None:
    model = read_trace(trace_file(tmp_path / "a.json", 300))
    path = keep(model, "a")
    raw = bytearray(path.read_bytes())
    at = int(part * len(raw))
    if how == "changed":
        raw[at] ^= 0x10
    elif how == "zeros":
        at = min(at, len(raw) - 30)
        raw[at : at + 4096] = bytes(len(raw[at : at + 4096]))
    path.write_bytes(raw[:at] if how == "cut" else raw)
    if bytes(raw) == path.read_bytes() and how == "zeros" and find("a") is not None:
        pytest.skip("there were zeros")
    assert find("a") is None
    assert not path.exists()
    keep(model, "a")
    found = find("a")
    assert found is not None
    assert_same(found, model)


def test_a_file_that_is_no_entry_counts_as_none(tmp_path: Path) -> None:
    model = read_trace(trace_file(tmp_path / "a.json"))
    path = keep(model, "a")
    for text in (b"", b"{}", b"x" * 100):
        path.write_bytes(text)
        with cache_folder.opened(path) as file, pytest.raises(cache_file.CacheFileError):
            cache_file.read_header(file)
    assert cache_folder.entries(with_keys=True)[0].key == {}
    assert find("a") is None


def test_a_file_written_anew_while_it_was_read_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = trace_file(tmp_path / "a.json")
    model = read_trace(path)

    def read(*_: Any, **__: Any) -> Any:
        os.utime(path, (1, 1))
        return model

    monkeypatch.setattr("nbprof.content.read", read)
    opened(path)
    assert names() == []
