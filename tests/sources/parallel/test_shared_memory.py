"""Systems without shared memory, as in containers without /dev/shm, read in one process."""

from __future__ import annotations

import errno
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.sources.parallel import helper as parallel_helper
from nbprof.sources.parallel import reading as parallel
from tests.sources.parallel.test_parallel import many
from tests.support.same_models import assert_same
from tests.support.traces import read_trace, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trace on a system that is simulated: no anonymous and no temporary files, no semaphores."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    path = write(tmp_path / "a.pt.trace.json", many(400), host_name="h")
    monkeypatch.setattr(parallel_helper.os, "memfd_create", refuse, raising=False)
    monkeypatch.setattr(parallel_helper.tempfile, "TemporaryFile", refuse)
    for name in ("_multiprocessing", "_posixshmem"):
        monkeypatch.setitem(sys.modules, name, None)
    return path


@pytest.mark.skipif(not parallel.can_start(), reason="no helpers on this system")
@pytest.mark.parametrize("anonymous", [True, False])
def test_a_large_file(path: Path, monkeypatch: pytest.MonkeyPatch, anonymous: bool) -> None:
    if not anonymous:
        monkeypatch.delattr(parallel_helper.os, "memfd_create")
    expected = read_trace(path, processes=1, window=5000)
    assert_same(read_trace(path, processes=3, window=5000), expected)


def test_many_files(path: Path) -> None:
    profile = nbprof.load(path, progress=False, cache=False)
    with ThreadPoolExecutor(2) as pool:
        profile.read(pool)
    assert profile.operators().num_rows
    assert nbprof.Explorer(profile).table.num_rows
