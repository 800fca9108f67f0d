"""The magics in IPython, with a stand-in for PyTorch's profiler."""

from __future__ import annotations

import atexit
import builtins
import sys
from typing import TYPE_CHECKING, Any

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import nbprof
from nbprof.widgets.views.registry import VIEWS
from tests.conftest import ROOT
from tests.support import fake_torch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAMPLE = ROOT / "samples" / "torch_cpu_convnet"


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """An IPython that has loaded the extension, in a folder of its own."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.chdir(tmp_path)
    # IPython leaves a `_` of others alone, such as that of doctest.
    monkeypatch.delattr(builtins, "_", raising=False)
    profiler = fake_torch.install(monkeypatch)
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    shell.user_ns["record"] = profiler.record
    shell.run_line_magic("load_ext", "nbprof")
    yield shell
    atexit.unregister(shell.atexit_operations)
    shell.restore_sys_module_state()
    InteractiveShell.clear_instance()


def run(shell: Any, cell: str, line: str = "-o recording") -> Any:
    return shell.run_cell(f"%%nbprof {line}\n{cell}", store_history=True)


def steps(shell: Any) -> list[int]:
    trace = nbprof.load(shell.user_ns["recording"]).trace()
    found: list[int] = trace.steps()["step"].to_pylist()
    return found


def options(shell: Any) -> set[str]:
    given = shell.user_ns["recording"].profiler.options
    return {name for name, value in given.items() if value is True}


def test_variables_and_the_last_value_stay(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    result = run(shell, "record('aten::add')\na = 20\na + 1")
    assert result.success
    assert result.result == 21
    assert shell.user_ns["a"] == 20
    assert shell.user_ns["_"] == 21
    assert capsys.readouterr().out.count("Run live") == 1


def test_a_semicolon_hides_the_value(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run(shell, "record('aten::add')\n21;")
    assert "21" not in capsys.readouterr().out.split("Recommendations")[-1]


def test_the_cell_may_hold_magics_and_no_value(shell: Any) -> None:
    result = run(shell, "record('aten::add')\nhere = %pwd\nif here:\n    found = True")
    assert result.success
    assert result.result is None
    assert shell.user_ns["found"]


def test_an_error_is_raised_and_what_ran_is_shown(
    shell: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    result = run(shell, "record('aten::add')\nb = 2\n1 / 0")
    assert isinstance(result.error_in_exec, ZeroDivisionError)
    assert shell.user_ns["b"] == 2
    out = capsys.readouterr().out
    assert "Run live" in out
    assert "aten::add" in out
    assert "ZeroDivisionError" in out
    assert "line 3" in out, "the line of the cell"
    assert "cell_code.py" not in out


def test_it_is_run_as_often_as_asked(shell: Any) -> None:
    shell.user_ns["count"] = 0
    body = "record('aten::add')\ncount += 1\nfor _ in range(100_000): pass\ncount"
    assert run(shell, body, "-n 3 -o recording").result == 3
    assert steps(shell) == [0, 1, 2]
    assert run(shell, body, "-n 2 --warmup 2 -o recording").result == 7
    assert steps(shell) == [2, 3]
    assert run(shell, body, "--warmup 1 -o recording").result == 9
    assert steps(shell) == [1]


def test_parts_that_are_named_are_recorded_alone(shell: Any) -> None:
    run(shell, "record('aten::add')")
    assert options(shell) >= {"profile_memory", "with_stack", "record_shapes"}
    run(shell, "record('aten::add')", "--memory --shapes -o recording")
    assert options(shell) == {"profile_memory", "record_shapes", "with_flops"}
    run(shell, "record('aten::add')", "--bare -o recording")
    assert options(shell) == set()


def test_name_view_and_folder(
    shell: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(shell, "record('aten::add')", "--name mine --view operators --folder logs")
    assert "Run mine" in capsys.readouterr().out
    assert nbprof.load(tmp_path / "logs").trace().operators().num_rows == 1


MISTAKES = {
    "--view opertors": "Did you mean 'operators'?",
    "--nope": "unrecognized arguments",
    "-n 0": "counts from 1",
    "--warmup -1": "from 0",
    "--bare --memory": "--bare records none of",
    "-o 1a": "name of a variable",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes_are_named_before_the_cell_runs(
    shell: Any, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(shell, "ran = True", line)
    assert MISTAKES[line] in "".join(capsys.readouterr())
    assert "ran" not in shell.user_ns or not shell.user_ns.pop("ran")


def test_invalid_code_is_no_profile(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(run(shell, "1 +").error_in_exec, SyntaxError)
    assert "Run live" not in capsys.readouterr().out


def test_without_pytorch_it_says_what_is_missing(
    shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch.profiler", None)
    error = run(shell, "never = 1").error_in_exec
    assert isinstance(error, nbprof.RecordingError)
    assert "pip install torch" in str(error)
    assert "never" not in shell.user_ns


def test_the_line_shows_files_and_variables(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    view = shell.run_line_magic("nbprof", f"{SAMPLE} --view kernels --worker worker0")
    assert (view.active, view.worker) == ("kernels", "worker0")
    run(shell, "record('aten::add')", "-o recording --name kept")
    capsys.readouterr()
    shell.run_line_magic("nbprof", "recording")
    assert "Run kept" in capsys.readouterr().out
    shell.run_cell("%nbprof nothing_there")
    assert "nothing exists" in "".join(capsys.readouterr())


def completed(shell: Any, text: str) -> list[str]:
    with provisionalcompleter():
        found = shell.Completer.completions(text, len(text))
        return [completion.text for completion in found]


def test_arguments_complete(shell: Any) -> None:
    assert completed(shell, "%%nbprof --me") == ["--memory"]
    assert completed(shell, "%%nbprof --view ") == list(VIEWS.names())
    assert completed(shell, "%nbprof logs/ -v ker") == ["kernels"]
    assert completed(shell, "%nbprof logs/ --w") == ["--worker", "--watch"]
    assert "--memory" not in completed(shell, "%%nbprof --memory --")
    assert "--memory" not in completed(shell, "nothing = --")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("cell", ("%%nbprof [--steps STEPS]", "Record the cell", "--warmup")),
        ("line", ("%nbprof [--view VIEW]", "Show profiles", "--worker")),
    ],
)
def test_help_explains_them(shell: Any, kind: str, words: tuple[str, ...]) -> None:
    text = shell.magics_manager.magics[kind]["nbprof"].__doc__
    assert all(word in text for word in words)


def test_it_may_be_loaded_again(shell: Any) -> None:
    shell.run_line_magic("reload_ext", "nbprof")
    assert completed(shell, "%%nbprof --me") == ["--memory"]
