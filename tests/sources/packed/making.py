"""Makes archives with traces, and tells what is said about them."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import nbprof
from nbprof.sources import discover
from tests.support.traces import kernel, op

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def trace(rank: int = 0, events: int = 3) -> bytes:
    header = {"distributedInfo": {"rank": rank, "world_size": 4}}
    found = [op(ts=10 * at) for at in range(events)] + [kernel(dur=100)]
    return json.dumps({**header, "traceEvents": found}).encode()


def zip_of(path: Path, files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def tar_bytes(files: Mapping[str, bytes | tarfile.TarInfo]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, content in files.items():
            info = content if isinstance(content, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(content) if isinstance(content, bytes) else 0
            archive.addfile(info, io.BytesIO(content if isinstance(content, bytes) else b""))
    return target.getvalue()


def zstd(content: bytes) -> bytes:
    packed: bytes = pa.compress(content, codec="zstd", asbytes=True)
    return packed


TARS: dict[str, Any] = {
    ".tar": bytes,
    ".tar.gz": gzip.compress,
    ".tgz": gzip.compress,
    ".tar.xz": lzma.compress,
    ".tar.bz2": bz2.compress,
    ".tar.zst": zstd,
}

JOB = {
    "day1/rank0.pt.trace.json": trace(0),
    "day1/rank1.pt.trace.json": trace(1),
    "day2/rank0.pt.trace.json": trace(0),
    "day2/notes.txt": b"slow",
    "__MACOSX/day1/._rank0.pt.trace.json": b"\0\5\x16\7",
}


def reasons(source: Any) -> dict[str, str]:
    """Return why the files under a source are not read, by name."""
    return {path.name: reason for path, reason in discover(source).skipped}


def refused(source: Any) -> str:
    with pytest.raises(nbprof.TraceFormatError) as error:
        nbprof.load(source, cache=False)
    return str(error.value)
