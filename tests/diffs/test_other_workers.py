"""The gate reads what it compares, and looks at the ends of the other workers' files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from nbprof.cli import main
from nbprof.sources.kineto import reading
from nbprof.testing import assert_no_slower
from tests.diffs.runs import run

LIMITS = ["--fail-if", "step_us > +99%"]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the files that are read in full from now on."""
    found: list[str] = []
    whole = reading.read

    def counted(file, *args, **options):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN002, ANN003, ANN202
        found.append(file.path.name)
        return whole(file, *args, **options)

    monkeypatch.setattr(reading, "read", counted)
    return found


@pytest.fixture
def ranks(tmp_path: Path) -> Path:
    """Return a folder with five workers, of which two are compressed."""
    one = Path(run(tmp_path / "a"))
    content = one.read_bytes()
    for rank in (1, 2):
        (one.parent / f"worker{rank}.pt.trace.json").write_bytes(content)
        (one.parent / f"zip{rank}.pt.trace.json.gz").write_bytes(gzip.compress(content))
    return one


def test_only_what_is_compared_is_read(ranks: Path, read: list[str], tmp_path: Path) -> None:
    other = run(tmp_path / "b")
    read.clear()
    assert main(["diff", str(ranks.parent), other, *LIMITS]) == 0
    assert read == [ranks.name, ranks.name]
    assert_no_slower(ranks.parent, other, "step_us > +99%")
    assert set(read) == {ranks.name}


@pytest.mark.parametrize("name", ["worker2.pt.trace.json", "zip2.pt.trace.json.gz"])
def test_a_file_without_its_end_is_read_and_fails(
    ranks: Path, read: list[str], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = ranks.parent / name
    content = cut.read_bytes()
    cut.write_bytes(content[: len(content) - 9])
    assert main(["diff", str(ranks.parent), str(ranks), *LIMITS]) == 1
    assert name in capsys.readouterr().err
    assert sorted(set(read)) == sorted({ranks.name, name})


def test_a_file_that_a_look_does_not_judge_is_read(ranks: Path, read: list[str]) -> None:
    odd = ranks.parent / "worker1.pt.trace.json"
    odd.write_bytes(odd.read_bytes() + b" more")
    assert main(["diff", str(ranks.parent), str(ranks), *LIMITS]) == 0
    assert sorted(set(read)) == sorted({ranks.name, odd.name})
