"""Reader processes are used, may fail, and always end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from nbprof.model.errors import TraceFormatError
from nbprof.sources.parallel import cpus as parallel_cpus
from nbprof.sources.parallel import helper as parallel_helper
from nbprof.sources.parallel import helper_process
from nbprof.sources.parallel import reading as parallel
from nbprof.sources.parallel.helper import Helper
from nbprof.sources.parts.event_selection import EventSelection
from tests.sources.parallel.test_parallel import many
from tests.support.same_models import assert_same
from tests.support.traces import read_trace, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.model.trace.model import TraceModel

pytestmark = pytest.mark.skipif(not parallel.can_start(), reason="no helpers on this system")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "a.json", many(400), host_name="h")


@pytest.fixture
def expected(path: Path) -> TraceModel:
    return read_trace(path, processes=1, window=5000)


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What helpers gave; None for those that failed."""
    found: list[Any] = []
    result = Helper.result

    def seen(self: Helper, *args: Any) -> Any:
        found.append(result(self, *args))
        return found[-1]

    monkeypatch.setattr(Helper, "result", seen)
    return found


def test_processes_read_what_one_reads(path: Path, expected: TraceModel) -> None:
    assert_same(read_trace(path, processes=3, window=5000), expected)


def test_other_processes_read_their_parts(
    path: Path, expected: TraceModel, results: list[Any]
) -> None:
    told: list[tuple[int, int, str]] = []
    model = read_trace(path, processes=2, window=5000, progress=lambda *one: told.append(one))
    assert_same(model, expected)
    ((part, tables),) = results
    assert expected.metadata["events"] / 3 < part.events < expected.metadata["events"] * 2 / 3
    assert tables["host"]
    done = [one[0] for one in told]
    assert done == sorted(done)
    assert done[-1] == path.stat().st_size


def test_helpers_run_no_start_up_code_of_the_environment(
    path: Path, results: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    check = "import sys; 'site' in sys.modules and sys.exit(1); "
    monkeypatch.setattr(parallel_helper, "_BOOT", check + parallel_helper._BOOT)
    read_trace(path, processes=2, window=5000)
    assert None not in results
    assert len(results) == 1


@pytest.mark.parametrize(
    "fault", ["raise SystemExit(1)", "import os; os.abort()", "print('no')", ""]
)
def test_a_helper_that_fails_is_not_missed(
    path: Path, expected: TraceModel, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(parallel_helper, "_BOOT", fault)
    assert_same(read_trace(path, processes=3, window=5000), expected)


def test_a_system_without_room_for_processes_reads_alone(
    path: Path, expected: TraceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError

    monkeypatch.setattr(parallel_helper.subprocess, "Popen", refuse)
    assert_same(read_trace(path, processes=3, window=5000), expected)


def test_the_users_folder_and_main_module_are_left_alone(
    path: Path, expected: TraceModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trap = tmp_path / "trap"
    trap.mkdir()
    for name in ("json", "queue", "msgspec"):
        text = "import pathlib; pathlib.Path('sprung').touch(); raise SystemExit"
        (trap / f"{name}.py").write_text(text)
    monkeypatch.chdir(trap)
    for place in ("", str(trap)):
        monkeypatch.setattr(sys, "path", [place, *sys.path])
        assert_same(read_trace(path, processes=2, window=5000), expected)
    assert not (trap / "sprung").exists()


def test_small_files_and_single_processors_start_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(parallel, "Helper", refuse)
    monkeypatch.setattr(parallel_cpus, "usable", lambda: 8)
    monkeypatch.setattr(parallel_cpus, "is_busy", lambda: False)
    read_trace(path)
    monkeypatch.setattr(parallel, "HEAD_START", 0)
    monkeypatch.setattr(parallel, "SMALLEST_PART", 1000)
    with pytest.raises(TraceFormatError, match="AssertionError"):
        read_trace(path, window=5000)
    monkeypatch.setattr(parallel_cpus, "is_busy", lambda: True)
    read_trace(path, window=5000)
    monkeypatch.setattr(parallel_cpus, "is_busy", lambda: False)
    monkeypatch.setattr(parallel_cpus, "usable", lambda: 1)
    read_trace(path, window=5000)


def test_processors_are_shared_by_all_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(parallel_cpus.VARIABLE, "4")
    assert parallel_cpus.usable() == 4
    with parallel_cpus.claimed(2) as first, parallel_cpus.claimed(2) as second:
        assert (first, second) == (2, 1)
    with parallel_cpus.claimed(9) as again:
        assert again == 3
    for value in ("", "many", "-3"):
        monkeypatch.setenv(parallel_cpus.VARIABLE, value)
        assert 1 <= parallel_cpus.usable() <= (os.cpu_count() or 1)
    monkeypatch.setenv(parallel_cpus.VARIABLE, "0")
    assert parallel_cpus.usable() == 1


def test_a_container_limits_the_processors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit = tmp_path / "cpu.max"
    monkeypatch.setattr(parallel_cpus, "_CONTAINER_LIMIT", limit)
    monkeypatch.delenv(parallel_cpus.VARIABLE, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert parallel_cpus.usable() == 64
    for text, expected in (("max 100000", 64), ("150000 100000", 2), ("50000 100000", 1)):
        limit.write_text(text)
        assert parallel_cpus.usable() == expected


#: Seconds after which a test gives up; on a machine of any load it does not need them.
PATIENCE_S = 60.0

READ = """
import signal, sys, time
from pathlib import Path
from nbprof.sources import discover, read
file = discover(sys.argv[1]).files[0]
begun = False
# A shell that starts the tests in the background lets its programs ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

def progress(*_):
    global begun
    if not begun:
        begun = True
        print("reading", flush=True)

try:
    while True:
        read(file, processes=3, progress=progress)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    time.sleep(600)
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of some 100 MB."""
    text = write(tmp_path_factory.mktemp("large") / "a.json", many(4000)).read_bytes()
    at = text.index(b"[") + 1
    tile = text[at : text.rindex(b"]")]
    path = tmp_path_factory.mktemp("large") / "b.json"
    with path.open("wb") as stream:
        stream.write(text[:at] + tile)
        for _ in range(100_000_000 // len(tile)):
            stream.write(b"," + tile)
        stream.write(text[text.rindex(b"]") :])
    return path


@pytest.fixture
def reader(large: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that reads it with two helpers, over and over."""
    root = str(Path(__file__).resolve().parents[3])
    command = [sys.executable, "-c", READ, str(large)]
    environment = {**os.environ, "PYTHONPATH": root}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        yield process
        process.kill()


def children(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def wait_for_end(processes: list[int]) -> bool:
    end = time.monotonic() + PATIENCE_S
    while alive := [one for one in processes if is_running(one)]:
        if time.monotonic() > end:
            return not alive
        time.sleep(0.05)
    return True


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are found in /proc")
class TestInterruption:
    """Whatever happens to the reader, its helpers end with it."""

    @pytest.mark.parametrize("delay", [0.0, 0.3, 1.5])
    def test_an_interrupt_ends_all_at_once(
        self, reader: subprocess.Popen[str], delay: float
    ) -> None:
        helpers = self.begin(reader, delay)
        reader.send_signal(signal.SIGINT)
        assert self.line(reader) == "interrupted"
        assert not any(is_running(one) for one in helpers)

    @pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
    def test_helpers_end_when_the_reader_is_killed(
        self, reader: subprocess.Popen[str], how: signal.Signals
    ) -> None:
        helpers = self.begin(reader, 0.3)
        reader.send_signal(how)
        assert wait_for_end(helpers)

    def test_a_helper_without_a_parent_ends_before_its_part_is_read(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "endless.json")  # opening it waits for a writer, which never comes
        job = helper_process.Job(
            path=str(tmp_path / "endless.json"),
            stamp=(0, 0),
            strict=False,
            window=5000,
            start=0,
            cuts=[],
            bare=True,
            selection=EventSelection(),
            rows="nbprof.sources.kineto.rows:Rows",
        )
        start = "from nbprof.sources.parallel.helper_process import main; main()"
        helper = subprocess.Popen(
            [sys.executable, "-c", start, "1"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        try:
            helper.communicate(msgspec.json.encode(job) + b"\n", timeout=PATIENCE_S)
        finally:
            helper.kill()
        assert helper.returncode == 1

    def begin(self, reader: subprocess.Popen[str], delay: float) -> list[int]:
        assert self.line(reader) == "reading"
        time.sleep(delay)
        while not (helpers := children(reader.pid)):  # between two rounds there are none
            time.sleep(0.01)
        return helpers

    @staticmethod
    def line(reader: subprocess.Popen[str]) -> str:
        assert reader.stdout is not None
        return reader.stdout.readline().strip()


def test_no_helpers_on_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """They would only take turns with what runs already; a number that is set counts regardless."""
    monkeypatch.delenv(parallel_cpus.VARIABLE, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    for load, busy in ((5.9, False), (6.0, True)):
        monkeypatch.setattr(os, "getloadavg", lambda load=load: (load, 0.0, 0.0), raising=False)
        assert parallel_cpus.is_busy() is busy
    monkeypatch.setenv(parallel_cpus.VARIABLE, "2")
    assert not parallel_cpus.is_busy()
