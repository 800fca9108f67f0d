"""Too little memory is an error that says so; the file is not to blame and is read later."""

from __future__ import annotations

import errno
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.cli import main
from nbprof.model.errors import OutOfMemoryError
from nbprof.sources.chrome.decoding import WindowDecoder
from nbprof.sources.kineto import reading
from nbprof.sources.limits import room
from tests.conftest import ROOT
from tests.sources.cache.cached import trace_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: Reads a file again and again with ever more room for it, and says what became of it.
UNDER_LIMITS = """
import resource, sys
from pathlib import Path
import nbprof

def room(more):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard if more is None else used + more, hard))

nbprof.load(sys.argv[1], progress=False, cache=False).trace().operators()
for more in range(0, 96, 2):
    profile = nbprof.load(sys.argv[2], progress=False, cache=False)
    try:
        room(more << 20)
        rows = profile.trace().operators().num_rows
    except nbprof.OutOfMemoryError as error:
        room(None)
        assert profile.skipped().num_rows == 0
        print("too little" if "large.json" in str(error) else error)
    else:
        room(None)
        print(rows)
"""


def lacking(*_: Any, **__: Any) -> None:
    raise MemoryError


def refused(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOMEM, "Cannot allocate memory")


@pytest.mark.parametrize("fail", [lacking, refused])
def test_a_file_that_finds_no_room_is_read_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fail: Callable[..., None]
) -> None:
    for worker in "ab":
        trace_file(tmp_path / f"{worker}.pt.trace.json")
    profile = nbprof.load(tmp_path, progress=False, cache=False)
    with monkeypatch.context() as patch:
        patch.setattr(reading, "build_tables", fail)
        with pytest.raises(OutOfMemoryError, match=r"a\.pt\.trace\.json could not be read: .*load"):
            profile.trace().operators()
        with pytest.raises(MemoryError):
            profile.operators()
        assert nbprof.Explorer(profile).trace.worker == "a"
    assert profile.skipped().num_rows == 0
    assert set(profile.operators()["worker"].to_pylist()) == {"a", "b"}


def test_what_was_read_before_the_memory_was_gone_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A notebook keeps the last error with all its frames, so these have to be empty."""
    monkeypatch.setattr(reading, "build_tables", lacking)
    with pytest.raises(OutOfMemoryError) as caught:
        nbprof.load(trace_file(tmp_path / "a.json"), progress=False, cache=False).trace().read()
    cause = caught.value.__cause__
    assert isinstance(cause, MemoryError)
    traceback = cause.__traceback__
    assert traceback is not None
    seen = []
    while traceback := traceback.tb_next:  # the first one is `read`, which still runs
        seen.append(traceback.tb_frame.f_code.co_name)
        assert traceback.tb_frame.f_locals == {}
    assert seen[-1] == "lacking"
    assert len(seen) > 1


def test_the_command_line_says_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = trace_file(tmp_path / "a.json")
    with monkeypatch.context() as patch:
        patch.setattr(reading, "build_tables", lacking)
        assert main(["info", str(path)]) == 1
        assert "there is not enough memory" in capsys.readouterr().err
    monkeypatch.setattr("nbprof.cli.table.load", lacking)
    assert main(["table", str(path), "steps"]) == 1
    assert capsys.readouterr().err == "nbprof: There is not enough memory for this command.\n"


def test_no_text_is_decoded_for_which_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """msgspec ends the process if there is no memory for a string that it copies."""
    path = trace_file(tmp_path / "a.json")
    decoded: list[bytes] = []

    class Decoder:
        def decode(self, text: bytes) -> Any:
            decoded.append(text)

    with monkeypatch.context() as patch:
        patch.setattr(room.mmap, "mmap", refused)
        patch.setattr(WindowDecoder, "plain", Decoder())
        with pytest.raises(OutOfMemoryError, match=r"a\.json could not be read: there is"):
            nbprof.load(path, progress=False, cache=False).trace().operators()
    assert decoded == []
    assert nbprof.load(path, progress=False, cache=False).trace().operators().num_rows


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sets a limit of Linux")
def test_whatever_the_limit_a_file_is_read_or_the_error_says_why_not(tmp_path: Path) -> None:
    small = trace_file(tmp_path / "small.json")
    large = trace_file(tmp_path / "large.json", 40_000)
    done = subprocess.run(
        [sys.executable, "-c", UNDER_LIMITS, str(small), str(large)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.splitlines()) == {"too little", "8"}
