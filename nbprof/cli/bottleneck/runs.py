"""Runs a program under a profiler, in a process of its own, and finds what was recorded."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import nbprof
from nbprof.model.errors import NbprofError

if TYPE_CHECKING:
    from nbprof.trace import Trace

_CHILD: Final = Path(__file__).with_name("child.py")


@dataclass(frozen=True)
class Program:
    """The program to run.

    Attributes
    ----------
    target : str
        A file, or the name of a module.
    args : tuple of str
        Its arguments.
    as_module : bool
        Whether `target` is a module, as after ``python -m``.
    """

    target: str
    args: tuple[str, ...] = ()
    as_module: bool = False


@dataclass(frozen=True)
class Run:
    """One run of the program.

    Attributes
    ----------
    status : int
        Its exit status; 128 plus the signal if one ended it.
    facts : dict
        What the run wrote about itself: ``seconds``, ``ended``, and facts about PyTorch.
    trace : Trace or None
        What was recorded; None if nothing was, for the reason in `problem`.
    """

    status: int
    facts: dict[str, Any] = field(default_factory=dict)
    trace: Trace | None = None
    problem: str = ""


def has_torch() -> bool:
    """Return whether PyTorch is installed; it is not imported."""
    try:
        return importlib.util.find_spec("torch") is not None
    except (ImportError, ValueError):
        return False


def run(program: Program, profiler: str, recording: Path) -> Run:
    """Run the program under a profiler.

    Parameters
    ----------
    program : Program
    profiler : {"python", "torch"}
    recording : Path
        The file that the profiler writes.
    """
    facts = recording.with_suffix(".facts")
    kind = "module" if program.as_module else "script"
    words = [str(_CHILD), profiler, str(recording), str(facts), kind, program.target]
    child = subprocess.Popen([sys.executable, *words, *program.args])  # noqa: S603 - the user's program
    status = _ended(child)
    if status < 0:
        status = 128 - status
    known = json.loads(facts.read_text("utf-8")) if facts.exists() else {}
    facts.unlink(missing_ok=True)
    if "no_torch" in known:
        return Run(status, known, problem=f"PyTorch cannot be imported ({known['no_torch']})")
    if not recording.exists():
        ended = _signal_name(status) or f"it ended with status {status} and without cleaning up"
        return Run(status, known, problem=f"nothing was recorded: {ended}")
    try:
        return Run(status, known, nbprof.load(recording, progress=False).trace().read())
    except NbprofError as error:
        return Run(status, known, problem=str(error))


def _ended(child: subprocess.Popen[bytes]) -> int:
    """Wait for a program, and pass SIGTERM on to it.

    Of Ctrl-C, which it gets as well, it decides what to do.
    """
    try:
        while True:
            with contextlib.suppress(KeyboardInterrupt):
                return child.wait()
    except SystemExit:
        child.terminate()
        child.wait()
        raise


def _signal_name(status: int) -> str:
    try:
        return f"it was ended by {signal.Signals(status - 128).name}" if status > 128 else ""
    except ValueError:
        return ""
