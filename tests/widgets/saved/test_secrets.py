"""Shared outputs contain no folder above the profile's files, and no unused metadata.

Secrets are planted in the paths and files of every format; everything that a notebook, a page or a
summary contains is unpacked and searched.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUNS = sorted({file.run for file in nbprof.load(ROOT / "samples", progress=False).files})
FOLDER, METADATA, FRAME = "SECRETFOLDER", "SECRETMETADATA", "SECRETFRAME"


def unpacked(content: bytes) -> Iterator[bytes]:
    """Yield content and everything packed inside it: zlib streams and base64."""
    yield content
    for found in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", content):
        with suppress(zlib.error):  # not every such pair of bytes begins a stream
            yield from unpacked(zlib.decompressobj().decompress(content[found.start() :]))
    for found in re.finditer(rb"[A-Za-z0-9+/]{64,}={0,2}", content):
        yield from unpacked(base64.b64decode(found[0][: len(found[0]) // 4 * 4]))


def contents(value: Any) -> Iterator[bytes]:
    """Yield every text and byte string inside a plain value, unpacked."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        yield from unpacked(bytes(value))
    elif isinstance(value, str):
        yield from unpacked(value.encode())
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from contents(key)
            yield from contents(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from contents(one)


def shared(view: nbprof.Explorer, page: Path) -> dict[str, Any]:
    """Return everything that a notebook or a file holds of a view."""
    view.trace.read()
    view._saver.save()
    assert view.snapshot
    view.to_html(page, max_bytes=20_000_000)
    static = view.static()
    texts = [repr(one) for one in (view, view.profile, view.trace)]
    shown = [static._repr_mimebundle_(), view.profile._repr_html_(), *texts]
    part = page.with_name("part.json")
    view.trace.to_chrome_trace(part)
    files = {"page": page.read_text(), "part": part.read_text()}
    return {"traits": view.get_state(), "outputs": shown, **files}


def planted(run: str, folder: Path) -> Path:
    """Copy a sample below a secret folder, with secrets in its metadata, beside broken files."""
    logs = folder / FOLDER / "logs"
    shutil.copytree(ROOT / "samples" / run, logs)
    for path in logs.rglob("*.json*"):
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8") as file:
            content = json.load(file)
        if isinstance(content, dict):
            more = {
                "hostname": METADATA,
                "host_name": METADATA,
                "traceName": f"/{METADATA}/x",
                "env": {"K": METADATA},
            }
            content.update({key: value for key, value in more.items() if key not in content})
            with opener(path, "wt", encoding="utf-8") as file:
                json.dump(content, file)
    (logs / "notes.json").write_text("{}")
    (logs / "zz.pt.trace.json").write_text('{"traceEvents": [')
    return logs


@pytest.mark.parametrize("run", RUNS)
def test_nothing_that_is_shared_names_a_folder_or_spare_metadata(run: str, tmp_path: Path) -> None:
    logs = planted(run, tmp_path)
    profile = nbprof.load(logs, progress=False)
    with pytest.raises(nbprof.TraceFormatError, match="cut off"):
        profile.trace(worker="zz").read()
    found = shared(nbprof.Explorer(profile), tmp_path / "page.html")
    for where, value in found.items():
        pieces = list(contents(value))
        assert any((b"ph" if where == "part" else b"worker") in piece for piece in pieces), where
        if where in ("traits", "page"):  # what is saved has been unpacked
            assert any(b'["Workers"' in piece for piece in pieces), where
        for secret in (FOLDER, METADATA):
            hits = [piece for piece in pieces if secret.encode() in piece]
            assert not hits, (where, secret, _around(hits[0], secret))


def test_an_error_in_a_saved_output_names_no_folder(tmp_path: Path) -> None:
    logs = tmp_path / FOLDER / "logs"
    logs.mkdir(parents=True)
    (logs / "a.pt.trace.json").write_text("[1, 2")
    view = nbprof.Explorer(logs)
    text = str(view.static()._repr_mimebundle_())
    assert "logs" in text
    assert FOLDER not in text


@pytest.mark.parametrize("how", ["argument", "option", "page"])
def test_frames_are_shortened_only_where_that_is_asked_for(how: str, tmp_path: Path) -> None:
    path = tmp_path / "a.pt.trace.json"
    head = {"schemaVersion": 1, "host_name": FRAME}
    path.write_text(json.dumps({**head, "traceEvents": _events()}))
    assert FRAME.encode() in b"".join(contents(shared(nbprof.Explorer(path), tmp_path / "1.html")))
    if how == "page":
        nbprof.Explorer(path).to_html(tmp_path / "2.html", private=True)
        found: Any = (tmp_path / "2.html").read_text()
    else:
        with nbprof.options.having(private=how == "option"):
            view = nbprof.Explorer(path, private=True if how == "argument" else None)
        found = shared(view, tmp_path / "2.html")
        [stack] = view.trace.operators(group_by="name+stack")["call_stack"].to_pylist()
        assert stack == "train.py(7): main"
    pieces = list(contents(found))
    assert any(b"train.py(7): main" in piece for piece in pieces)
    hits = [piece for piece in pieces if FRAME.encode() in piece]
    assert not hits, _around(hits[0], FRAME)


def _events() -> list[dict[str, Any]]:
    frame = f"/data/{FRAME}/project/train.py(7): main"
    place = {"ph": "X", "pid": 1, "tid": 1}
    return [
        {**place, "cat": "python_function", "name": frame, "ts": 0, "dur": 100, "args": {}},
        {**place, "cat": "cpu_op", "name": "aten::mm", "ts": 10, "dur": 50, "args": {}},
    ]


def _around(content: bytes, secret: str) -> bytes:
    at = content.index(secret.encode())
    return content[max(0, at - 100) : at + 50]
