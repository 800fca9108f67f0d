"""Runs a program under one profiler, in a process that does nothing else.

This file is run as a script, and imports nothing of nbprof, so that the program finds the modules
that it would find without a profiler. Its arguments are the profiler, the file for the recording,
the file for facts about the run, whether the target is a module, the target, and its arguments.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import runpy
import sys
import time
import traceback
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

_SELF = Path(__file__).resolve().as_posix()


def main(profiler: str, recording: str, facts: str, kind: str, target: str, *args: str) -> int:
    """Run the program and return its exit status."""
    known: dict[str, Any] = {}
    ran = {"python": _under_cprofile, "torch": _under_torch}[profiler]
    prepare = _module if kind == "module" else _script
    try:
        return _run(prepare, target, list(args), lambda: ran(Path(recording), known), known)
    finally:
        Path(facts).write_text(json.dumps(known), "utf-8")
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()


def _run(
    prepare: Callable[[str, list[str]], Callable[[], object]],
    target: str,
    args: list[str],
    recorder: Callable[[], AbstractContextManager[None]],
    known: dict[str, Any],
) -> int:
    """Run a script or module as the main one; return its status, and keep how it ended."""
    try:
        start = prepare(target, args)
        with recorder():
            began = time.perf_counter()
            try:
                start()
            finally:
                known["seconds"] = time.perf_counter() - began
    except SystemExit as error:
        known["ended"] = "exit"
        if error.code is None or isinstance(error.code, int):
            return (error.code or 0) & 0xFF
        sys.stderr.write(f"{error.code}\n")
        return 1
    except KeyboardInterrupt:
        known["ended"] = "KeyboardInterrupt"
        return 130
    except BaseException as error:  # noqa: BLE001 - whatever the program raises
        known["ended"] = type(error).__name__
        _show(error)
        return 1
    return 0


def _script(target: str, args: list[str]) -> Callable[[], object]:
    """Return what runs a file as ``python file`` does."""
    path = Path(target)
    sys.argv = [target, *args]
    if path.is_dir() or _is_archive(path):
        return partial(runpy.run_path, target, run_name="__main__")
    sys.path[0] = os.path.realpath(path.parent)
    module = ModuleType("__main__")
    full = os.path.abspath(target)  # noqa: PTH100 - links stay as they are called
    module.__file__ = full
    module.__spec__ = None
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    # No function of this file is on the stack, so that none is in the profile.
    return partial(exec, compile(path.read_bytes(), full, "exec"), module.__dict__)


def _module(target: str, args: list[str]) -> Callable[[], object]:
    """Return what runs a module as ``python -m module`` does."""
    sys.argv = [target, *args]
    sys.path[0] = str(Path.cwd())
    return partial(runpy.run_module, target, run_name="__main__", alter_sys=True)


def _is_archive(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"PK"


def _show(error: BaseException) -> None:
    """Print an error as Python does, without the frames of this file."""
    trace = error.__traceback__
    own = (_SELF, "<frozen runpy>", runpy.__file__)
    while trace is not None and trace.tb_frame.f_code.co_filename in own:
        trace = trace.tb_next
    if sys.excepthook is sys.__excepthook__:
        traceback.print_exception(type(error), error, trace)
    else:
        sys.excepthook(type(error), error, trace)


@contextlib.contextmanager
def _under_cprofile(recording: Path, known: dict[str, Any]) -> Iterator[None]:
    import cProfile

    known["version"] = sys.version
    profile = cProfile.Profile()
    try:
        profile.enable()
        yield
    finally:
        profile.disable()
        profile.dump_stats(recording)


@contextlib.contextmanager
def _under_torch(recording: Path, known: dict[str, Any]) -> Iterator[None]:
    try:
        torch: Any = importlib.import_module("torch")
        profiler = torch.profiler
    except Exception as error:  # noqa: BLE001 - a broken installation raises anything
        known["no_torch"] = f"{type(error).__name__}: {error}"
        yield
        return
    known |= _facts(torch)
    usable = {profiler.ProfilerActivity.CPU}
    for name in ("CUDA", "XPU", "MTIA", "HPU"):
        activity = getattr(profiler.ProfilerActivity, name, None)
        if activity in profiler.supported_activities() and _is_there(torch, name.lower()):
            usable.add(activity)
    known["activities"] = sorted(one.name for one in usable)
    recorder = profiler.profile(activities=usable)
    recorder.start()
    try:
        yield
    finally:
        recorder.stop()
        recorder.export_chrome_trace(str(recording))


def _is_there(torch: Any, name: str) -> bool:
    module = getattr(torch, name, None)
    available: Callable[[], bool] | None = getattr(module, "is_available", None)
    return bool(available and available())


def _facts(torch: Any) -> dict[str, Any]:
    """Return what is known of PyTorch and its devices."""
    cuda = torch.version.cuda
    hip = getattr(torch.version, "hip", None)
    found: dict[str, Any] = {"torch": torch.__version__, "threads": torch.get_num_threads()}
    found["backend"] = f"ROCm {hip}" if hip else f"CUDA {cuda}" if cuda else "none (CPU only)"
    found["debug"] = bool(torch.version.debug)
    devices = []
    if torch.cuda.is_available():
        for number in range(torch.cuda.device_count()):
            facts = torch.cuda.get_device_properties(number)
            devices.append(f"{facts.name}, {facts.total_memory / 2**30:.1f} GiB")
        found["cudnn"] = torch.backends.cudnn.version()
    return {**found, "devices": devices}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
