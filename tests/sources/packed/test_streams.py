"""xz, bzip2 and Zstandard are read like gzip: damage is counted, and their size is limited."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import sys
from typing import TYPE_CHECKING, Any

import fsspec
import pyarrow as pa
import pytest

import nbprof
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.files.filesystems import Files
from nbprof.sources.files.remote_search import find
from tests.support.traces import op, read_trace, warning_counts

if TYPE_CHECKING:
    from pathlib import Path


def zstd(content: bytes) -> bytes:
    packed: bytes = pa.compress(content, codec="zstd", asbytes=True)
    return packed


FORMATS: dict[str, Any] = {
    "gzip": (".gz", gzip.compress),
    "xz": (".xz", lzma.compress),
    "bzip2": (".bz2", bz2.compress),
    "zstd": (".zst", zstd),
}

#: Numbers that compress badly, so that damage falls into the middle of the content.
TEXT = json.dumps(
    {"traceEvents": [op(ts=10 * at, dur=(at * 7919) % 1009 / 211) for at in range(20_000)]}
).encode()


@pytest.fixture(params=list(FORMATS))
def packing(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def write(path: Path, content: bytes) -> Path:
    """Write bytes as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def packed(path: Path, packing: str, content: bytes) -> Path:
    ending, pack = FORMATS[packing]
    return write(path.with_name(path.name + ending), pack(content))


def content_of_source(source: ByteSource) -> bytes:
    found = bytearray()
    while piece := source.read(100_000):
        found += piece
    return bytes(found)


def content_of(path: Path) -> tuple[bytes, str]:
    """Return what can be read of a file, and why it ends."""
    with ByteSource(path) as source:
        found = content_of_source(source)
        assert source.packed
        return found, source.damage


def test_a_compressed_trace_is_read_in_a_folder_by_a_glob_and_alone(
    tmp_path: Path, packing: str
) -> None:
    path = packed(tmp_path / "logs" / "w0.1700000000000.pt.trace.json", packing, TEXT)
    for source in (path, path.parent, str(path.parent / f"*{path.suffix}")):
        (file,) = nbprof.load(source, cache=False).files
        assert (file.worker, file.path.name) == ("w0", path.name)
    model = read_trace(path)
    assert model.tables["host"].num_rows == 20_000
    assert not model.warnings


def test_several_streams_are_one_content(tmp_path: Path, packing: str) -> None:
    ending, pack = FORMATS[packing]
    half = len(TEXT) // 2
    path = write(tmp_path / f"a{ending}", pack(TEXT[:half]) + pack(b"") + pack(TEXT[half:]))
    assert content_of(path) == (TEXT, "")


def test_what_comes_before_the_end_of_a_truncated_file_is_read(
    tmp_path: Path, packing: str
) -> None:
    path = packed(tmp_path / "w.json", packing, TEXT)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    found, damage = content_of(path)
    assert damage == f"the {packing} data ends too early"
    assert TEXT.startswith(found)
    if packing != "bzip2":  # its blocks are as large as this file
        assert len(found) > len(TEXT) // 3
        assert set(warning_counts(read_trace(path))) == {f"damaged {packing}", "cut off"}


def test_damage_in_the_middle_is_named_and_what_comes_before_is_read(
    tmp_path: Path, packing: str
) -> None:
    content = TEXT * 3
    path = packed(tmp_path / "w.json", packing, content)
    data = bytearray(path.read_bytes())
    middle = len(data) * 2 // 3
    data[middle : middle + 40] = b"\xff" * 40
    path.write_bytes(data)
    found, damage = content_of(path)
    assert damage.startswith(f"the {packing} data is damaged (")
    wrong = next((at for at, byte in enumerate(found) if byte != content[at]), len(found))
    assert wrong > len(TEXT) // 3


def test_nothing_of_a_file_of_magic_bytes_alone(tmp_path: Path, packing: str) -> None:
    ending, pack = FORMATS[packing]
    path = write(
        tmp_path / f"w.json{ending}", pack(b"")[:10] if packing != "zstd" else zstd(b"")[:4]
    )
    with pytest.raises(nbprof.TraceFormatError, match=f"the {packing} data ends too early"):
        nbprof.load(path)


def test_other_bytes_after_the_end(tmp_path: Path) -> None:
    for name in ("gzip", "xz", "bzip2"):
        ending, pack = FORMATS[name]
        path = write(tmp_path / f"w{ending}", pack(b"content") + b"\0" * 600_000)
        assert content_of(path) == (b"content", "")
        path.write_bytes(pack(b"content") + b"other")
        assert content_of(path) == (b"content", f"bytes after the end of the {name} data")


def test_a_frame_to_be_skipped_may_come_first(tmp_path: Path) -> None:
    skipped = b"\x52\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"index"
    assert content_of(write(tmp_path / "w.zst", skipped + zstd(TEXT))) == (TEXT, "")


def test_no_more_is_unpacked_than_the_budget(tmp_path: Path, packing: str) -> None:
    path = packed(tmp_path / "w.json", packing, b'{"traceEvents": [' + b" " * (32 << 20) + b"]}")
    with nbprof.options.having(unpacked_bytes=1 << 20, unpacked_ratio=2):
        budget = max(1 << 20, 2 * path.stat().st_size)
        with ByteSource(path) as source:
            assert len(content_of_source(source)) == budget
            assert f"of {packing} data unpack to more than" in source.damage
        with pytest.raises(nbprof.TraceFormatError, match="unpacked_bytes"):
            nbprof.load(path, cache=False).trace().read()


def test_an_error_of_the_file_system_is_no_damage(
    tmp_path: Path, packing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packed(tmp_path / "w.json", packing, TEXT * 4)
    real = Files.open

    class Lost:
        def __init__(self, handle: Any) -> None:
            self.read_at = lambda offset, size: self._read(handle, offset, size)
            self.close = handle.close

        @staticmethod
        def _read(handle: Any, offset: int, size: int) -> bytes:
            if offset:
                message = "the network is down"
                raise OSError(message)
            first: bytes = handle.read_at(offset, min(size, 4096))
            return first

    monkeypatch.setattr(Files, "open", lambda self, path: Lost(real(self, path)))
    fsspec.filesystem("memory").pipe(f"/lost{path.suffix}", path.read_bytes())
    (file,) = find(f"memory://lost{path.suffix}")
    with ByteSource(file) as source, pytest.raises(OSError, match="the network is down"):
        content_of_source(source)


@pytest.mark.parametrize(("packing", "module"), [("xz", "lzma"), ("bzip2", "bz2")])
def test_a_python_without_the_module_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packing: str, module: str
) -> None:
    path = packed(tmp_path / "w.json", packing, TEXT)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(nbprof.TraceFormatError, match=f"this Python does not read {packing} data"):
        nbprof.load(path)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"7z\xbc\xaf\x27\x1c\0\4", "it is a 7z archive"),
        (b"Rar!\x1a\x07\x01\0", "it is a RAR archive"),
        (b"\x04\x22\x4d\x18\x60\x40", "it is compressed with lz4"),
        (b"\x5d\x00\x00\x80\x00\xff", "it is compressed with lzma"),
    ],
)
def test_other_formats_are_named(tmp_path: Path, start: bytes, words: str) -> None:
    path = write(tmp_path / "w.json", start + b"\x93" * 100)
    with pytest.raises(nbprof.TraceFormatError, match=f"{words}.*nbprof does not read. Unpack it"):
        nbprof.load(path)


def test_a_reported_file(shared_data: Path) -> None:
    path = shared_data / "reports" / "h200_small" / "zipped"
    trace = nbprof.load(path, cache=False).trace()
    assert trace.file.format == "PyTorch memory snapshot"
    assert trace.memory_segments().num_rows
