"""Profiles of Python: found by content, read as `pstats` reads them, and safe."""

from __future__ import annotations

import gzip
import marshal
import math
import pstats
import shutil
import time
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.model.errors import TraceFormatError
from nbprof.sources.python_profiles.formats import FORMAT, looks_like_profile
from tests.conftest import ROOT
from tests.support.recordings.python_profiles import made_up, recorded, trace_of

if TYPE_CHECKING:
    from pathlib import Path

F, G, H = ("a.py", 1, "f"), ("a.py", 2, "g"), ("~", 0, "<built-in method h>")
SHARED = ROOT.parent / "shared" / "data" / "torchcpu" / "legacy_autograd" / "cprofile.pstats"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("profile"))


def test_any_name_and_packed(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "out")
    (tmp_path / "packed.gz").write_bytes(gzip.compress(path.read_bytes()))
    whole = trace_of(path).functions()
    for name in ("out", "packed.gz"):
        found = nbprof.load(tmp_path / name, progress=False)
        assert found.runs()["format"].to_pylist() == [FORMAT]
        assert found.trace().functions() == whole


def test_beside_traces(path: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "samples" / "torch_cpu_convnet", tmp_path / "run")
    for name in ("a.pstats", "a.prof", "rank0.cprof"):
        shutil.copy(path, tmp_path / "run" / name)
    (tmp_path / "run" / "other.prof").write_text("not a profile")
    profile = nbprof.load(tmp_path, progress=False)
    formats = profile.runs()["format"].to_pylist()
    assert formats[-3:] == [FORMAT] * 3
    assert FORMAT not in formats[:-3]
    assert formats[0] == "PyTorch"
    assert [row["path"].split("/")[-1] for row in profile.skipped().to_pylist()] == ["other.prof"]
    assert profile.trace().functions().num_rows == 0


def test_numbers(path: Path) -> None:
    known = pstats.Stats(str(path)).stats  # type: ignore[attr-defined] - not in the type stubs
    trace = trace_of(path)
    rows = {(r["file"], r["line"], r["name"]): r for r in trace.functions().to_pylist()}
    assert len(rows) == len(known)
    pairs = 0
    for (file, line, name), (primitive, calls, own, total, callers) in known.items():
        text = f"{{{name[1:-1]}}}" if file == "~" else f"{file}({line}): {name}"
        row = rows[file, line, text]
        assert (row["calls"], row["primitive_calls"]) == (calls, primitive)
        assert row["self_us"] == own * 1e6
        assert row["total_us"] == total * 1e6
        pairs += len(callers)
    assert trace.function_callers().num_rows == pairs


@pytest.mark.parametrize("version", range(marshal.version + 1))
def test_versions_of_marshal(path: Path, tmp_path: Path, version: int) -> None:
    again = tmp_path / "main.pstats"
    again.write_bytes(marshal.dumps(marshal.loads(path.read_bytes()), version))  # noqa: S302 - ours
    assert looks_like_profile(again.read_bytes())
    assert trace_of(again).functions() == trace_of(path).functions()


def test_pure_python_profiler(tmp_path: Path) -> None:
    trace = trace_of(recorded(tmp_path, pure=True))
    callers = trace.function_callers()
    assert callers["calls"].null_count == 0
    assert callers["total_us"].null_count == callers.num_rows > 5
    assert trace.functions().num_rows > 5
    assert not trace.warnings().num_rows


def test_sampled(tmp_path: Path) -> None:
    stats = {("__sampled__",): True, F: (1, 1, 0.5, 0.5, {})}
    trace = trace_of(made_up(tmp_path, stats))  # type: ignore[arg-type] - a mark, not a function
    assert trace.functions()["calls"].to_pylist() == [1]
    assert trace.warnings()["kind"].to_pylist() == ["sampled profile"]


def test_empty(tmp_path: Path) -> None:
    trace = trace_of(made_up(tmp_path, {}))
    assert [trace.table(n).num_rows for n in ("functions", "function_callers", "icicle")] == [0] * 3


def test_malformed_entries_are_counted(tmp_path: Path) -> None:
    good = (1, 1, 0.5, 1.0)
    stats = {
        F: (*good, {G: good, ("x", "y", "z"): good, H: "often", ("gone.py", 1, "k"): good}),
        G: (*good, {}),
        "text": (*good, {}),
        ("a.py", 9, "negative"): (-1, 1, 0.5, 0.5, {}),
        ("a.py", 9, "infinite"): (1, 1, math.inf, 0.5, {}),
        ("a.py", 9, "short"): (1, 1),
        ("a.py", 9, "number"): 5,
        ("a.py", 9, "huge"): (2**70, 1, 0.5, 0.5, {}),
        H: (*good, "nobody"),
    }
    trace = trace_of(made_up(tmp_path, stats))  # type: ignore[arg-type] - malformed
    assert sorted(trace.functions()["function"].to_pylist()) == ["f", "g", "{built-in method h}"]
    found = {row["kind"]: row["count"] for row in trace.warnings().to_pylist()}
    assert found == {
        "malformed function": 6,
        "malformed caller": 2,
        "malformed callers": 1,
        "caller without times": 1,
    }
    with pytest.raises(TraceFormatError, match="malformed"):
        nbprof.load(tmp_path / "main.pstats", strict=True, progress=False).trace().functions()


def test_truncated(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    whole = trace_of(path).functions().num_rows
    cut = tmp_path / "cut.pstats"
    cut.write_bytes(data[: len(data) * 2 // 3])
    trace = trace_of(cut)
    assert 0 < trace.functions().num_rows < whole
    assert "incomplete file" in trace.warnings()["kind"].to_pylist()
    cut.write_bytes(data[:30])
    with pytest.raises(TraceFormatError, match="dump_stats"):
        trace_of(cut).functions()


def test_bombs(tmp_path: Path) -> None:
    """References build small files into huge values; they are neither hashed nor printed."""
    parts = [b"\xa9\x03z\x01xz\x01xz\x01x"]  # a tuple that later ones refer to
    for number in range(60):
        parts += [b"\xa9\x03" + (b"r" + number.to_bytes(4, "little")) * 3]
    callers = b"{" + b"".join(one + b"N" for one in parts) + b"0"
    function = b")\x03z\x04a.pyi\x01\0\0\0z\x01f"
    row = b"i\x01\0\0\0" * 2 + b"g" + b"\0" * 8 + b"g" + b"\0" * 8
    path = tmp_path / "bomb.pstats"
    path.write_bytes(b"{" + function + b")\x05" + row + callers + b"0")
    began = time.monotonic()
    trace = trace_of(path)
    assert trace.functions().num_rows == 1
    assert trace.warnings()["kind"].to_pylist() == ["malformed caller"]
    assert time.monotonic() - began < 2


def test_private_paths(path: Path) -> None:
    trace = trace_of(path)
    assert any(file.startswith("/") for file in trace.functions()["file"].to_pylist())
    private = trace.with_private_frames()
    for name in ("functions", "function_callers", "icicle"):
        assert str(ROOT) not in str(private.table(name).to_pylist())
    assert "python_profiles.py" in private.functions()["file"].to_pylist()


@pytest.mark.skipif(not SHARED.exists(), reason="needs the folder `shared` beside the checkout")
def test_profile_of_torch() -> None:
    """The 20 lines that `pstats` printed where this file was recorded, with another Python."""
    text = SHARED.with_suffix(".txt").read_text()
    assert "68 function calls (60 primitive calls) in 0.001 seconds" in text
    table = trace_of(SHARED).functions()
    assert (sum(table["calls"].to_pylist()), sum(table["primitive_calls"].to_pylist())) == (68, 60)
    rows = {}
    for row in table.to_pylist():
        place = (
            row["function"]
            if row["file"] == "~"
            else f"{row['file']}:{row['line']}({row['function']})"
        )
        calls, primitive = row["calls"], row["primitive_calls"]
        rows[place] = [
            f"{calls}/{primitive}" if calls != primitive else f"{calls}",
            *(f"{row[name] / 1e6:.3f}" for name in ("self_us", "self_per_call_us")),
            *(f"{row[name] / 1e6:.3f}" for name in ("total_us", "total_per_call_us")),
        ]
    lines = [line.split(None, 5) for line in text.splitlines() if " 0.0" in line]
    compared = [line for line in lines if len(line) == 6 and line[-1] in rows]
    assert len(compared) == 20
    for line in compared:
        assert rows[line[-1]] == line[:5]
