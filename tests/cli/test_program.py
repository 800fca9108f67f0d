"""The command line as a program: exit codes and output that the shell sees."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.running import PROGRAM, environment


def run(*words: object, **options: object) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, *map(str, words)]
    return subprocess.run(
        command, check=False, capture_output=True, text=True, env=environment(), **options
    )


def test_version_and_help() -> None:
    import nbprof

    assert run("--version").stdout == f"nbprof {nbprof.__version__}\n"
    done = run("--help")
    assert done.returncode == 0
    assert "info" in done.stdout
    assert "table" in done.stdout
    assert "kernels" in run("table", "--help").stdout


@pytest.mark.parametrize("command", ["", "info", "table", "trace", "html", "cache"])
def test_help_imports_nothing_heavy(command: str) -> None:
    words = [*command.split(), "--help"]
    heavy = "{'anywidget', 'bokeh', 'fsspec', 'msgspec', 'numpy', 'pandas', 'pyarrow'}"
    code = (
        f"import sys; from nbprof.cli import main; main({words});"
        f"sys.exit(','.join({heavy} & sys.modules.keys()) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, env=environment()
    )
    assert done.stderr == ""


def test_a_table_imports_no_widget(logdir: Path) -> None:
    code = (
        "import sys; from nbprof.cli import main; main(sys.argv[1:]);"
        "sys.exit(','.join({'bokeh', 'anywidget', 'ipywidgets'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "table", str(logdir / "eval"), "steps"],
        check=False,
        capture_output=True,
        text=True,
        env=environment(),
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "words", [("table", "runs"), ("info",), ("table", "kernels", "--format=csv")]
)
def test_a_closed_pipe_ends_it_silently(logdir: Path, words: tuple[str, ...]) -> None:
    process = subprocess.Popen(
        [*PROGRAM, words[0], str(logdir / "eval"), *words[1:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdout is not None
    process.stdout.close()  # before it writes a byte
    assert process.stderr is not None
    with process.stderr as stream:
        said = stream.read()
    assert (process.wait(timeout=60), said) == (0, b"")


def test_help_into_a_closed_pipe() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*PROGRAM, "--help"], check=False, stdout=writer, stderr=subprocess.PIPE, env=environment()
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_is_told(logdir: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, "table", str(logdir), "runs"],
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
    assert (done.returncode, done.stderr) == (1, "nbprof: stdout: No space left on device\n")


def test_names_that_the_terminal_cannot_show(logdir: Path) -> None:
    path = logdir / "eval" / "w0.1700000000000.pt.trace.json"
    path.write_text(path.read_text().replace("aten::mm", "aten::模"), "utf-8")
    words = [*PROGRAM, "table", str(logdir / "eval"), "operators", "--columns", "name"]
    ascii_only = {**environment(), "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(words, check=False, capture_output=True, env=ascii_only)
    assert done.stdout.split() == [b"name", b"aten::\\u6a21"]
    done = subprocess.run(
        [*words, "--format=csv"], check=False, capture_output=True, env=ascii_only
    )
    assert done.stdout.split() == [b"name", "aten::模".encode()]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo terminals")
@pytest.mark.parametrize("format_", ["parquet", "arrow"])
def test_binary_is_kept_from_a_terminal(logdir: Path, tmp_path: Path, format_: str) -> None:
    import pty

    main_end, terminal = pty.openpty()
    words = [*PROGRAM, "table", str(logdir / "eval"), "steps", "--format", format_]
    with os.fdopen(main_end, "rb", 0), os.fdopen(terminal, "wb", 0) as screen:
        done = subprocess.run(
            words, check=False, stdout=screen, stderr=subprocess.PIPE, text=True, env=environment()
        )
        assert done.returncode == 2
        assert "-o" in done.stderr
        words += ["-o", str(tmp_path / "steps")]
        assert subprocess.run(words, check=False, stdout=screen, env=environment()).returncode == 0
    assert (tmp_path / "steps").stat().st_size > 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_ctrl_c_is_silent(tmp_path: Path) -> None:
    # A named pipe that nobody writes to: reading it goes on until the signal comes. Where the tests
    # run in the background of a shell, programs inherit that they ignore it.
    source = tmp_path / "w0.1.pt.trace.json"
    os.mkfifo(source)
    code = (
        "import signal, sys, nbprof.cli.table, nbprof.cli as cli;"
        "signal.signal(signal.SIGINT, signal.default_int_handler);"
        "nbprof.cli.table.load = lambda *a, **k: (print('reading', flush=True), open(sys.argv[2]));"
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "table", str(source), "steps"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "reading\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out, err) == (130, "", "")
