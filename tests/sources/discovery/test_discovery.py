"""Discovery of runs, workers and spans, and the reasons for skipped files."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from nbprof.defaults import options
from nbprof.model.errors import TraceFormatError, TraceNotFoundError
from nbprof.sources import TraceFile, discover, read
from nbprof.sources.discovery.naming import natural_key, rank_in_name
from nbprof.sources.recorders import parse_name
from tests.support.traces import kernel, op, write


def trace(path: Path, **header: Any) -> Path:
    return write(path, [op()], **header)


def places(files: list[TraceFile]) -> list[tuple[str, str, int]]:
    return [(file.run, file.worker, file.span) for file in files]


def reasons(source: Any) -> dict[str, str]:
    return {path.name: reason for path, reason in discover(source).skipped}


def test_runs_are_directories_and_spans_are_numbered_by_stamp(tmp_path: Path) -> None:
    names = ["b/w1.900.pt.trace.json", "b/w1.1000.pt.trace.json.gz", "b/w1.pt.trace.json"]
    for name in [*names, "b/w0.pt.trace.json", "a/deep/x.1.pt.trace.json", "top.pt.trace.json"]:
        trace(tmp_path / name)
    files = discover(tmp_path).files
    assert places(files) == [
        ("a/deep", "x", 1),
        ("b", "w0", 1),
        ("b", "w1", 1),
        ("b", "w1", 2),
        ("b", "w1", 3),
        (tmp_path.name, "top", 1),
    ]
    assert [file.path.name for file in files if file.worker == "w1"] == [
        "w1.pt.trace.json",
        "w1.900.pt.trace.json",
        "w1.1000.pt.trace.json.gz",
    ]


@pytest.mark.parametrize(
    ("name", "worker", "stamp"),
    [
        ("host_12.1623143089861.pt.trace.json", "host_12", 1623143089861),
        ("host.name_12.pt.trace.json.gz", "host.name_12", -1),
        ("a.b.17.pt.trace.json", "a.b", 17),
        ("rank0.json", "rank0", -1),
        ("trace.123.json.gz", "trace.123", -1),
        ("host_12.17.pt.trace.json.zst", "host_12", 17),
        ("rank0.json.XZ", "rank0", -1),
        ("proton.chrome_trace", "proton", -1),
        ("snapshot.pickle.bz2", "snapshot", -1),
        ("rank0.pstats.xz", "rank0", -1),
        ("runs.tar.gz", "runs", -1),
        ("runs.tgz", "runs", -1),
        ("runs.ZIP", "runs", -1),
    ],
)
def test_names(name: str, worker: str, stamp: int) -> None:
    parsed = parse_name(name)
    assert parsed is not None
    assert (parsed.worker, parsed.stamp) == (worker, stamp)


def test_names_of_no_trace() -> None:
    assert [parse_name(name) for name in ("a.txt", "a.txt.bz2", "a.gz", "json")] == [None] * 4


@pytest.mark.parametrize(
    ("worker", "rank"),
    [("rank3", 3), ("rank-12", 12), ("Rank_4", 4), ("worker7", 7), ("node_5", 5),
     ("host_48213", None), ("trace", None), ("a100", None)],
)  # fmt: skip
def test_ranks_in_names(worker: str, rank: int | None) -> None:
    assert rank_in_name(worker) == rank


def test_numbers_in_names_sort_as_numbers() -> None:
    names = ["rank10", "rank2", "a", "rank", "2", "10"]
    assert sorted(names, key=natural_key) == ["2", "10", "a", "rank", "rank2", "rank10"]


def test_ranks_come_from_metadata_then_name_then_order(tmp_path: Path) -> None:
    trace(tmp_path / "a.json", distributedInfo={"rank": "5", "world_size": 8, "backend": "nccl"})
    trace(tmp_path / "rank0.json")
    trace(tmp_path / "x.json")
    trace(tmp_path / "y.json")
    files = {file.worker: file for file in discover(tmp_path).files}
    assert {name: file.rank for name, file in files.items()} == {"a": 5, "rank0": 0, "x": 1, "y": 2}
    assert (files["a"].world_size, files["x"].world_size) == (8, None)


def test_a_single_trace_without_metadata_has_rank_0(tmp_path: Path) -> None:
    assert discover(trace(tmp_path / "trace.json")).files[0].rank == 0


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_heads_are_read_on_both_sides_of_many_events(
    tmp_path: Path, before: bool, packed: bool
) -> None:
    header = {
        "distributedInfo": {"rank": 4, "world_size": 16},
        "deviceProperties": [{"id": 2}, {"id": 0}],
        "host_name": "node",
    }
    events = {"traceEvents": [op(ts=i, args={"noise": "x" * 200}) for i in range(2000)]}
    content = {**header, **events} if before else {**events, **header}
    path = write(tmp_path / f"a.json{'.gz' * packed}", json.dumps(content))
    (file,) = discover(path).files
    assert (file.rank, file.world_size, file.host) == (4, 16, "node")
    assert (file.devices, file.device_type) == ("0, 2", "gpu")
    assert file.bytes == path.stat().st_size
    assert (file.format, file.path) == ("PyTorch", path)


def test_the_events_may_come_after_a_long_header(tmp_path: Path) -> None:
    trace(tmp_path / "a.json", environment={f"V{i}": "x" * 100 for i in range(20000)})
    (file,) = discover(tmp_path).files
    assert read(file, progress=False).tables["host"].num_rows == 1


def test_device_types(tmp_path: Path) -> None:
    write(tmp_path / "a.json", [op()], deviceProperties=[])
    write(tmp_path / "b.json", [op(), kernel()])
    write(tmp_path / "c.json", [op()])
    assert [file.device_type for file in discover(tmp_path).files] == ["cpu", "gpu", ""]


def test_gzip_is_told_by_its_first_bytes(tmp_path: Path) -> None:
    packed = gzip.compress(json.dumps({"traceEvents": [op()]}).encode())
    write(tmp_path / "a.pt.trace.json", packed)
    plain = tmp_path / "b.pt.trace.json.gz"
    plain.write_text(json.dumps({"traceEvents": [op()]}))
    for file in discover(tmp_path).files:
        assert read(file, progress=False).tables["host"].num_rows == 1


def test_what_is_no_trace_is_skipped_with_its_reason(tmp_path: Path) -> None:
    trace(tmp_path / "good.pt.trace.json")
    write(tmp_path / "config.json", '{"lr": 1}')
    write(tmp_path / "list.json", "[[1, 2], [3]]")
    write(tmp_path / "objects.json", '[{"a": 1}]')
    write(tmp_path / "text.json", "hello")
    write(tmp_path / "empty.pt.trace.json", "")
    (tmp_path / "half.json.gz").write_bytes(gzip.compress(b"{" + os.urandom(99))[:11])
    (tmp_path / "broken.json").symlink_to(tmp_path / "nowhere")
    found = reasons(tmp_path)
    assert len(discover(tmp_path).files) == 1
    assert found.pop("config.json") == "not a trace (no `traceEvents`)"
    assert found.pop("list.json") == found.pop("objects.json")
    assert found.pop("text.json") == "not a trace: not JSON"
    assert found.pop("empty.pt.trace.json") == "it is empty"
    assert "gzip data ends too early" in found.pop("half.json.gz")
    assert found.pop("broken.json").startswith("cannot be opened")
    assert found == {}


def test_a_file_that_may_not_be_read_hides_no_other(tmp_path: Path) -> None:
    trace(tmp_path / "good.json")
    trace(tmp_path / "secret.json").chmod(0)
    if os.access(tmp_path / "secret.json", os.R_OK):
        pytest.skip("this user may read everything")
    assert reasons(tmp_path) == {"secret.json": "cannot be opened: Permission denied"}


def test_a_name_that_is_no_text_hides_no_other(tmp_path: Path) -> None:
    trace(tmp_path / "good.json")
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xff.json")).write_text("{}")
    except OSError:
        pytest.skip("this file system takes no such names")
    catalog = discover(tmp_path)
    assert len(catalog.files) == 1
    assert [reason for _, reason in catalog.skipped] == ["its name is not valid UTF-8"]


def test_symbolic_links_are_followed_without_end(tmp_path: Path) -> None:
    trace(tmp_path / "logs/a/rank0.json")
    trace(tmp_path / "elsewhere/rank0.json")
    (tmp_path / "logs/b").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "logs/a/loop").symlink_to(tmp_path / "logs")
    found = discover(tmp_path / "logs")
    assert [file.run for file in found.files] == ["a"]
    ((left_out, reason),) = found.skipped
    assert left_out == tmp_path / "logs/b"
    assert "leads out of" in reason
    assert "follow_links" in reason
    with options.having(follow_links=True):
        assert [file.run for file in discover(tmp_path / "logs").files] == ["a", "b"]


def test_hidden_directories_are_passed_by(tmp_path: Path) -> None:
    trace(tmp_path / "a.json")
    trace(tmp_path / ".ipynb_checkpoints/a.json")
    assert len(discover(tmp_path).files) == 1


def test_all_kinds_of_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one/rank0.json", "one/rank1.json", "two/rank0.json"):
        trace(tmp_path / name)
    one, two = tmp_path / "one", tmp_path / "two"
    both = [("one", "rank0", 1), ("one", "rank1", 1), ("two", "rank0", 1)]
    assert places(discover(str(tmp_path)).files) == both
    assert places(discover(one / "rank1.json").files) == [("one", "rank1", 1)]
    assert places(discover(f"{tmp_path}/*/rank*.json").files) == both
    assert places(discover(f"{tmp_path}/**/*.json").files) == both
    assert places(discover(f"{tmp_path}/t*").files) == [("two", "rank0", 1)]
    assert places(discover([one, two]).files) == both
    assert places(discover([one, one / "rank0.json", two / "rank0.json"]).files) == both
    assert places(discover([two / "rank0.json"]).files) == [("two", "rank0", 1)]
    monkeypatch.chdir(tmp_path)
    assert places(discover("one").files) == both[:2]
    assert places(discover(".").files) == both
    monkeypatch.chdir(one)
    assert places(discover("rank0.json").files) == both[:1]
    monkeypatch.setenv("HOME", str(tmp_path))
    assert places(discover("~/two").files) == both[2:]


def test_numbers_that_are_no_ranks(tmp_path: Path) -> None:
    path = trace(tmp_path / "rank20260314159265358979323.json")
    assert [file.rank for file in discover(tmp_path).files] == [0]
    for rank in ("x", -1, 1.5, 2**70):
        with pytest.raises(ValueError, match="A rank must be"):
            discover({rank: path})


def test_places_that_cannot_be_looked_at_say_why(tmp_path: Path) -> None:
    name = "x" * 5000
    with pytest.raises(TraceNotFoundError, match="too long"):
        discover(name)
    found = discover([trace(tmp_path / "rank0.json"), name])
    assert [reason for _, reason in found.skipped] == ["cannot be opened: File name too long"]
    with pytest.raises(TraceNotFoundError, match="empty"):
        discover([])


def test_ranks_may_be_given(tmp_path: Path) -> None:
    first, second = trace(tmp_path / "job/a/trace.json"), trace(tmp_path / "job/b/trace.json")
    files = discover({3: first, 1: second}).files
    assert places(files) == [("job", "rank1", 1), ("job", "rank3", 1)]
    assert [file.rank for file in files] == [1, 3]
    files = discover({0: tmp_path / "job/a", 7: tmp_path / "job/b"}).files
    assert [(file.worker, file.rank) for file in files] == [("rank0", 0), ("rank7", 7)]


def test_a_file_of_any_name_may_be_given(tmp_path: Path) -> None:
    path = write(tmp_path / "profile.out", json.dumps({"traceEvents": [op()]}))
    assert places(discover(path).files) == [(tmp_path.name, "profile", 1)]


def test_the_same_name_packed_and_plain_does_not_collide(tmp_path: Path) -> None:
    for name in ("foo.json", "foo.json.gz", "w.5.pt.trace.json", "w.5.pt.trace.json.gz"):
        trace(tmp_path / name)
    found = places(discover(tmp_path).files)
    assert len(set(found)) == 4
    assert {worker for _, worker, _ in found} >= {"foo.json", "foo.json.gz"}


def test_the_same_names_given_from_several_directories_do_not_collide(tmp_path: Path) -> None:
    paths = [trace(tmp_path / folder / "t.json") for folder in ("a/x", "b/x")]
    assert [file.run for file in discover(paths).files] == ["a/x", "b/x"]


def test_nothing_found_says_what_was_looked_for_and_what_was_there(tmp_path: Path) -> None:
    write(tmp_path / "notes.txt", "hello")
    with pytest.raises(TraceNotFoundError) as caught:
        discover(tmp_path)
    message = str(caught.value)
    assert "*.pt.trace.json.gz" in message
    assert f"in {tmp_path}" in message
    assert "notes.txt" in message
    assert "tensorboard_trace_handler" in message


def test_a_source_that_is_not_there_says_so(tmp_path: Path) -> None:
    for source in (
        tmp_path / "logz",
        f"{tmp_path}/*.jsn",
        [tmp_path / "logz"],
        {0: tmp_path / "x"},
    ):
        with pytest.raises(TraceNotFoundError, match=r"nothing exists at .*current directory"):
            discover(source)
    with pytest.raises(TraceNotFoundError):
        discover([])


def test_a_missing_one_of_several_is_skipped(tmp_path: Path) -> None:
    good = trace(tmp_path / "rank0.json")
    assert reasons([good, tmp_path / "rank1.json"]) == {"rank1.json": "there is no such file"}


def test_matches_that_are_no_traces_name_each_file_and_reason(tmp_path: Path) -> None:
    write(tmp_path / "a.json", "{}")
    write(tmp_path / "b.pt.trace.json", "")
    with pytest.raises(TraceFormatError) as caught:
        discover(tmp_path)
    message = str(caught.value)
    assert re.search(r"a\.json: not a trace \(no `traceEvents`", message)
    assert re.search(r"b\.pt\.trace\.json: it is empty", message)


def test_what_changes_is_looked_at_again(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", [op()])
    trace(tmp_path / "b.json")
    assert discover(tmp_path).files[0].rank == 0
    write(tmp_path / "a.json", [op()], distributedInfo={"rank": 9})
    os.utime(path, ns=(1, 1))
    trace(tmp_path / "c.json")
    assert [file.rank for file in discover(tmp_path).files] == [9, 0, 1]
