"""``nbprof bottleneck``: runs a program under two profilers and reports where its time goes."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nbprof.cli.bottleneck.environment import environment
from nbprof.cli.bottleneck.findings import findings
from nbprof.cli.bottleneck.report import Report, report_page, report_text
from nbprof.cli.bottleneck.runs import Program, Run, has_torch, run
from nbprof.cli.output import (
    expect_writable,
    is_terminal,
    message,
    write,
    write_errors,
    write_text,
    wrote,
)
from nbprof.model.errors import UnknownNameError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

_NO_TORCH = "not installed: operators are not measured"
_INTERRUPTED = 130


def bottleneck(args: argparse.Namespace) -> int:
    """Run ``nbprof bottleneck`` and return the exit status of the program."""
    program = Program(args.target, tuple(args.arguments), as_module=args.module)
    _expect_all(args, program)
    with _folder(args.recordings, program) as folder:
        total = 2 if has_torch() else 1
        message(f"run 1 of {total}, under cProfile: {_words(program)}")
        python = run(program, "python", folder / "python.pstats")
        torch = None
        if total > 1 and python.status != _INTERRUPTED:
            message(f"run 2 of {total}, under PyTorch's profiler: {_words(program)}")
            torch = run(program, "torch", folder / "torch.pt.trace.json")
        report = _report(program, python, torch)
        width = shutil.get_terminal_size().columns if is_terminal() else None
        write_text(report_text(report, width))
        if args.output is not None:
            write(report_page(report).encode(), args.output)
            wrote(args.output)
        if args.recordings is not None:
            message(f"the recordings are in {folder}: nbprof.show({str(folder)!r}) shows them")
    return python.status or (torch.status if torch is not None else 0)


def _report(program: Program, python: Run, torch: Run | None) -> Report:
    facts = environment(
        torch.facts if torch is not None else {},
        (torch.problem if torch is not None else "") or _NO_TORCH,
    )
    for name, one in (("with cProfile", python), ("with PyTorch's profiler", torch)):
        if one is not None and "no_torch" not in one.facts:
            facts.append((name, _outcome(one)))
    advice = findings(python, torch)
    return Report(_words(program), Path(program.target).name, facts, advice, python, torch)


def _outcome(one: Run) -> str:
    took = f"{one.facts['seconds']:.3f} s, " if "seconds" in one.facts else ""
    problem = f"; {one.problem}" if one.problem else ""
    return f"{took}exit status {one.status}{problem}"


def _words(program: Program) -> str:
    target = ["-m", program.target] if program.as_module else [program.target]
    return " ".join([*target, *program.args])


def _expect_all(args: argparse.Namespace, program: Program) -> None:
    """Check the program and the places to write, before minutes are spent."""
    if not program.as_module and not Path(program.target).exists():
        text = f"There is no file {program.target!r}; -m runs a module."
        raise UnknownNameError(text)
    if args.output == "-":
        text = "A page cannot be written to stdout: give a file with -o."
        raise UnknownNameError(text)
    expect_writable(args.output)


@contextmanager
def _folder(given: str | None, program: Program) -> Iterator[Path]:
    """Return the folder of the recordings, which is called like the program if it is temporary."""
    if given is not None:
        folder = Path(given)
        with write_errors(given):
            folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="nbprof-") as temporary:
        folder = Path(temporary) / (Path(program.target).stem or "program")
        folder.mkdir()
        yield folder
