"""Profiles on a file system of fsspec, here the one in memory."""

from __future__ import annotations

import gzip
import json
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import fsspec
import pytest

import nbprof
from nbprof.model.errors import TraceFormatError, TraceNotFoundError
from nbprof.sources import discover
from nbprof.sources.files.filesystems import Files
from tests.support.traces import kernel, op

if TYPE_CHECKING:
    from collections.abc import Iterator


def trace(*events: Any, **header: Any) -> bytes:
    return json.dumps({**header, "traceEvents": list(events)}).encode()


@pytest.fixture
def memory() -> Iterator[Any]:
    system = fsspec.filesystem("memory")
    system.pipe("/logs/a/rank10.pt.trace.json", trace(op("ten"), distributedInfo={"rank": 10}))
    system.pipe("/logs/a/rank2.pt.trace.json.gz", gzip.compress(trace(op("two"), kernel())))
    system.pipe("/logs/b/deep/x.json", trace(op("deep")))
    system.pipe("/logs/b/empty.json", b"")
    system.pipe("/logs/readme.txt", b"hello")
    yield system
    system.rm("/", recursive=True)


def test_directories_files_and_globs(memory: Any) -> None:
    profile = nbprof.load("memory://logs")
    found = [(t.run, t.worker, t.file.rank) for t in profile]
    assert found == [("a", "rank2", 2), ("a", "rank10", 10), ("b/deep", "x", 0)]
    assert profile.skipped().to_pylist() == [
        {"path": "memory://logs/b/empty.json", "reason": "it is empty"}
    ]
    assert profile.trace("a").operators()["name"].to_pylist() == ["two"]
    assert len(nbprof.load("memory://logs/a/rank2.pt.trace.json.gz")) == 1
    assert [t.run for t in nbprof.load("memory://logs/a")] == ["a", "a"]
    assert len(nbprof.load("memory://logs/*/rank*.json")) == 1
    assert len(nbprof.load("memory://logs/**/*.json")) == 2
    assert len(nbprof.load("memory://logs/[!b]*")) == 2
    assert len(nbprof.load(["memory://logs/a", "memory://logs/b"])) == 3


def test_what_is_not_there_is_said(memory: Any) -> None:
    with pytest.raises(TraceNotFoundError, match=r"nothing exists at memory://none\. "):
        nbprof.load("memory://none")
    with pytest.raises(TraceNotFoundError, match=r"nothing exists at memory://logs/\*\.none\. "):
        nbprof.load("memory://logs/*.none")
    with pytest.raises(TraceFormatError, match="it is empty"):
        nbprof.load("memory://logs/b/empty.json")
    memory.rm("/logs/a", recursive=True)
    memory.rm("/logs/b", recursive=True)
    with pytest.raises(TraceNotFoundError, match=r"found only memory://logs/readme\.txt"):
        nbprof.load("memory://logs")


def test_a_file_that_has_changed_is_another(memory: Any) -> None:
    profile = nbprof.load("memory://logs/b/deep/x.json")
    model = profile.trace().model
    assert profile.refresh().trace().model is model
    memory.pipe("/logs/b/deep/x.json", trace(op("peed")))
    assert profile.refresh().trace().operators()["name"].to_pylist() == ["peed"]


def test_a_file_that_is_gone_joins_the_skipped(memory: Any) -> None:
    profile = nbprof.load("memory://logs")
    memory.rm("/logs/b/deep/x.json")
    with pytest.raises(TraceFormatError, match=r"memory://logs/b/deep/x\.json"):
        profile.trace("b/deep").operators()
    assert "memory://logs/b/deep/x.json" in profile.skipped()["path"].to_pylist()


def test_where_nothing_tells_of_changes_a_file_is_read_again(
    memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = type(memory).info

    def bare(self: Any, path: str, **options: Any) -> dict[str, Any]:
        found = info(self, path, **options)
        return {key: found[key] for key in ("name", "size", "type")}

    monkeypatch.setattr(type(memory), "info", bare)
    profile = nbprof.load("memory://logs/b/deep/x.json")
    model = profile.trace().model
    assert profile.trace().model is model
    assert profile.refresh().trace().model is not model


def test_paths_can_be_sent_to_other_processes(memory: Any) -> None:
    file = discover("memory://logs/a").files[0]
    copy = pickle.loads(pickle.dumps(file))  # noqa: S301 - our own
    assert copy == file
    assert copy.path.exists()
    assert hash(copy.path) == hash(file.path)
    assert repr(copy.path) == "RemotePath('memory://logs/a/rank2.pt.trace.json.gz')"


def test_many_files_are_read_by_an_executor(memory: Any) -> None:
    profile = nbprof.load("memory://logs/a", progress=False)
    with ThreadPoolExecutor(2) as pool:
        profile.read(pool)
    assert profile.operators()["worker"].to_pylist() == ["rank2", "rank10"]


def test_without_what_a_protocol_needs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TraceNotFoundError, match="Protocol not known: nonsense"):
        nbprof.load("nonsense://x/y")
    monkeypatch.setitem(sys.modules, "paramiko", None)
    with pytest.raises(TraceNotFoundError, match="paramiko"):
        nbprof.load("sftp://x/y")


def test_a_server_that_knows_no_ranges_is_read_once(
    memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = []

    def whole(self: Any, path: str, start: Any = None, end: Any = None, **_: Any) -> bytes:
        sent.append((start, end))
        content: bytes = self.store[path].getvalue()
        return content

    events = [op(f"op{number}", ts=number) for number in range(3000)]
    memory.pipe("/logs/c/big.json", trace(*events))
    monkeypatch.setattr(type(memory), "cat_file", whole)
    assert nbprof.load("memory://logs/c").trace().operators().num_rows == 3000
    assert len(sent) == 2, "once for a look and once for reading"
    whole_file = memory.store["/logs/c/big.json"].getvalue()
    handle = Files(memory, "memory://logs").open("/logs/c/big.json")
    assert handle.read_at(100, 20) == whole_file[100:120]
    assert handle.read_at(40, 9) == whole_file[40:49]
    assert len(sent) == 3
