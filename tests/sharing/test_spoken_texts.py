"""What is printed and told while recordings are read names no folder, host or user either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.cli import main
from tests.sharing import planted
from tests.sharing.forms import of_view
from tests.sharing.planted import DATA
from tests.sharing.test_planted_secrets import FOLDER, expect_none, logs_of
from tests.support import fake_torch

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", planted.FORMATS)
def test_the_progress_of_reading_names_files_below_what_was_passed(
    name: str, tmp_path: Path
) -> None:
    told: list[str] = []
    profile = nbprof.load(logs_of(name, tmp_path), progress=lambda *each: told.append(each[-1]))
    for trace in profile:
        if trace.worker != "zz":
            trace.read()
            trace.warnings()
    expect_none({"progress": told}, FOLDER, DATA)
    assert told or name == "snapshot"


@pytest.mark.parametrize("name", planted.FORMATS)
def test_pyprofs_report_names_no_place(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = planted.write(name, tmp_path / FOLDER / "logs")
    columns = "idx,dir,op,kernel,params,sil,tc,flops,bytes,trace,seq,layer,device,stream"
    for arguments in (["-w", "200"], ["--csv"], ["--csv", "-c", columns]):
        main(["prof", str(logs), *arguments])
        said = capsys.readouterr()
        expect_none({"report": said.out}, FOLDER, DATA)
        expect_none({"messages": said.err}, DATA)


def test_a_torch_profiler_is_named_by_its_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profiler: Any = fake_torch.install(monkeypatch)
    monkeypatch.setenv("HOSTNAME", DATA)
    monkeypatch.setenv("USER", DATA)
    monkeypatch.chdir(tmp_path)
    (tmp_path / FOLDER).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / FOLDER))
    with profiler.profile() as recording:
        recording.record("aten::add", hostname=DATA)
    expect_none(of_view(nbprof.Explorer(recording), tmp_path), FOLDER, DATA)
