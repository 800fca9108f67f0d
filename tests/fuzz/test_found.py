"""What the fuzzer found, one small recording for each class of failure."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

import nbprof
from tests.cli.conftest import trace_json
from tests.fuzz.seeds import seed
from tests.support.traces import write

if TYPE_CHECKING:
    from pathlib import Path

#: The parts of an Ascend recording that are tables, by name.
OUTPUT = "bad_20260302092640305_ascend_pt/ASCEND_PROFILER_OUTPUT"


def ascend(folder: Path) -> Path:
    """Write an Ascend recording; gives the directory of its files."""
    for name, content in seed("ascend").items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    return folder / "logs" / "job" / OUTPUT


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes a named pipe")
@pytest.mark.parametrize("name", ["kernel_details.csv", "trace_view.json", "communication.json"])
def test_a_pipe_among_the_files_of_a_recording_is_not_waited_for(tmp_path: Path, name: str) -> None:
    output = ascend(tmp_path)
    (output / name).unlink()
    os.mkfifo(output / name)
    trace = nbprof.load(tmp_path).trace()
    examples = trace.warnings()["example"].to_pylist()
    assert any("it is not a regular file" in str(one) for one in examples)
    assert trace.operators().num_rows > 0 or name == "trace_view.json"


def test_a_job_of_a_billion_processes_is_not_listed(tmp_path: Path) -> None:
    for rank in (0, 1):
        content = trace_json(rank)
        content["distributedInfo"]["world_size"] = 999_999_999
        write(tmp_path / f"w{rank}.pt.trace.json", json.dumps(content))
    profile = nbprof.load(tmp_path)
    assert profile.runs()["world_size"].to_pylist() == [None, None]
    assert profile.distributed_overview().num_rows > 0


def test_times_of_steps_that_were_not_recorded_are_null_over_workers(tmp_path: Path) -> None:
    path = ascend(tmp_path) / "step_trace_time.csv"
    header, *rows = [line.split(",") for line in path.read_text().splitlines()]
    at = header.index("Communication(Not Overlapped)")
    lines = [",".join(cells[:at] + cells[at + 1 :]) for cells in (header, *rows)]
    path.write_text("\n".join(lines) + "\n")
    found = nbprof.load(tmp_path).distributed_overview()
    assert found.num_rows > 1
    assert set(found["communication_us"].to_pylist()) == {None}
    assert None not in found["computation_us"].to_pylist()


def test_a_number_of_ten_million_digits_is_not_computed(tmp_path: Path) -> None:
    event = '{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"dur":1,"ts":'
    odd = f'{event}1,"args":{{"External id":3931e9999990}}}},{event}5,"id":[]}}'
    write(tmp_path / "a.json", f'{{"traceEvents":[{odd}]}}')
    assert nbprof.load(tmp_path / "a.json").trace().operators()["calls"].to_pylist() == [2]
