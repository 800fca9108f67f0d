"""A recorder claims the objects of a profiler by class, and they are read as its files are."""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

import nbprof
from nbprof.sources.live.export import exported
from nbprof.sources.recorders import RECORDERS
from tests.support.traces import op

if TYPE_CHECKING:
    from collections.abc import Iterator


class Toy:
    """A profiler that keeps what it recorded in memory."""

    def __init__(self, *names: str) -> None:
        self.running = not names
        self.file = made(*names)

    def export_chrome_trace(self, path: str) -> None:
        """Look like the profilers that nbprof knows."""


class Derived(Toy):
    """What a user derives from it."""


class Folder:
    """A profiler that has written files of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path


def text(*names: str) -> bytes:
    """Return a trace of operators and labels, 10 µs apart."""
    kinds = ["user_annotation" if "label" in name else "cpu_op" for name in names]
    events = [
        op(name, 10 * at, 5, cat=kind)
        for at, (name, kind) in enumerate(zip(names, kinds, strict=True))
    ]
    return json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()


def made(*names: str) -> nbprof.MemoryFile:
    return nbprof.MemoryFile("rank3.pt.trace.json", text(*names), run="live")


def take(toy: Toy) -> nbprof.MemoryFile:
    if toy.running:
        message = "This toy is running: call stop()."
        raise nbprof.SourceError(message)
    return toy.file


def take_or_fail(folder: Folder) -> Path:
    if not folder.path.exists():
        message = "no folder"
        raise RuntimeError(message)
    return folder.path


RECORDER = nbprof.Recorder(
    name="Toys",
    read="nbprof.sources.kineto.reading:read",
    patterns=("*.toys",),
    live={f"{__name__}.Toy": take, f"{__name__}.Folder": f"{__name__}:take_or_fail"},
)


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    nbprof.register(RECORDER)
    yield
    RECORDERS.unregister(RECORDER.name)


def names(profile: Any) -> list[str]:
    found: list[str] = profile.trace().operators()["name"].to_pylist()
    return found


@pytest.mark.parametrize("kind", [Toy, Derived])
def test_an_object_is_read_as_its_file(kind: type[Toy], tmp_path: Path) -> None:
    toy = kind("aten::add", "aten::mul")
    profile = nbprof.load(toy)
    (tmp_path / toy.file.name).write_bytes(toy.file.content())
    file = nbprof.load(tmp_path)
    assert profile.trace().operators() == file.trace().operators()
    assert profile.trace().metadata == file.trace().metadata
    of_file, of_object = file.runs().to_pylist()[0], profile.runs().to_pylist()[0]
    changed = {"run", "path"}
    assert {k for k in of_file if of_file[k] != of_object[k]} == changed
    assert of_object["rank"] == 3
    assert profile.source is toy
    assert repr(profile) == "<nbprof.Profile tests.Toy: 1 run, 1 worker, 1 trace>".replace(
        "Toy", kind.__name__
    )


def test_a_part_of_it_and_other_steps_are_read() -> None:
    toy = Toy("aten::add", "label 1", "aten::mul", "label 2")
    assert names(nbprof.load(toy, time_us=(0, 10))) == ["aten::add"]
    assert nbprof.load(toy).with_step("label").source is toy


def test_refreshing_shows_the_latest_recording() -> None:
    toy = Toy("aten::add")
    profile = nbprof.load(toy)
    first = profile.trace()
    assert names(profile.refresh()) == ["aten::add"]
    assert profile.trace().model is first.model
    toy.file = made("aten::mul")
    assert names(profile.refresh()) == ["aten::mul"]
    toy.running = True  # the one before stays
    assert names(profile.refresh()) == ["aten::mul"]


def test_one_that_is_running_says_what_to_do() -> None:
    for function in (nbprof.load, nbprof.show):
        with pytest.raises(nbprof.SourceError, match=r"call stop\(\)"):
            function(Toy())


def test_paths_of_its_files_are_taken(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "rank1.pt.trace.json").write_bytes(text("aten::add"))
    assert names(nbprof.load(Folder(tmp_path / "logs"))) == ["aten::add"]


def test_an_error_of_the_profiler_names_the_recorder(tmp_path: Path) -> None:
    words = r"'Toys' could not read this tests\.Folder\. RuntimeError: no folder\."
    with pytest.raises(nbprof.SourceError, match=words):
        nbprof.load(Folder(tmp_path / "none"))


@pytest.mark.parametrize("given", [None, 7, [7], {}])
def test_what_is_no_file_is_refused(given: Any) -> None:
    toy = Toy("aten::add")
    toy.file = given
    with pytest.raises(nbprof.SourceError, match="in place of files"):
        nbprof.load(toy)


def test_errors_that_are_long_or_cannot_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    class UnshownError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    for error, words in ((UnshownError(), "no message"), (OSError("\x1b]0;" * 9999), "0;…")):
        toy = Toy("aten::add")
        monkeypatch.setattr(Toy, "running", property(mock.Mock(side_effect=error)), raising=False)
        with pytest.raises(nbprof.SourceError, match=words) as caught:
            nbprof.load(toy)
        assert len(str(caught.value)) < 5000
        assert "\x1b" not in str(caught.value)
        monkeypatch.undo()


def test_a_view_shows_it_and_is_shown_again() -> None:
    toy = Toy("aten::add")
    for _ in range(2):
        view = nbprof.Explorer(toy, view="operators")
        assert view.table["name"].to_pylist() == ["aten::add"]
        toy.file = made("aten::add", "aten::mul")
        view.refresh()
        assert view.table.num_rows == 2
        assert view.errors == []
        assert "tests.Toy" in repr(nbprof.load(toy))
        view.close()
        toy.file = made("aten::add")


def test_nothing_of_it_is_kept_alive() -> None:
    toy = Toy("aten::add")
    profile = nbprof.load(toy)
    assert profile.trace().operators().num_rows == 1
    kept = weakref.ref(toy.file)
    del profile, toy
    gc.collect()
    assert kept() is None


def test_what_is_exported_is_deleted_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen: list[Path] = []

    def write(path: str) -> None:
        seen.append(Path(path))
        assert Path(path).parent.stat().st_mode & 0o077 == 0
        Path(path).write_text(json.dumps([]))

    def fail(path: str) -> None:
        write(path)
        raise RuntimeError

    assert exported(write, "a.json") == b"[]"
    with pytest.raises(RuntimeError):
        exported(fail, "a.json")
    assert len(seen) == 2
    assert list(tmp_path.iterdir()) == []


def test_no_profiler_is_imported_to_recognise_one() -> None:
    before = set(sys.modules)
    nbprof.load(Toy("aten::add"))
    assert "torch" in before or "torch" not in sys.modules
