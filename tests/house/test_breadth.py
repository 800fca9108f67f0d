"""`make test` covers every registered table, view, format and command."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.cli import arguments, main
from nbprof.export.scripts import view_scripts
from nbprof.export.table_formats import FORMATS
from nbprof.sources.recorders import RECORDERS
from nbprof.widgets.views.registry import VIEWS
from nbprof.widgets.views.spec import GENERIC_SCRIPT, ViewSpec
from nbprof.widgets.views.tabs import tab_info
from tests.analysis.nsys.test_libraries import write_libraries
from tests.conftest import ROOT
from tests.long_tests import LONG, reason
from tests.sources.memory_snapshots import test_memory_snapshot, test_memory_timeline
from tests.sources.nsight.exports import write_export
from tests.sources.nvprof.test_reading import write_profile
from tests.sources.other_chrome import programs
from tests.support.recordings import python_profiles
from tests.support.recordings.runs import RUNS
from tests.support.tables import PROFILE_TABLES, TRACE_TABLES

if TYPE_CHECKING:
    from pathlib import Path

#: One sample of every recorder.
SAMPLES = (
    "gpu_resnet_synthetic",
    "npu_convnet_synthetic",
    "paddle_cpu_convnet",
    "torch_cpu_convnet",
)

pytestmark = pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, nbprof.Profile]:
    """The samples, and a file of each format that they do not have."""
    folder = tmp_path_factory.mktemp("memory")
    (folder / "mem.raw.json").write_text(json.dumps(test_memory_timeline.CHANGES))
    test_memory_snapshot.dump(folder / "snapshot.pickle", test_memory_snapshot.history())
    python_profiles.recorded(folder)
    write_export(folder / "report.sqlite")
    write_libraries(folder / "libraries.sqlite")
    write_profile(folder / "net.sql", "CUPTI_ACTIVITY_KIND_KERNEL", again_ns=10**9)
    programs.write(folder / "host.trace.json.gz", programs.jax())
    programs.write(folder / "result.json", programs.viztracer())
    found = {path.name: nbprof.load(path, progress=False) for path in folder.iterdir()}
    return {**{name: nbprof.load(RUNS / name) for name in SAMPLES}, **found}


def test_every_format_is_read(profiles: dict[str, nbprof.Profile]) -> None:
    read = {file.format for profile in profiles.values() for file in profile.files}
    assert read == set(RECORDERS.names())


@pytest.mark.parametrize("name", TRACE_TABLES)
def test_every_table_of_a_trace(profiles: dict[str, nbprof.Profile], name: str) -> None:
    made = [profile.trace().table(name) for profile in profiles.values()]
    assert all(table.num_columns for table in made)
    assert any(table.num_rows for table in made)


@pytest.mark.parametrize("name", PROFILE_TABLES)
def test_every_table_of_a_profile(profiles: dict[str, nbprof.Profile], name: str) -> None:
    made = [profiles[sample].table(name) for sample in SAMPLES]
    assert all(table.num_columns for table in made)
    assert name == "skipped" or any(table.num_rows for table in made)


@pytest.mark.parametrize("view", VIEWS.names())
def test_every_view_has_a_table_and_a_summary(
    profiles: dict[str, nbprof.Profile], view: str
) -> None:
    holds = VIEWS[view].needs or ("device",)
    profile = profiles["main.pstats" if "functions" in holds else "gpu_resnet_synthetic"]
    compared: Any = {"worker": "worker1"} if "comparison" in VIEWS[view].content else None
    shown = nbprof.Explorer(profile, view=view, baseline=compared)
    try:
        assert shown.active == view
        assert shown.table.num_rows > 0
        assert "<table" in shown.static()._repr_html_()
        assert shown.errors == []
    finally:
        shown.close()


def test_the_generic_panel_draws_what_names_no_script() -> None:
    assert "tests/browser/pages/test_extending.py" not in LONG
    assert GENERIC_SCRIPT in view_scripts()
    view = ViewSpec(name="mine", title="Mine", tables=("steps",))
    assert tab_info(view)["script"] == GENERIC_SCRIPT


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_of_a_table(tmp_path: Path, format_: str) -> None:
    path = tmp_path / "table"
    logdir = str(ROOT / "tests/samples/gpu_resnet_synthetic")
    assert main(["table", logdir, "steps", "--format", format_, "-o", str(path)]) == 0
    assert path.stat().st_size > 0


#: Words after each command; ``{out}`` is a file to write.
COMMANDS = {
    "info": ("{logdir}",),
    "table": ("{logdir}", "kernels"),
    "diff": ("{logdir}", "{logdir}"),
    "prof": ("{logdir}", "--csv"),
    "trace": ("{logdir}", "--steps", "3", "-o", "{out}.json"),
    "html": ("{logdir}", "-o", "{out}.html"),
    "cache": (),
    "bottleneck": ("-o", "{out}", "-m", "calendar"),
}


def test_every_command_is_tried() -> None:
    (commands,) = (
        action.choices
        for action in arguments._parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    assert set(commands) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command(tmp_path: Path, command: str, capfd: pytest.CaptureFixture[str]) -> None:
    logdir = str(ROOT / "tests/samples/gpu_resnet_synthetic")
    words = [word.format(logdir=logdir, out=tmp_path / "out") for word in COMMANDS[command]]
    assert main([command, *words]) == 0
    written = list(tmp_path.iterdir())
    said = "".join(capfd.readouterr())
    assert written or said


def test_nothing_here_is_long() -> None:
    assert reason("tests/house/test_breadth.py::test_every_command[info]") is None
    assert reason("tests/browser/pages/test_views.py::test_every_view_is_drawn[overview]") is None


@pytest.mark.parametrize("key", LONG)
def test_what_is_listed_as_long_is_there(key: str) -> None:
    path, _, name = key.partition("::")
    assert (ROOT / path).exists()
    function = name.partition("[")[0]
    assert not name or f"def {function}(" in (ROOT / path).read_text("utf-8")
