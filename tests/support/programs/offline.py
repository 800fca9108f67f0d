"""Asks the offline answerer under Node; skips with a message without Node."""

from __future__ import annotations

import json
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

SCRIPTS = ROOT / "nbprof" / "static"
_RUNNER = Path(__file__).with_name("offline.mjs")
_SECONDS = 120


def answers(
    saved: bytes, folder: Path, requests: Sequence[tuple[str, dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Return what saved state answers: ``{result, buffers}`` or ``{error}`` for every request.

    A buffer is ``{"rows": {column: values}}`` where it holds a table, else ``{"text": …}``.
    """
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not on PATH, so what answers offline is not asked")
    path = folder / "asked.saved"
    path.write_bytes(saved)
    done = subprocess.run(
        [node, str(_RUNNER), str(SCRIPTS), str(path)],
        input=json.dumps(requests),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def header(saved: bytes) -> dict[str, Any]:
    """Return what stands before the parts of saved state."""
    assert saved[:8] == b"NBPSNAP1"
    length = int.from_bytes(saved[8:12], "little")
    found: dict[str, Any] = json.loads(saved[12 : 12 + length])
    return found


def parts(saved: bytes, name: str) -> list[bytes]:
    """Return the parts of an entry as the browser reads them."""
    head = header(saved)
    start = -(-(12 + int.from_bytes(saved[8:12], "little")) // 8) * 8
    found = []
    for number in head["entries"][name].get("parts", []):
        offset, length, inflated = head["parts"][number]
        assert offset % 8 == 0
        data = saved[start + offset : start + offset + length]
        found.append(zlib.decompress(data) if inflated else data)
        assert not inflated or len(found[-1]) == inflated
    return found
