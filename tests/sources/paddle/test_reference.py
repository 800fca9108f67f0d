"""The Paddle reference profiles compared with plain `json.loads`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import nbprof
from nbprof.model.trace import kinds
from nbprof.sources.paddle import event_types
from tests.support.recordings.paddle.same import assert_same
from tests.support.traces import read_trace, table_rows

if TYPE_CHECKING:
    from pathlib import Path

Event = dict[str, Any]

RUNS = ("run_cpu_v262", "run_cpu_v331", "run_cpu_wrapped_v331", "synthetic_gpu")
#: Times are as rounded as Paddle writes them, which for these lengths is by so much, in ns.
WRITTEN = 9


def files(shared_data: Path, run: str) -> list[Path]:
    """Return the files of a run; each test goes through all."""
    found = sorted((shared_data / "paddle" / run).iterdir())
    assert found
    return found


def nanoseconds(text: str) -> int:
    """Return a time of the arguments."""
    return round(float(text.removesuffix(" us")) * 1000)


def shapes(args: Event, key: str) -> str | None:
    """Return shapes or types as text."""
    return json.dumps(args[key]) if args.get(key) else None


@pytest.mark.parametrize("run", RUNS)
def test_host_rows_are_those_of_the_file(shared_data: Path, run: str) -> None:
    for path in files(shared_data, run):
        model = read_trace(path)
        events = json.loads(path.read_text())["traceEvents"]
        wanted = []
        for event in events:
            if event.get("ph") != "X" or event["cat"] in event_types.DEVICE:
                continue
            args = event["args"]
            start, end = nanoseconds(args["start_time"]), nanoseconds(args["end_time"])
            name = re.sub(r"\[[^\[\]]*\]$", "", event["name"])
            wanted.append(
                (
                    int(re.sub(r"\(.*", "", event["tid"])),
                    start,
                    end - start,
                    name,
                    event["cat"],
                    kinds.HOST_KINDS[event_types.host_kind(event["cat"])],
                    args.get("correlation id", -1),
                    shapes(args, "input_shapes"),
                    shapes(args, "input_dtypes"),
                )
            )
        zero = min(row[1] for row in wanted) - model.tables["host"]["start_ns"].to_numpy().min()
        tids = model.tables["threads"]["tid"].to_pylist()
        types = model.tables["host_types"]["event_type"].to_pylist()
        found = [
            (
                tids[row["thread"]],
                row["start_ns"] + zero,
                row["duration_ns"],
                row["name"],
                type_,
                row["kind"],
                row["correlation"],
                row["input_shapes"],
                row["input_types"],
            )
            for row, type_ in zip(table_rows(model), types, strict=True)
        ]
        assert sorted(found, key=repr) == sorted(wanted, key=repr)
        assert model.warnings == []
        assert model.nesting.overlaps == 0


@pytest.mark.parametrize("run", RUNS)
def test_memory_records_are_those_of_the_file(shared_data: Path, run: str) -> None:
    for path in files(shared_data, run):
        model = read_trace(path)
        events = json.loads(path.read_text())["traceEvents"]
        wanted = []
        for event in events:
            if event.get("ph") == "i":
                args = event["args"]
                place = re.fullmatch(r"Place\((\w+)(?::(\d+))?\)", args["place"])
                assert place
                wanted.append(
                    (
                        int(args["addr"]),
                        args["increase_bytes"],
                        {"cpu": 0, "gpu": 1}[place[1]],
                        int(place[2] or -1),
                        event["cat"].startswith("Reserved"),
                        args["current_allocated"],
                        args["current_reserved"],
                        args["peak_allocated"],
                        args["peak_reserved"],
                        event["ts"],
                    )
                )
        extra = model.tables["memory_extra"].to_pylist()
        epoch = model.metadata["epoch_ns"]
        found = [
            (
                row["address"],
                row["bytes"],
                row["device_type"],
                row["device"],
                more["is_reserved"],
                row["total_allocated"],
                row["total_reserved"],
                more["peak_allocated"],
                more["peak_reserved"],
                (row["time_ns"] + epoch) // 1000,
            )
            for row, more in zip(table_rows(model, "memory"), extra, strict=True)
        ]
        assert sorted(found) == sorted(wanted)


def test_device_rows_are_those_of_the_file(shared_data: Path) -> None:
    for path in files(shared_data, "synthetic_gpu"):
        model = read_trace(path)
        content = json.loads(path.read_text())
        wanted = []
        for event in content["traceEvents"]:
            if event.get("cat") in event_types.DEVICE:
                args = event["args"]
                start, end = nanoseconds(args["start_time"]), nanoseconds(args["end_time"])
                name = re.sub(r"\[[^\[\]]*\]$", "", event["name"])
                where = (event["pid"], event["tid"], start, end - start, name)
                grids = tuple(
                    json.dumps(args[key]) if key in args else None for key in ("grid", "block")
                )
                keys = ("correlation id", "registers per thread", "shared memory", "bytes")
                numbers = tuple(args.get(key, -1) for key in keys)
                wanted.append((*where, event["cat"].lower(), *grids, *numbers))
        names = ("device", "stream", "start_ns", "duration_ns", "name", "kind", "grid", "block")
        more = ("correlation", "registers", "shared_memory_bytes", "bytes")
        rows = table_rows(model, "device")
        found = [tuple(row[name] for name in (*names, *more)) for row in rows]
        assert sorted(found, key=repr) == sorted(wanted, key=repr)
        assert (model.links.launch >= 0).all()
        assert (model.links.operator >= 0).sum() > 0
        assert model.tables["devices"].to_pylist()[1] == {
            "device": 1,
            "name": "Tesla V100-SXM2-32GB",
            "memory_bytes": 34089730048,
            "compute_major": 7,
            "compute_minor": 0,
            "multiprocessors": 80,
        }
        occupancy = model.tables["device"]["occupancy_pct"].to_numpy()
        assert set(occupancy[~np.isnan(occupancy)].tolist()) == {0.0, 12.5, 25.0, 100.0}


@pytest.mark.parametrize("run", RUNS)
def test_what_files_say_of_themselves(shared_data: Path, run: str) -> None:
    for path in files(shared_data, run):
        model = read_trace(path)
        content = json.loads(path.read_text())
        about, extra = model.metadata, content["ExtraInfo"]
        assert about["format"] == "Paddle"
        assert about["span_index"] == int(content.get("span_indx", content.get("span_index")))
        assert about["process_cpu_pct"] == 100 * float(extra["Process Cpu Utilization"])
        assert about["system_cpu_pct"] == 100 * float(extra["System Cpu Utilization"])
        assert about["device_type"] == ("gpu" if run == "synthetic_gpu" else "cpu")
        assert about["events"] == sum(map(bool, content["traceEvents"]))
        for row in table_rows(model, "threads"):
            assert row["name"] == extra.get(str(row["tid"]), "")


def test_both_forms_of_a_span_give_the_same_tables(shared_data: Path) -> None:
    for text, binary in zip(
        files(shared_data, "run_cpu_v331"), files(shared_data, "run_cpu_v331_pb"), strict=True
    ):
        assert_same(read_trace(text), read_trace(binary), written=WRITTEN)


def test_a_log_directory_reads_as_a_user_would(shared_data: Path) -> None:
    profile = nbprof.load(shared_data / "paddle", progress=False)
    assert profile.skipped().num_rows == 0
    rows = profile.runs().to_pylist()
    runs = {(row["run"], row["worker"], row["span"]) for row in rows}
    assert len(runs) == len(rows) == 16
    assert ("run_cpu_v331", "worker1", 2) in runs
    assert {row["format"] for row in rows} == {"Paddle"}
    assert {row["device_type"] for row in rows if row["run"] == "synthetic_gpu"} == {"gpu"}
    for trace in profile:
        assert trace.steps().num_rows == 3
        assert trace.operators().num_rows > 3
        # The recording begins when memory is in use already.
        expected = {"allocated before the recording"}
        if trace.run == "synthetic_gpu":  # which writes 0 for all of NCCL
            expected.add("occupancy of 0 computed")
        assert set(trace.warnings()["kind"].to_pylist()) <= expected
        wanted = 3 if trace.run == "synthetic_gpu" else 0
        assert (trace.kernels().num_rows > wanted) == (wanted > 0)
