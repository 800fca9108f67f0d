"""Whatever writes a file that the user named respects what is there."""

from __future__ import annotations

import ast
import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.cli import main
from nbprof.sources.kineto.live.kept_results import KeptResults
from nbprof.sources.output import leftovers
from tests.cli.conftest import trace_json
from tests.cli.running import environment
from tests.house.test_house import PACKAGE, SOURCES
from tests.support.syntax import tree_of
from tests.support.traces import write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Export = Callable[[str], object]

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")

COMMANDS = {
    "nbprof html": ("html", "LOGS"),
    "nbprof trace": ("trace", "LOGS"),
    "nbprof table": ("table", "LOGS", "kernels"),
    "nbprof diff": ("diff", "LOGS", "LOGS", "--format", "md"),
    "nbprof bottleneck": ("bottleneck", "--output", "OUT", "program.py"),
}
METHODS = ("to_html", "to_svg", "to_png", "to_chrome_trace", "export_stacks", "save")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with nothing but what a test makes, which is the current one."""
    place = tmp_path / "out"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


@pytest.fixture(params=[*METHODS, *COMMANDS])
def export(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Export]:
    """Each function that writes a file."""
    logs = write(tmp_path / "w0.1700000000000.pt.trace.json", json.dumps(trace_json()))
    if request.param in COMMANDS:
        program = tmp_path / "program.py"
        program.write_text("print(1)")
        named = {"LOGS": str(logs), "program.py": str(program)}

        def call(path: str) -> None:
            words = [named.get(word, word) for word in COMMANDS[request.param]]
            if "OUT" in words:
                words[words.index("OUT")] = path
            else:
                words += ["-o", path]
            assert main(words) == 0

        yield call
        return
    view = nbprof.KernelsView(logs)
    fake = SimpleNamespace(svg2png=lambda **_: b"pixels")
    monkeypatch.setitem(sys.modules, "cairosvg", fake)
    results: Any = KeptResults(None, SimpleNamespace(content=lambda: b"{}"))  # type: ignore[arg-type]
    yield {
        "to_chrome_trace": view.trace.to_chrome_trace,
        "export_stacks": view.trace.export_stacks,
        "save": results.save,
    }.get(request.param) or getattr(view, request.param)
    view.close()


@posix
def test_an_export_respects_what_is_there(export: Export, folder: Path) -> None:
    Path("file").write_bytes(b"old")
    Path("file").chmod(0o600)
    Path("link").symlink_to("file")
    Path("null").symlink_to(os.devnull)
    Path(leftovers.new_name("file")).write_bytes(b"left by a writer that was killed")
    export("link")
    content = Path("file").read_bytes()
    assert content != b"old"
    assert stat.S_IMODE(Path("file").stat().st_mode) == 0o600
    assert Path("link").is_symlink()
    export("null")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    export("x" * 255)
    assert stat.S_IMODE(Path("x" * 255).stat().st_mode) & 0o600 == 0o600
    os.mkfifo("pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_bytes()))
    reader.start()
    export("pipe")
    reader.join()
    assert bool(read[0]) == bool(content)
    there = {path.name for path in folder.iterdir()}
    assert there == {"file", "link", "null", "pipe", "x" * 255}


@posix
@pytest.mark.parametrize("path", ["folder", "no/file"])
def test_an_export_says_which_file_it_cannot_write(
    export: Export, folder: Path, path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("folder").mkdir()
    try:
        export(path)
    except OSError as error:
        assert error.filename == path  # noqa: PT017 - of methods; commands print it
    except AssertionError:
        reason = "Is a directory" if path == "folder" else "No such file or directory"
        assert capfd.readouterr().err.splitlines()[-1] == f"nbprof: {path}: {reason}"
    else:
        pytest.fail("it was written")
    assert [one.name for one in folder.rglob("*")] == ["folder"]


@posix
def test_a_command_that_is_terminated_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    logs = write(tmp_path / "w0.1700000000000.pt.trace.json", json.dumps(trace_json()))
    code = (
        "import sys, time\n"
        "from nbprof.cli import main\n"
        "from nbprof.sources.output import temporary\n"
        "from nbprof.sources.writing import trace\n"
        "temporary._UNNAMED = None\n"
        "trace.events = lambda *_: print('writing', flush=True) or time.sleep(600)\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    words = [sys.executable, "-c", code, "trace", str(logs), "-o", "file"]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        assert [one.suffix for one in folder.iterdir()] == [".part"]
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate()
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out, err) == (143, "", "")
    assert list(folder.iterdir()) == []


@posix
def test_a_program_keeps_what_it_does_at_a_signal(tmp_path: Path) -> None:
    def own(*_: object) -> None:
        """Do nothing."""

    for handler in (signal.SIG_DFL, own):
        before = signal.signal(signal.SIGTERM, handler)
        try:
            assert main(["info", str(tmp_path)]) == 1
            assert signal.getsignal(signal.SIGTERM) is handler
        finally:
            signal.signal(signal.SIGTERM, before)


#: Functions that write files which no user named, or that can import nothing of nbprof.
OTHER_WRITERS = {
    "cli/bottleneck/child.py": {"write_text"},
    "sources/sqlite/local.py": {"open"},
}


def test_all_files_are_written_by_one_writer() -> None:
    found: dict[str, set[str]] = {}
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and (name := writing(node)):
                found.setdefault(path.relative_to(PACKAGE).as_posix(), set()).add(name)
    assert found == OTHER_WRITERS


def writing(call: ast.Call) -> str:
    """Name the function that a call writes a file with; "" if it writes none."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in {"write_text", "write_bytes"} and isinstance(call.func, ast.Attribute):
        return name
    words = [*call.args, *(one.value for one in call.keywords if one.arg == "mode")]
    modes = [one.value for one in words if isinstance(one, ast.Constant)]
    writes = any(isinstance(one, str) and re.fullmatch("[wax][bt+]*", one) for one in modes)
    return name if name == "open" and writes else ""
