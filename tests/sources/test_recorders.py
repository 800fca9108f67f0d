"""Recorders of other packages and notebooks: found, read, described, and broken."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import nbprof
from nbprof.model.errors import TraceFormatError
from nbprof.model.trace.dialect import PLAIN
from nbprof.sources.cache import cache as cache_files
from nbprof.sources.cache.folder import FOLDER_VARIABLE, entries
from nbprof.sources.recorders import RECORDERS, dialect_of
from nbprof.widgets.hints.hints import hints
from tests.support.recordings import toy_recorder
from tests.support.recordings.toy_recorder import RECORDER, TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Register = Callable[[nbprof.Recorder], None]


@pytest.fixture
def register() -> Iterator[Register]:
    """Register recorders for the time of a test."""
    names: list[str] = []

    def add(recorder: nbprof.Recorder) -> None:
        nbprof.register(recorder)
        names.append(recorder.name)

    yield add
    for name in names:
        RECORDERS.unregister(name)


@pytest.fixture
def logs(tmp_path: Path, samples: Path) -> Path:
    """A directory with a file of the made-up format and one of PyTorch."""
    (tmp_path / "mine.toy.csv").write_text(TEXT)
    trace = next(samples.glob("torch_cpu_convnet/**/*.pt.trace.json*"))
    (tmp_path / trace.name).write_bytes(trace.read_bytes())
    return tmp_path


def test_files_of_a_registered_recorder_are_found(register: Register, logs: Path) -> None:
    assert {row["format"] for row in nbprof.load(logs).runs().to_pylist()} == {"PyTorch"}
    register(RECORDER)
    rows = {row["format"]: row for row in nbprof.load(logs).runs().to_pylist()}
    assert set(rows) == {"PyTorch", "Toy"}
    toy = rows["Toy"]
    assert (toy["worker"], toy["rank"], toy["device_type"]) == ("mine", 3, "tpu")


def test_its_tables_are_those_of_the_file(register: Register, logs: Path) -> None:
    register(RECORDER)
    trace = nbprof.load(logs / "mine.toy.csv").trace()
    assert trace.steps()["step"].to_pylist() == [1, 2]
    assert trace.kernels().to_pylist()[0]["calls"] == 2
    [row] = [row for row in trace.operators().to_pylist() if row["name"] == "matmul"]
    assert (row["calls"], row["host_total_us"]) == (2, 30.0)
    assert trace.filter(steps=1).kernels()["total_us"].to_pylist() == [15.0]
    part = nbprof.load(logs / "mine.toy.csv", steps=1).trace()
    assert part.kernels().equals(trace.filter(steps=1).kernels())


def test_hints_and_words_are_its_own(register: Register, logs: Path) -> None:
    register(RECORDER)
    trace = nbprof.load(logs / "mine.toy.csv").trace()
    assert trace.model.dialect == toy_recorder.DIALECT
    said = hints(trace.model)
    assert said["memory"].endswith("toy --memory.")
    assert said["stacks"] == "No call stacks in this trace."
    column = trace.kernels().schema.field("matrix_unit_used")
    assert column.metadata[b"term"] == b"Toy Multipliers"
    shown = nbprof.show(logs / "mine.toy.csv", view="memory").static()
    assert "TPU 0" in shown.text
    assert "Toy Multipliers" in shown.text


def test_nothing_of_it_is_kept_on_disk(
    register: Register, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows when its code changes."""
    register(RECORDER)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(cache_files, "SMALLEST_EVENTS", 0)
    for trace in nbprof.load(logs):
        trace.read()
    assert {entry.key["path"] for entry in entries(with_keys=True)} <= {
        str(trace._content.stamp[0]) for trace in nbprof.load(logs) if trace.file.format != "Toy"
    }


def test_the_name_of_a_recorder_gives_its_dialect(register: Register) -> None:
    register(RECORDER)
    assert dialect_of({"format": "Toy"}) == toy_recorder.DIALECT
    assert dialect_of({"format": "nobody's"}) == PLAIN


def test_a_file_of_another_version_is_skipped(register: Register, logs: Path) -> None:
    register(RECORDER)
    (logs / "old.toy.csv").write_text(TEXT.replace("toy 1", "toy 0"))
    profile = nbprof.load(logs)
    assert len(profile) == 2
    [skipped] = profile.skipped().to_pylist()
    assert skipped["reason"] == "it was written by version 0 of toy"


def test_a_recorder_without_a_look_takes_what_is_called_so(register: Register, logs: Path) -> None:
    register(replace(RECORDER, look=None))
    assert len(nbprof.load(logs)) == 2


@pytest.mark.parametrize("part", ["look", "file_name"])
def test_one_that_fails_to_look_loses_nothing_else(
    register: Register, logs: Path, part: str
) -> None:
    def fail(_: Any) -> Any:
        message = "no idea"
        raise KeyError(message)

    register(replace(RECORDER, name="Broken", **{part: fail}))
    with pytest.warns(nbprof.ExtensionWarning, match="recorder 'Broken' failed. KeyError"):
        profile = nbprof.load(logs)
    assert {row["format"] for row in profile.runs().to_pylist()} == {"PyTorch"}


def test_one_that_fails_to_read_loses_its_file_alone(register: Register, logs: Path) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        message = "no idea"
        raise ValueError(message)

    register(replace(RECORDER, name="Broken", read=fail))
    profile = nbprof.load(logs)
    with pytest.raises(TraceFormatError, match=r"recorder 'Broken' failed\. ValueError: no idea"):
        profile.trace(worker="mine").read()
    [skipped] = profile.skipped().to_pylist()
    assert "Broken" in skipped["reason"]
    assert profile.trace().kernels() is not None


def test_a_package_brings_its_recorder(
    tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "toys-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    toy = "tests.support.recordings.toy_recorder:RECORDER"
    points = f"[nbprof.recorders]\nToy = {toy}\nBad = nothing:HERE\n"
    (info / "entry_points.txt").write_text(points)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setattr(RECORDERS, "_entry_points", None)
    with pytest.warns(nbprof.ExtensionWarning, match="recorder 'Bad' of the package 'toys'"):
        profile = nbprof.load(logs)
    assert "Toy" in profile.runs()["format"].to_pylist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(nbprof.load(logs)) == 2


def test_a_name_of_its_own_is_asked_for(register: Register) -> None:
    with pytest.raises(ValueError, match="'PyTorch' of its own"):
        register(replace(RECORDER, name="PyTorch"))


def test_tables_that_do_not_fit_a_model_say_why() -> None:
    slices = {"name": ["a"], "start_ns": [0], "duration_ns": [1]}
    with pytest.raises(TraceFormatError, match="host takes no column 'colour'"):
        nbprof.build_model(host={**slices, "colour": ["red"]})
    with pytest.raises(TraceFormatError, match="device has no kind 'operator'"):
        nbprof.build_model(device={**slices, "kind": ["operator"]})
    with pytest.raises(TraceFormatError, match="host has no column 'duration_ns'"):
        nbprof.build_model(host={"name": ["a"], "start_ns": [0]})
    with pytest.raises(TraceFormatError, match="of host is invalid"):
        nbprof.build_model(host={**slices, "correlation": ["first"]})


def test_slices_of_several_threads_and_memory() -> None:
    model = nbprof.build_model(
        host=pa.table(
            {
                "name": ["b", "a", "inside"],
                "thread": [1 << 40, 7, 7],
                "start_ns": [20, 10, 10],
                "duration_ns": [5, 9, 2],
            }
        ),
        memory={"time_ns": [40, 12], "bytes": [-8, 8], "address": [1, 1]},
        metadata={"profile_memory": True},
    )
    assert model.metadata["epoch_ns"] == 10
    assert model.metadata["end_ns"] == 30
    assert model.metadata["events"] == 5
    assert model.tables["threads"]["tid"].to_pylist() == [1 << 40, 7]
    assert model.tables["host"]["name"].to_pylist() == ["b", "a", "inside"]
    assert model.nesting.depth.tolist() == [0, 0, 1]
    assert model.tables["memory"]["bytes"].to_pylist() == [8, -8]
