"""The recordings that the fuzzer spoils: small ones of every format, from samples and generated."""

from __future__ import annotations

import csv
import gzip
import io
import json
import pickle
import tempfile
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tests.cli.conftest import trace_json
from tests.conftest import ROOT
from tests.fuzz.contents import Csv, Json, Marshal, Pickle, Protobuf, Sqlite, parse_protobuf
from tests.sources.kineto.test_merged_ranks import merged, with_prefix
from tests.sources.memory_snapshots import test_memory_snapshot, test_memory_timeline
from tests.sources.nsight import exports
from tests.sources.other_chrome import programs
from tests.support.recordings.nvprof import write_profile
from tests.support.recordings.paddle.json import to_json
from tests.support.recordings.paddle.protobuf import to_protobuf
from tests.support.recordings.paddle.runs import generate
from tests.widgets.conftest import step_events

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fuzz.contents import Content

#: The files of a recording, by their path below the folder of logs.
Files: TypeAlias = "dict[str, Content]"

SAMPLES: Final = ROOT / "samples"

#: How many events are taken of a sample, and how many lines of its tables.
EVENTS: Final = 150
LINES: Final = 12

#: How many rows are taken of a table of a database.
ROWS: Final = 40

_JOB: Final = "logs/job"
_STAMP: Final = "1700000000001"


def _kineto(content: Any, suffix: str = ".pt.trace.json") -> Files:
    return {f"{_JOB}/bad.{_STAMP}{suffix}": Json(content)}


def _generated() -> Files:
    return _kineto(trace_json())


def _stepped() -> Files:
    events = [event for number in (1, 2) for event in step_events(number, gpu=True, rich=True)]
    return _kineto({"schemaVersion": 1, "traceEvents": events}, ".json")


def _events_alone() -> Files:
    return _kineto(trace_json()["traceEvents"], ".json")


def _sample(folder: str) -> Files:
    return _kineto(_part_of(min((ROOT / folder).glob("*.gz"))))


def _part_of(path: Path) -> dict[str, Any]:
    """Return the header of a trace with some of its events, and the work that these launched."""
    with gzip.open(path) as file:
        content = json.load(file)
    events = content["traceEvents"]
    slices = [event for event in events if event.get("ph") == "X" and event.get("args")]
    slices.sort(key=lambda event: float(event["ts"]))
    of_step = [event for event in slices if event["name"].startswith("ProfilerStep#")][:2]
    start = len(slices) // 3
    chosen = slices[start : start + EVENTS // 2]
    ids = {event["args"].get("correlation") for event in chosen} - {None}
    linked = [e for e in slices if e["args"].get("correlation") in ids and e not in chosen]
    first = float(chosen[0]["ts"])
    others = [e for e in events if e.get("ph") not in ("X", "M") and float(e["ts"]) >= first]
    named = [event for event in events if event.get("ph") == "M"][:10]
    content["traceEvents"] = [*named, *of_step, *chosen, *linked, *others[: EVENTS // 4]]
    return content


def _paddle_json() -> Files:
    return {f"{_JOB}/bad_time_2026_01_02_03_04_05_678901.paddle_trace.json": _text_of_paddle(5)}


def _text_of_paddle(seed: int) -> Json:
    return Json(json.loads(to_json(generate(seed, steps=1, gpu=True))))


def _paddle_protobuf() -> Files:
    path = f"{_JOB}/bad_time_2026_01_02_03_04_05_678901.paddle_trace.pb"
    return {path: Protobuf(parse_protobuf(to_protobuf(generate(6, steps=1, gpu=True))))}


def _paddle_both() -> Files:
    return {**_paddle_json(), **_paddle_protobuf()}


def _snapshot() -> Files:
    return {f"{_JOB}/bad.pickle": Pickle(test_memory_snapshot.history())}


def _changes() -> Files:
    return {f"{_JOB}/bad.raw.json": Json([list(row) for row in test_memory_timeline.CHANGES])}


def _moments() -> Files:
    times = [1_795_253_537_890_045 + 100 * at for at in range(6)]
    sizes = [[0, *(at * 100 + number for number in range(8))] for at in range(6)]
    return {f"{_JOB}/bad.json": Json([times, sizes])}


def _python_profile() -> Files:
    functions = [
        [["a.py", 1, "main"], 1, 1, 0.5, 2.0, []],
        [["a.py", 9, "step"], 3, 5, 1.0, 1.5, [[["a.py", 1, "main"], 3, 3, 1.0, 1.5]]],
        [
            ["~", 0, "<built-in method len>"],
            7,
            7,
            0.5,
            0.5,
            [[["a.py", 9, "step"], 7, 7, 0.5, 0.5]],
        ],
        [["a.py", 20, "again"], 2, 9, 0.2, 0.9, [[["a.py", 20, "again"], 7, 2, 0.1, 0.8]]],
    ]
    return {f"{_JOB}/bad.pstats": Marshal(functions)}


def _nsight() -> Files:
    """Return an export of Nsight Systems of one process, with every table that is read."""
    return {f"{_JOB}/bad.sqlite": _database(exports.write_export)}


def _nsight_of_two() -> Files:
    write = partial(exports.write_export, pids=(100, 200))
    return {f"{_JOB}/bad.sqlite": _database(write)}


def _nvprof(suffix: str) -> Files:
    return {f"{_JOB}/bad{suffix}": _database(write_profile)}


def _database(write: Callable[[Path], object]) -> Sqlite:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "database"
        write(path)
        return Sqlite.read(path, ROWS)


def _ascend() -> Files:
    folder = next(iter(sorted((SAMPLES / "npu_convnet_synthetic").glob("worker0*"))))
    files: Files = {}
    for path in sorted(folder.rglob("*")):
        name = f"{_JOB}/bad_20260302092640305_ascend_pt/{path.relative_to(folder).as_posix()}"
        if path.suffix == ".csv":
            rows = list(csv.reader(io.StringIO(path.read_text("utf-8"), newline="")))
            files[name] = Csv(rows[: LINES + 1])
        elif path.name == "trace_view.json":
            files[name] = Json(_some_of(json.loads(path.read_text("utf-8"))))
        elif path.name == "communication.json":
            content = json.loads(path.read_text("utf-8"))
            files[name] = Json(dict(list(content.items())[:2]))
        elif path.is_file():
            files[name] = Json(json.loads(path.read_text("utf-8")))
    output = next(name for name in files if name.endswith("trace_view.json")).rpartition("/")[0]
    tasks = [[f"task{number}", number * 1000, 1.5] for number in range(9)]
    database = Sqlite({"task": [["name", "start", "duration"], *tasks]})
    files[f"{output}/ascend_pytorch_profiler_0.db"] = database
    return files


def _some_of(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events that name things, and some of each process."""
    count: dict[Any, int] = {}
    kept = []
    for event in events:
        place = event.get("pid"), event.get("ph"), event.get("cat")
        count[place] = count.get(place, 0) + 1
        if event.get("ph") == "M" or count[place] <= LINES:
            kept.append(event)
    return kept


def _ascend_tables() -> Files:
    return {name: one for name, one in _ascend().items() if not name.endswith("trace_view.json")}


_SEEDS: Final[dict[str, Callable[[], Files]]] = {
    "kineto_generated": _generated,
    "kineto_steps": _stepped,
    "kineto_events": _events_alone,
    "kineto_gpu": lambda: _sample("tests/samples/gpu_resnet_synthetic"),
    "kineto_cpu": lambda: _sample("samples/torch_cpu_convnet"),
    "kineto_merged": lambda: _kineto({"traceEvents": merged(with_prefix)}),
    "jax": lambda: _kineto({"traceEvents": programs.jax()}, ".trace.json"),
    "compiler": lambda: _kineto(programs.compiler(), ".json"),
    "paddle_json": _paddle_json,
    "paddle_protobuf": _paddle_protobuf,
    "paddle_both": _paddle_both,
    "snapshot": _snapshot,
    "timeline_changes": _changes,
    "timeline_moments": _moments,
    "python_profile": _python_profile,
    "nsight": _nsight,
    "nsight_of_two": _nsight_of_two,
    "nvprof_sql": lambda: _nvprof(".sql"),
    "nvprof_nvvp": lambda: _nvprof(".nvvp"),
    "ascend": _ascend,
    "ascend_tables": _ascend_tables,
}

#: Names of all recordings.
NAMES: Final = tuple(_SEEDS)


@cache
def _made(name: str) -> bytes:
    return pickle.dumps(_SEEDS[name]())


def seed(name: str) -> Files:
    """Return a recording, of which every caller has a copy to change."""
    files: Files = pickle.loads(_made(name))  # noqa: S301 - made here; faster than deepcopy
    return files
