"""Every code block of the README runs, in order, with only what its reader has."""

from __future__ import annotations

import shlex
import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.cli import main
from tests.conftest import ROOT
from tests.support.blocks import blocks
from tests.support.programs.s3 import serving
from tests.support.recordings.labels import write_labelled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BLOCKS = blocks(ROOT / "README.md")
PYTHON = [code for language, code in BLOCKS if language == "python"]
CONSOLE = [line for language, code in BLOCKS if language == "console" for line in code.splitlines()]
RECORDING = next(code for code in PYTHON if "torch.profiler" in code)
ENGINE = tuple(f"execute_context_0(0)_generation_{n}({n})" for n in (4, 5, 6, 7))


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with profiles of training and of serving, in which the reader works."""
    shutil.copytree(ROOT / "tests/samples/gpu_resnet_synthetic", tmp_path / "logs")
    write_labelled(tmp_path / "serving" / "worker0.1700000000000.pt.trace.json", ENGINE)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    nbprof.options.reset()


class _Cluster:
    """Stands for the client of a Dask cluster, of which nbprof takes the executor."""

    def get_executor(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(2)


def test_the_python_blocks_run_in_order(reader: Path) -> None:
    with serving() as server:
        server.upload(reader / "logs", "bucket/logs")
        names: dict[str, Any] = {"nbprof": nbprof, "client": _Cluster()}
        for code in PYTHON:
            if code is not RECORDING:
                run = code.replace("s3://bucket/logs/", server.url("bucket/logs"))
                exec(compile(run, "README.md", "exec"), names)  # noqa: S102 - our own README
    assert names["view"].errors == []
    assert (reader / "report.html").stat().st_size > 0
    assert (reader / "part.json.gz").stat().st_size > 0
    assert (reader / "stacks.txt").stat().st_size > 0


def test_the_commands_run(reader: Path, capfd: pytest.CaptureFixture[str]) -> None:
    commands = [line for line in CONSOLE if line.startswith("nbprof ")]
    assert len(commands) > 5
    for line in commands:
        words = shlex.split(line, comments=True)[1:]
        assert main(words) == 0, (line, capfd.readouterr().err)
    assert (reader / "report.html").stat().st_size > 0


def test_the_other_commands_are_targets_of_make() -> None:
    targets = (ROOT / "Makefile").read_text()
    others = [line.split() for line in CONSOLE if line and not line.startswith(("nbprof ", "git "))]
    assert others
    assert all(words[0] == "make" and f"\n{words[1]}:" in targets for words in others)


# What PyTorch warns of is none of ours.
@pytest.mark.filterwarnings("default")
def test_the_recording_is_what_the_other_blocks_ask_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch to record a profile")
    monkeypatch.chdir(tmp_path)
    layer = torch.nn.Linear(4, 4)
    names = {"loader": torch.ones(10, 2, 4), "train": lambda batch: layer(batch).sum().backward()}
    exec(compile(RECORDING, "README.md", "exec"), names)  # noqa: S102 - our own README
    trace = nbprof.load("logs/").trace(worker="worker0")
    assert trace.steps()["step"].to_pylist() == [2, 3, 4, 5, 6]
    assert trace.modules().num_rows
    assert trace.memory_peak().num_rows
