"""``nbprof bottleneck``: programs run as without it, and are summed up however they end."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.cli.bottleneck.runs import has_torch
from tests.cli.running import PROGRAM, environment

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """\
import os, sys
import helper
assert __name__ == "__main__" and sys.modules["__main__"].__dict__ is globals()
assert __spec__ is None
def work():
    return sum(sorted(range(2000)))
print("args", sys.argv, "file", __file__, "first", sys.path[0], "in", os.getcwd())
for _ in range(20):
    work()
if "fail" in sys.argv:
    raise ValueError("no \\x1b[31m way")
if "kill" in sys.argv:
    os._exit(7)
if "words" in sys.argv:
    sys.exit("some words")
sys.exit(int(os.environ.get("STATUS", "0")))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "train.py").write_text(SCRIPT)
    (tmp_path / "code" / "helper.py").write_text("value = 1\n")
    return tmp_path


def run(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, "bottleneck", *words],
        cwd=folder,
        env={**environment(), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def said(text: str) -> str:
    """Return what the program printed, of the first run."""
    return next(line for line in text.splitlines() if line.startswith("args"))


def test_the_program_sees_what_it_would_see(folder: Path) -> None:
    words = ["code/train.py", "--steps", "-5", "-o", "x"]
    plain = subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    found = run(folder, *words)
    assert found.returncode == 0, found.stderr
    assert said(found.stdout) == said(plain.stdout)
    assert not (folder / "x").exists()
    assert re.search(r"\n +20 .*train\.py\(5\): work\n", found.stdout)
    assert "child.py" not in found.stdout
    assert "What to look at first" in found.stdout


def test_a_module(folder: Path) -> None:
    script = (folder / "code" / "train.py").read_text().replace("import helper\n", "")
    package = folder / "package"
    package.mkdir()
    (package / "__main__.py").write_text(script.replace("assert __spec__ is None\n", ""))
    plain = subprocess.run(
        [sys.executable, "-m", "package", "a"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    found = run(folder, "-m", "package", "a")
    assert found.returncode == 0, found.stderr
    assert said(found.stdout) == said(plain.stdout)


@pytest.mark.parametrize(
    ("word", "status", "error"), [("fail", 1, "ValueError: no"), ("words", 1, "some words")]
)
def test_a_program_that_fails(folder: Path, word: str, status: int, error: str) -> None:
    found = run(folder, "code/train.py", word)
    assert found.returncode == status
    assert error in found.stderr
    assert f"exit status {status}" in found.stdout
    assert ": work" in found.stdout
    if word == "fail":
        assert "child.py" not in found.stderr
        assert 'train.py", line 11, in <module>' in found.stderr


def test_its_exit_status(folder: Path) -> None:
    found = run(folder, "code/train.py", STATUS="3")
    assert found.returncode == 3
    assert "ended with status 3" in found.stdout
    assert ": work" in found.stdout


def test_a_program_that_leaves_nothing(folder: Path) -> None:
    found = run(folder, "code/train.py", "kill")
    assert found.returncode == 7
    assert "nothing was recorded" in found.stdout


def test_the_environment_is_not_listed(folder: Path) -> None:
    found = run(folder, "code/train.py", MY_VARIABLE="hunter2", OMP_NUM_THREADS="3")
    assert "OMP_NUM_THREADS" in found.stdout
    assert "hunter2" not in found.stdout
    assert "MY_VARIABLE" not in found.stdout


def test_page_and_recordings(folder: Path) -> None:
    found = run(folder, "-o", "report.html", "--recordings", "kept", "code/train.py")
    assert found.returncode == 0, found.stderr
    page = (folder / "report.html").read_text()
    assert "What to look at first" in page
    assert "Functions by self time" in page
    assert "<script" not in page
    assert "<h1>train.py</h1>" in page
    assert "nbprof-" not in page.replace("nbprof-summary", "")
    profile = nbprof.load(folder / "kept", progress=False)
    assert "Python profile" in profile.runs()["format"].to_pylist()


def test_control_characters_are_written_out(folder: Path) -> None:
    name = "code/tr\x1b[31m.py"
    (folder / name).write_text("def f(): pass\nf()\n")
    found = run(folder, name)
    assert "\x1b" not in found.stdout + found.stderr
    assert "\\x1b[31m" in found.stdout


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("gone.py",), "There is no file 'gone.py'"),
        (("-o", "-", "code/train.py"), "cannot be written to stdout"),
        (("-o", "gone/x.html", "code/train.py"), "gone"),
        ((), "required"),
    ],
)
def test_mistakes(folder: Path, words: tuple[str, ...], error: str) -> None:
    found = run(folder, *words)
    assert found.returncode in (1, 2)
    assert error in found.stderr
    assert "args" not in found.stdout


def test_broken_programs(folder: Path) -> None:
    (folder / "broken.py").write_text("def (:\n")
    found = run(folder, "broken.py")
    assert found.returncode == 1
    assert "SyntaxError" in found.stderr
    assert run(folder, "-m", "no_such_module").returncode == 1


@pytest.mark.skipif(not has_torch(), reason="PyTorch is not installed")
def test_operators(folder: Path) -> None:
    (folder / "net.py").write_text(
        "import torch\nx = torch.randn(64, 64)\nfor _ in range(20):\n    x = x @ x / 64\n"
    )
    found = run(folder, "-o", "report.html", "net.py")
    assert found.returncode == 0, found.stderr
    assert "Operators by host self time" in found.stdout
    assert re.search(r"aten::mm +20", found.stdout)
    assert "aten::mm" in (folder / "report.html").read_text()


@pytest.mark.skipif(has_torch(), reason="PyTorch is installed")
def test_without_torch(folder: Path) -> None:
    found = run(folder, "code/train.py")
    assert "not installed: operators are not measured" in found.stdout
    assert "run 1 of 1" in found.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_sigterm_ends_the_program_and_leaves_nothing(folder: Path) -> None:
    code = (
        "import signal, sys, time\n"
        "def leave(*_):\n"
        "    print('leaving', flush=True)\n"
        "    sys.exit()\n"
        "signal.signal(signal.SIGTERM, leave)\n"
        "print('running', flush=True)\n"
        "time.sleep(600)\n"
    )
    (folder / "code" / "slow.py").write_text(code)
    (folder / "temporary").mkdir()
    process = subprocess.Popen(
        [*PROGRAM, "bottleneck", "code/slow.py"],
        cwd=folder,
        env={**environment(), "TMPDIR": str(folder / "temporary")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        assert list((folder / "temporary").iterdir())
        process.terminate()
        out, err = process.communicate()
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out) == (143, "leaving\n")
    assert "Traceback" not in err
    assert list((folder / "temporary").iterdir()) == []
